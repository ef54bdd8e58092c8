#include "operator/net/cpprest_transport.h"

#include <gtest/gtest.h>

#include "test/operator/net/real_loop.h"

namespace atl::net {
namespace {

class CpprestTransportTest : public testing::Test {
protected:
    Result<Response> send(Request request) {
        return run(loop_, transport_.send(std::move(request), {loop_.now() + std::chrono::seconds(5)}));
    }
    EventLoop loop_;
    CpprestTransport transport_{loop_, loop_};
    const Endpoint nobody_{Scheme::Http, "127.0.0.1", 1, nullptr};
};

TEST_F(CpprestTransportTest, RefusesWhatTheLibraryCannotDoBeforeAnythingIsSent) {
    const Endpoint unix_socket{Scheme::Unix, "/run/engine.sock", 0, nullptr};
    EXPECT_EQ(send({unix_socket, "GET", "/", {}, ""}).error().error_class(), ErrorClass::Unsupported);
    TlsConfig tls;
    tls.server_name = "elsewhere.example";
    const Endpoint renamed{Scheme::Https, "127.0.0.1", 1, std::make_shared<const TlsConfig>(tls)};
    EXPECT_EQ(send({renamed, "GET", "/", {}, ""}).error().error_class(), ErrorClass::Unsupported);
    const auto other_host = send({nobody_, "GET", "/", {{"Host", "elsewhere.example"}}, ""});
    EXPECT_EQ(other_host.error().error_class(), ErrorClass::Unsupported)
        << "it would be the name that the certificate must have";
    const auto stream = run(loop_, transport_.open({nobody_, "GET", "/", {}, ""}, {loop_.now()}));
    EXPECT_EQ(stream.error().error_class(), ErrorClass::Unsupported);
}

TEST_F(CpprestTransportTest, TakesItsOwnHostHeader) {
    for (const char* host : {"127.0.0.1", "127.0.0.1:1"}) {
        EXPECT_EQ(send({nobody_, "GET", "/", {{"Host", host}}, ""}).error().reason(), "ConnectFailed") << host;
    }
}

TEST_F(CpprestTransportTest, RefusesATargetThatIsNoUri) {
    EXPECT_EQ(send({nobody_, "GET", "/a b", {}, ""}).error().reason(), "MalformedRequest");
}

}  // namespace
}  // namespace atl::net
