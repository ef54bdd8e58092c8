#include "operator/kube/kubeconfig.h"

#include <map>

#include <gtest/gtest.h>

#include "operator/base/files.h"
#include "test/sim/sim_loop.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;

class FileMap final : public Files {
public:
    std::map<std::string, std::string> files;
    int reads = 0;
    Result<std::string> read(const std::string& path) override {
        ++reads;
        const auto found = files.find(path);
        if (found == files.end()) return invalid("FileNotFound", "no file \"" + path + "\"");
        return found->second;
    }
    Result<Unit> write(const std::string& path, const std::string& content) override {
        files[path] = content;
        return ok();
    }
    Result<Unit> make_private_directory(const std::string&) override { return ok(); }
    Result<Unit> remove(const std::string&) override { return ok(); }
    Result<std::vector<std::string>> list(const std::string&) override { return std::vector<std::string>(); }
    bool exists(const std::string& path) override { return files.contains(path); }
};

constexpr char kConfig[] = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: one, user: me, namespace: shop}}
- {name: files, context: {cluster: two, user: filed}}
- {name: dangling, context: {cluster: one, user: nobody}}
clusters:
- {name: one, cluster: {server: "https://10.0.0.1:6443", certificate-authority-data: Q0E=, tls-server-name: api}}
- {name: two, cluster: {server: "https://[::1]", certificate-authority: ca.pem}}
users:
- {name: me, user: {token: s3cr3t}}
- {name: filed, user: {client-certificate: cert.pem, client-key: /abs/key.pem, tokenFile: token}}
)";

std::string with_user(const std::string& user) {
    return "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
           "clusters: [{name: k, cluster: {server: 'https://a'}}]\nusers: [{name: u, user: " +
           user + "}]\n";
}

struct KubeconfigTest : testing::Test {
    FileMap files;
    sim::SimLoop loop;
};

TEST_F(KubeconfigTest, ReadsInlineData) {
    const ClientConfig config = parse_kubeconfig(kConfig, "", "/home").value();
    EXPECT_EQ(config.default_namespace, "shop");
    const Access access = make_credentials(config, files, loop).value()->current().value();
    EXPECT_EQ(access.endpoint.to_string(), "https://10.0.0.1:6443");
    EXPECT_EQ(access.endpoint.tls->ca_pem, "CA");
    EXPECT_EQ(access.endpoint.tls->server_name, "api");
    EXPECT_EQ(access.authorization, "Bearer s3cr3t");
    EXPECT_EQ(files.reads, 0);
}

TEST_F(KubeconfigTest, ReadsFilesRelativeToItsOwnPlaceAndTheTokenAgainEachMinute) {
    files.files = {
        {"/home/ca.pem", "CA"}, {"/home/cert.pem", "CERT"}, {"/abs/key.pem", "KEY"}, {"/home/token", "t1\n"}};
    const auto credentials = make_credentials(parse_kubeconfig(kConfig, "files", "/home").value(), files, loop).value();
    const Access access = credentials->current().value();
    EXPECT_EQ(access.endpoint.host, "::1");
    EXPECT_EQ(access.endpoint.port, 443);
    EXPECT_EQ(access.endpoint.tls->certificate_pem, "CERT");
    EXPECT_EQ(access.endpoint.tls->key_pem, "KEY");
    EXPECT_EQ(access.authorization, "Bearer t1");
    files.files["/home/token"] = "t2";
    loop.run_for(30s);
    EXPECT_EQ(credentials->current().value().authorization, "Bearer t1");
    loop.run_for(31s);
    EXPECT_EQ(credentials->current().value().authorization, "Bearer t2");
    files.files["/home/ca.pem"] = "CA2";
    files.files["/home/cert.pem"] = "CERT2";
    EXPECT_EQ(credentials->current().value().endpoint.tls->ca_pem, "CA");
    loop.run_for(61s);
    EXPECT_EQ(credentials->current().value().endpoint.tls->ca_pem, "CA2") << "authorities are rotated too";
    EXPECT_EQ(credentials->current().value().endpoint.tls->certificate_pem, "CERT2");
    files.files["/home/token"] = "t3";
    credentials->refused();
    EXPECT_EQ(credentials->current().value().authorization, "Bearer t3") << "at once after a refusal";
    files.files.erase("/home/token");
    loop.run_for(2min);
    EXPECT_EQ(credentials->current().value().authorization, "Bearer t3") << "a file that is being replaced";
    credentials->refused();
    ASSERT_FALSE(credentials->current().ok());
    EXPECT_EQ(credentials->current().error().error_class(), ErrorClass::Credentials);
}

