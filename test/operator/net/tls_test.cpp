// Who is trusted, on every binding that has TLS.
#include "operator/net/tls.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "test/operator/net/raw_server.h"
#include "test/operator/net/transport_rig.h"

namespace atl::net {
namespace {

class TlsTest : public testing::TestWithParam<Binding> {
protected:
    Endpoint serve(const Identity& identity, std::string client_ca = "",
                   ClientCertificate client = ClientCertificate::Optional) {
        return rig_.serve(handler_,
                          ServerTls{identity.certificate_pem, identity.key_pem, std::move(client_ca), client});
    }
    Result<Response> ask(Endpoint endpoint, TlsConfig config) {
        endpoint.tls = std::make_shared<TlsConfig>(std::move(config));
        return rig_.send({endpoint, "GET", "/who", {}, ""});
    }
    /// The error's reason and message, if it is of the class Credentials.
    static std::string refusal(const Result<Response>& response) {
        if (response.ok()) return "answered with " + std::to_string(response->status);
        if (response.error().error_class() != ErrorClass::Credentials)
            return "not refused: " + response.error().message();
        return response.error().reason() + ": " + response.error().message();
    }

    RealRig rig_{GetParam()};
    SampleHandler handler_{rig_.loop};
    Authority authority_{rig_.loop.wall_now()};
};

TEST_P(TlsTest, AcceptsAServerOfTheNamedAuthorityByNameAndByAddress) {
    Endpoint endpoint = serve(authority_.server);
    const auto by_address = ask(endpoint, {authority_.ca.certificate_pem, "", "", ""});
    EXPECT_TRUE(by_address.ok()) << by_address.error().message();
    endpoint.host = "localhost";
    const auto by_name = ask(endpoint, {authority_.ca.certificate_pem, "", "", ""});
    EXPECT_TRUE(by_name.ok()) << by_name.error().message();
}

TEST_P(TlsTest, RefusesAServerOfAnotherAuthority) {
    const Authority other(rig_.loop.wall_now());
    const std::string why = refusal(ask(serve(authority_.server), {other.ca.certificate_pem, "", "", ""}));
    EXPECT_NE(why.find("TlsVerificationFailed"), std::string::npos) << why;
    EXPECT_NE(refusal(ask(serve(authority_.server), {})).find("TlsVerificationFailed"), std::string::npos)
        << "the system's trust does not know our authority";
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, RefusesAServerOfAnotherName) {
    const std::string why =
        refusal(ask(serve(authority_.other_host_server), {authority_.ca.certificate_pem, "", "", ""}));
    EXPECT_NE(why.find("TlsVerificationFailed"), std::string::npos) << why;
    EXPECT_NE(why.find("mismatch"), std::string::npos) << why;
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, RefusesAServerWhoseCertificateHasExpired) {
    const std::string why = refusal(ask(serve(authority_.expired_server), {authority_.ca.certificate_pem, "", "", ""}));
    EXPECT_NE(why.find("TlsVerificationFailed"), std::string::npos) << why;
    EXPECT_NE(why.find("expired"), std::string::npos) << why;
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, RefusesASelfSignedServerUnlessItIsNamedAsTrusted) {
    const WallTime now = rig_.loop.wall_now();
    const std::chrono::hours hour(1);
    const Identity self = make_ca({"localhost", {}, {"localhost"}, {"127.0.0.1"}, now - hour, now + hour}).value();
    const std::string why = refusal(ask(serve(self), {authority_.ca.certificate_pem, "", "", ""}));
    EXPECT_NE(why.find("TlsVerificationFailed"), std::string::npos) << why;
    EXPECT_NE(why.find("self-signed"), std::string::npos) << why;
    const auto trusted = ask(serve(self), {self.certificate_pem, "", "", ""});
    EXPECT_TRUE(trusted.ok()) << trusted.error().message();
    EXPECT_EQ(handler_.arrived, 1);
}

TEST_P(TlsTest, ShowsItsCertificateWhichTellsTheServerWhoItIs) {
    const Endpoint endpoint = serve(authority_.server, authority_.ca.certificate_pem, ClientCertificate::Required);
    const auto response = ask(
        endpoint, {authority_.ca.certificate_pem, authority_.client.certificate_pem, authority_.client.key_pem, ""});
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->body, "alice,admins,all");
}

TEST_P(TlsTest, WithoutARequiredCertificateNoRequestReachesTheHandler) {
    const Endpoint endpoint = serve(authority_.server, authority_.ca.certificate_pem, ClientCertificate::Required);
    const auto response = ask(endpoint, {authority_.ca.certificate_pem, "", "", ""});
    ASSERT_FALSE(response.ok());
    if (GetParam() == Binding::Beast) {
        EXPECT_NE(refusal(response).find("TlsVerificationFailed"), std::string::npos) << refusal(response);
    }
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, ACertificateOfAnotherAuthorityIsRefusedAlsoWhereNoneIsRequired) {
    const Authority other(rig_.loop.wall_now());
    const Endpoint endpoint = serve(authority_.server, authority_.ca.certificate_pem, ClientCertificate::Optional);
    EXPECT_TRUE(ask(endpoint, {authority_.ca.certificate_pem, "", "", ""}).ok());
    EXPECT_FALSE(
        ask(endpoint, {authority_.ca.certificate_pem, other.client.certificate_pem, other.client.key_pem, ""}).ok());
    EXPECT_EQ(handler_.arrived, 1);
}

TEST_P(TlsTest, SaysWhatIsWrongWithPemThatCannotBeUsed) {
    const Endpoint endpoint = serve(authority_.server);
    const std::string ca = authority_.ca.certificate_pem;
    for (const TlsConfig& config : {TlsConfig{"nonsense", "", "", ""}, TlsConfig{ca, "nonsense", "nonsense", ""},
                                    TlsConfig{ca, authority_.client.certificate_pem, authority_.server.key_pem, ""},
                                    TlsConfig{ca, authority_.client.certificate_pem, "", ""}}) {
        const std::string why = refusal(ask(endpoint, config));
        EXPECT_NE(why.find("TlsConfigInvalid"), std::string::npos) << why;
    }
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, SaysConnectFailedWhereTheServerSpeaksNoTls) {
    Endpoint endpoint = rig_.serve(handler_);
    endpoint.scheme = Scheme::Https;
    const auto response = ask(endpoint, {authority_.ca.certificate_pem, "", "", ""});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason(), "ConnectFailed") << response.error().message();
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_P(TlsTest, CarriesLargeBodiesAndStreams) {
    Endpoint endpoint = serve(authority_.server);
    endpoint.tls = std::make_shared<TlsConfig>(TlsConfig{authority_.ca.certificate_pem, "", "", ""});
    const auto big = rig_.send({endpoint, "POST", "/echo", {}, std::string(5000000, 'a')});
    ASSERT_TRUE(big.ok()) << big.error().message();
    EXPECT_EQ(big->body.size(), 5000011U);
    const auto streamed = rig_.send({endpoint, "GET", "/stream?pieces=2000", {}, ""});
    ASSERT_TRUE(streamed.ok()) << streamed.error().message();
    EXPECT_EQ(streamed->body.size(), 20U + 270U + 900U * 4 + 1000U * 5);
}

INSTANTIATE_TEST_SUITE_P(Bindings, TlsTest, testing::Values(Binding::Beast, Binding::Cpprest),
                         [](const auto& test) { return to_string(test.param); });

TEST(Tls, VerifiesAnotherNameThanTheHostsIfToldTo) {
    RealRig rig(Binding::Beast);
    SampleHandler handler(rig.loop);
    const Authority authority(rig.loop.wall_now());
    const Identity& identity = authority.other_host_server;
    Endpoint endpoint = rig.serve(handler, ServerTls{identity.certificate_pem, identity.key_pem, "", {}});
    endpoint.tls = std::make_shared<TlsConfig>(TlsConfig{authority.ca.certificate_pem, "", "", "elsewhere.example"});
    const auto response = rig.send({endpoint, "GET", "/who", {}, ""});
    EXPECT_TRUE(response.ok()) << response.error().message();
}

TEST(Tls, ServesAnotherCertificateFromTheNextConnectionOn) {
    RealRig rig(Binding::Beast);
    SampleHandler handler(rig.loop);
    const Authority first(rig.loop.wall_now());
    const Authority second(rig.loop.wall_now());
    Endpoint endpoint = rig.serve(handler, ServerTls{first.server.certificate_pem, first.server.key_pem, "", {}});
    ASSERT_TRUE(rig.servers.back()->replace_tls({second.server.certificate_pem, second.server.key_pem, "", {}}).ok());
    endpoint.tls = std::make_shared<TlsConfig>(TlsConfig{second.ca.certificate_pem, "", "", ""});
    const auto response = rig.send({endpoint, "GET", "/who", {}, ""});
    EXPECT_TRUE(response.ok()) << response.error().message();
}

TEST(Tls, TakesAStreamThatEndsWithoutCloseNotifyForBroken) {
    RealRig rig(Binding::Beast);
    const Authority authority(rig.loop.wall_now());
    auto context = TlsContext::for_server({authority.server.certificate_pem, authority.server.key_pem, "", {}}).value();
    std::unique_ptr<RawServer> server;
    RawServer::Script script = [&](Connection& connection, int) {
        struct Steps {
            static Task<> run(RawServer& raw, Connection& line, std::shared_ptr<TlsContext> tls) {
                co_await line.start_tls(std::make_unique<TlsSession>(tls, line.socket()));
                const std::string request = co_await raw.read_request(line);
                co_await line.write({"HTTP/1.1 200 OK\r\n\r\nhalf"}, kForever);
                ::shutdown(line.socket(), SHUT_RDWR);
            }
        };
        return Steps::run(*server, connection, context);
    };
    server = std::make_unique<RawServer>(rig.loop, script);
    Endpoint endpoint = server->endpoint();
    endpoint.scheme = Scheme::Https;
    endpoint.tls = std::make_shared<TlsConfig>(TlsConfig{authority.ca.certificate_pem, "", "", ""});
    const auto response = rig.send({endpoint, "GET", "/", {}, ""});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason(), "ConnectionLost");
}

}  // namespace
}  // namespace atl::net
