#include "operator/commands/access.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/operator/commands/memory_files.h"

namespace atl::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MapEnvironment final : public Environment {
public:
    explicit MapEnvironment(std::map<std::string, std::string> values) : values_(std::move(values)) {}
    std::optional<std::string> get(const std::string& name) const override {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::map<std::string, std::string> values_;
};

/// A kubeconfig with one context, whose names end with `name`, for the server of that name.
std::string config_for(const std::string& name, const std::string& current) {
    return "current-context: \"" + current + "\"\ncontexts: [{name: " + name + ", context: {cluster: c-" + name +
           ", user: u-" + name + "}}]\nclusters: [{name: c-" + name + ", cluster: {server: 'https://" + name +
           "', certificate-authority: ca.pem}}]\nusers: [{name: u-" + name + ", user: {token: t-" + name + "}}]\n";
}

const std::map<std::string, std::string> kFiles = {
    {"/given", config_for("given", "given")},
    {"/a/config", config_for("a", "")},
    {"/b/config", config_for("b", "b")},
    {"/c/config", config_for("c", "c")},
    {"/empty", ""},
    {"/broken", "a: [secret-word"},
    {"/me/.kube/config", config_for("home", "home")},
    {"/var/run/secrets/kubernetes.io/serviceaccount/token", "t"},
};

std::string server_of(const std::string& path, std::map<std::string, std::string> environment) {
    MemoryFiles files(kFiles);
    const auto config = find_config(path, files, MapEnvironment(std::move(environment)));
    return config.ok() ? config->server : config.error().message();
}

TEST(Access, AnOptionBeatsTheEnvironmentThatTheHomeAndThatThePod) {
    const std::string pod = "KUBERNETES_SERVICE_HOST";
    const std::string port = "KUBERNETES_SERVICE_PORT";
    EXPECT_EQ(server_of("/given", {{"KUBECONFIG", "/b/config"}, {"HOME", "/me"}}), "https://given");
    EXPECT_EQ(server_of("", {{"KUBECONFIG", "/b/config"}, {"HOME", "/me"}}), "https://b");
    EXPECT_EQ(server_of("", {{"KUBECONFIG", ""}, {"HOME", "/me"}, {pod, "10.0.0.1"}, {port, "443"}}), "https://home");
    EXPECT_EQ(server_of("", {{"HOME", "/nobody"}, {pod, "10.0.0.1"}, {port, "443"}}), "https://10.0.0.1:443");
}

TEST(Access, OfSeveralFilesTheFirstWithACurrentContextDecides) {
    EXPECT_EQ(server_of("", {{"KUBECONFIG", "/a/config:/b/config:/c/config"}}), "https://b");
    EXPECT_EQ(server_of("", {{"KUBECONFIG", "/c/config:/b/config"}}), "https://c");
    EXPECT_EQ(server_of("", {{"KUBECONFIG", ":/missing:/empty:/b/config:"}}), "https://b")
        << "passed over as by kubectl";
}

TEST(Access, EntriesComeFromTheFirstFileThatHasThemAndPathsAreThoseOfTheirFile) {
    // The context is set in the first file and found in the last one, whose folder is that of the CA.
    MemoryFiles files({{"/first/config", "current-context: c\nclusters: [{name: c-x, cluster: {server: 'https://x'}}]"},
                       {"/b/config", config_for("b", "b")},
                       {"/c/config", config_for("c", "c")},
                       {"/again/config", config_for("c", "c") + "apiVersion: v1\n"}});
    const auto config =
        find_config("", files, MapEnvironment({{"KUBECONFIG", "/first/config:/b/config:/c/config:/again/config"}}));
    ASSERT_TRUE(config.ok()) << config.error().message();
    EXPECT_EQ(config->server, "https://c");
    EXPECT_EQ(config->token, "t-c");
    EXPECT_EQ(config->certificate_authority.file, "/c/ca.pem");
}

TEST(Access, WhoHasNoneIsToldWhereTheOneOfAtollUpIs) {
    EXPECT_EQ(server_of("", {{"HOME", "/nobody"}}),
              "no kubeconfig: neither --kubeconfig nor KUBECONFIG is given, /nobody/.kube/config does not exist, and "
              "this is no pod; `atoll up` writes one to /nobody/.local/share/atoll/kubeconfig; set "
              "KUBECONFIG=/nobody/.local/share/atoll/kubeconfig");
    EXPECT_THAT(server_of("", {{"HOME", "/nobody"}, {"ATOLL_KUBECONFIG", "/b/config"}}),
                HasSubstr("`atoll up` has written one; set KUBECONFIG=/b/config"));
    EXPECT_THAT(server_of("", {{"HOME", "/me"}, {"KUBECONFIG", "/x:/y"}}),
                AllOf(HasSubstr("of what KUBECONFIG lists (/x:/y) no file exists"), HasSubstr("atoll up")))
        << "what was asked for by name is never replaced by another server";
}

TEST(Access, AFaultyFileIsNamedAndNothingOfItIsShown) {
    EXPECT_THAT(server_of("/missing", {{"HOME", "/me"}}), HasSubstr("/missing"));
    EXPECT_THAT(server_of("", {{"KUBECONFIG", "/b/config:/broken"}}),
                AllOf(HasSubstr("/broken: the kubeconfig is not YAML"), Not(HasSubstr("secret-word"))));
    EXPECT_THAT(server_of("", {{"KUBECONFIG", "/a/config"}}), HasSubstr("has no \"current-context\""));
}

}  // namespace
}  // namespace atl::commands