TEST_F(KubeconfigTest, RefusesWhatItCannotDoWithAReason) {
    struct Row {
        std::string text;
        const char* reason;
        const char* says;
    };
    const std::string insecure =
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: ''}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://a', insecure-skip-tls-verify: true}}]\n";
    const Row rows[] = {
        {with_user("{exec: {command: aws}}"), "UnsupportedKubeconfig", "\"exec\""},
        {with_user("{auth-provider: {name: gcp}}"), "UnsupportedKubeconfig", "\"auth-provider\""},
        {with_user("{username: admin, password: hunter2}"), "UnsupportedKubeconfig", "\"username\""},
        {with_user("{token: x, as: root}"), "UnsupportedKubeconfig", "\"as\""},
        {insecure, "UnsupportedKubeconfig", "insecure-skip-tls-verify"},
        {with_user("{client-certificate-data: '%%%', token: hunter2}"), "InvalidKubeconfig", "client-certificate-data"},
        {"", "InvalidKubeconfig", "not a YAML map"},
        {"a: [", "InvalidKubeconfig", "line"},
        {"a: b", "InvalidKubeconfig", "current-context"},
        {"current-context: x", "InvalidKubeconfig", "no context \"x\""},
        {"current-context: x\ncontexts: {x: 1}", "InvalidKubeconfig", "no context \"x\""},
    };
    for (const Row& row : rows) {
        const auto config = parse_kubeconfig(row.text, "", "");
        ASSERT_FALSE(config.ok()) << row.text;
        EXPECT_EQ(config.error().reason(), row.reason) << row.text;
        EXPECT_NE(config.error().message().find(row.says), std::string::npos) << config.error().message();
        EXPECT_EQ(config.error().message().find("hunter2"), std::string::npos) << "a secret";
    }
    EXPECT_NE(parse_kubeconfig(kConfig, "dangling", "").error().message().find("\"nobody\""), std::string::npos);
}

TEST_F(KubeconfigTest, RefusesServersThatMakeNoSense) {
    for (const char* server : {"", "a:1", "ftp://a", "https://", "https://a:0", "https://a:99999", "https://a:x",
                               "https://a/path", "http://a"}) {
        ClientConfig config;
        config.server = server;
        config.token = "t";
        EXPECT_FALSE(make_credentials(config, files, loop).ok()) << server;
    }
    ClientConfig half;
    half.server = "https://a";
    half.certificate.data = "CERT";
    EXPECT_FALSE(make_credentials(half, files, loop).ok()) << "a certificate without its key";
}

TEST_F(KubeconfigTest, FindsTheServiceAccountOfThePod) {
    files.files = {{"/sa/token", "t"}, {"/sa/ca.crt", "CA"}, {"/sa/namespace", "atoll-system\n"}};
    const ClientConfig config = in_cluster_config(files, "/sa", "fd00::1", "443").value();
    EXPECT_EQ(config.default_namespace, "atoll-system");
    const Access access = make_credentials(config, files, loop).value()->current().value();
    EXPECT_EQ(access.endpoint.host, "fd00::1");
    EXPECT_EQ(access.endpoint.tls->ca_pem, "CA");
    EXPECT_EQ(in_cluster_config(files, "/sa", "", "").error().reason(), "NotInCluster");
    EXPECT_EQ(in_cluster_config(files, "/none", "a", "1").error().reason(), "NotInCluster");
}

}  // namespace
}  // namespace atl::kube
