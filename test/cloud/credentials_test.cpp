#include "cloud/credentials.h"

#include <gtest/gtest.h>

namespace atl::cloud {
namespace {

Account account() {
    Account account;
    account.secrets["engine"] = {{"ca.crt", "ca"}, {"tls.crt", "cert"}, {"tls.key", "key"}};
    account.secrets["half"] = {{"ca.crt", "ca"}, {"tls.key", ""}};
    return account;
}

TEST(Credentials, GivesEveryEngineTheTlsItNames) {
    Endpoint endpoint;
    endpoint.engines.resize(2);
    endpoint.engines[1].tls_secret = "engine";
    const auto result = with_credentials(endpoint, account());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->engines[0].where.tls, nullptr);
    EXPECT_EQ(result->engines[1].where.scheme, net::Scheme::Https);
    EXPECT_EQ(result->engines[1].where.tls->key_pem, "key");
}

TEST(Credentials, NamesTheSecretAndTheKeyThatIsMissing) {
    for (const auto& [secret, what] : {std::pair("half", "tls.crt"), {"none", "is not there"}}) {
        const auto result = tls_from(account(), secret);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().error_class(), ErrorClass::Credentials);
        EXPECT_NE(result.error().message().find(what), std::string::npos) << result.error().message();
    }
}

}  // namespace
}  // namespace atl::cloud
