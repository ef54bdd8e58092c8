#include "operator/kube/kubeconfig.h"

#include <optional>
#include <utility>

#include <yaml-cpp/yaml.h>

#include "operator/base/base64.h"

namespace atl::kube {

namespace {

Error unusable(const std::string& message) {
    return invalid("InvalidKubeconfig", message);
}

Error refused(const std::string& user, const char* member, const char* instead) {
    return unsupported("UnsupportedKubeconfig", "user \"" + user + "\" of the kubeconfig has \"" + member +
                                                    "\", which is not supported: " + instead);
}

/// A member as text; empty if it is not there or not a scalar.
std::string text(const YAML::Node& node, const char* member) {
    if (!node.IsMap()) return {};
    const YAML::Node value = node[member];
    return value && value.IsScalar() ? value.Scalar() : std::string();
}

bool has(const YAML::Node& node, const char* member) {
    return node.IsMap() && node[member] && !node[member].IsNull();
}

/// A kubeconfig, or an entry of one, and the folder that its paths are relative to.
struct Part {
    YAML::Node node;
    std::string directory;
};

/// The entry of a list of named things ("clusters") with the name, in the first config that has it; its inner map
/// ("cluster").
std::optional<Part> find_entry(const std::vector<Part>& configs, const char* list, const char* inner,
                               const std::string& name) {
    for (const Part& config : configs) {
        const YAML::Node entries = config.node[list];
        if (!entries || !entries.IsSequence()) continue;
        for (const YAML::Node& entry : entries) {
            if (!entry.IsMap() || text(entry, "name") != name) continue;
            const YAML::Node value = entry[inner];
            return Part{value && value.IsMap() ? value : YAML::Node(YAML::NodeType::Map), config.directory};
        }
    }
    return std::nullopt;
}

std::string current_context(const std::vector<Part>& configs) {
    for (const Part& config : configs) {
        const std::string context = text(config.node, "current-context");
        if (!context.empty()) return context;
    }
    return {};
}

std::string resolve(const std::string& path, const std::string& directory) {
    return path.empty() || path.front() == '/' || directory.empty() ? path : directory + "/" + path;
}

Result<PemSource> pem(const YAML::Node& node, const std::string& member, const std::string& directory) {
    PemSource source;
    const std::string encoded = text(node, (member + "-data").c_str());
    if (encoded.empty()) {
        source.file = resolve(text(node, member.c_str()), directory);
        return source;
    }
    std::optional<std::string> decoded = decode_base64(encoded);
    if (!decoded) return unusable("\"" + member + "-data\" of the kubeconfig is not base64");
    source.data = std::move(*decoded);
    return source;
}

Result<Unit> read_cluster(const Part& part, ClientConfig& config) {
    const YAML::Node& cluster = part.node;
    if (text(cluster, "insecure-skip-tls-verify") == "true") {
        return unsupported(
            "UnsupportedKubeconfig",
            "the cluster of the kubeconfig has \"insecure-skip-tls-verify: true\", which is refused: give "
            "the server's CA as \"certificate-authority-data\"");
    }
    if (!text(cluster, "proxy-url").empty()) {
        return unsupported("UnsupportedKubeconfig",
                           "the cluster of the kubeconfig has \"proxy-url\", which is not supported");
    }
    config.server = text(cluster, "server");
    config.server_name = text(cluster, "tls-server-name");
    if (config.server.empty()) return unusable("the cluster of the kubeconfig has no \"server\"");
    Result<PemSource> authority = pem(cluster, "certificate-authority", part.directory);
    if (!authority.ok()) return authority.error();
    config.certificate_authority = std::move(authority).value();
    return ok();
}

Result<Unit> refuse_foreign(const YAML::Node& user, const std::string& name) {
    if (has(user, "exec"))
        return refused(name, "exec", "a plug-in would run with our rights; use a token or a client certificate");
    if (has(user, "auth-provider")) return refused(name, "auth-provider", "use a token or a client certificate");
    if (has(user, "username") || has(user, "password"))
        return refused(name, "username", "use a token or a client certificate");
    if (has(user, "as") || has(user, "as-groups")) return refused(name, "as", "impersonation is not supported");
    return ok();
}

Result<Unit> read_user(const Part& part, ClientConfig& config) {
    const YAML::Node& user = part.node;
    Result<PemSource> certificate = pem(user, "client-certificate", part.directory);
    if (!certificate.ok()) return certificate.error();
    Result<PemSource> key = pem(user, "client-key", part.directory);
    if (!key.ok()) return key.error();
    config.certificate = std::move(certificate).value();
    config.key = std::move(key).value();
    config.token = text(user, "token");
    config.token_file = resolve(text(user, "tokenFile"), part.directory);
    return ok();
}

Result<ClientConfig> read_context(const std::vector<Part>& configs, std::string context) {
    if (context.empty()) context = current_context(configs);
    if (context.empty()) return unusable("the kubeconfig has no \"current-context\", and none was named");
    const auto chosen = find_entry(configs, "contexts", "context", context);
    if (!chosen) return unusable("the kubeconfig has no context \"" + context + "\"");
    const std::string cluster_name = text(chosen->node, "cluster");
    const std::string user_name = text(chosen->node, "user");
    const auto cluster = find_entry(configs, "clusters", "cluster", cluster_name);
    if (!cluster)
        return unusable("the kubeconfig has no cluster \"" + cluster_name + "\", which context \"" + context +
                        "\" names");
    const auto user = find_entry(configs, "users", "user", user_name);
    if (!user && !user_name.empty()) {
        return unusable("the kubeconfig has no user \"" + user_name + "\", which context \"" + context + "\" names");
    }
    ClientConfig config;
    if (!text(chosen->node, "namespace").empty()) config.default_namespace = text(chosen->node, "namespace");
    Result<Unit> read = read_cluster(*cluster, config);
    if (read.ok() && user) read = refuse_foreign(user->node, user_name);
    if (read.ok() && user) read = read_user(*user, config);
    if (!read.ok()) return read.error();
    return config;
}

Result<YAML::Node> load(std::string_view text_in) {
    try {
        return YAML::Load(std::string(text_in));
    } catch (const YAML::Exception& error) {
        // Where, never what: the text holds secrets.
        return unusable("the kubeconfig is not YAML: line " + std::to_string(error.mark.line + 1));
    }
}

/// What is odd in a way that only shows on the way (a key that is no text) is as unusable as what is no YAML.
Result<ClientConfig> read_safely(const std::vector<Part>& configs, const std::string& context) {
    try {
        return read_context(configs, context);
    } catch (const YAML::Exception& error) {
        return unusable("the kubeconfig is not as it should be: line " + std::to_string(error.mark.line + 1));
    }
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

Result<ClientConfig> parse_kubeconfig(std::string_view text_in, const std::string& context,
                                      const std::string& directory) {
    const Result<YAML::Node> root = load(text_in);
    if (!root.ok()) return root.error();
    if (!root->IsMap()) return unusable("the kubeconfig is not a YAML map");
    return read_safely({Part{*root, directory}}, context);
}

Result<ClientConfig> merge_kubeconfigs(const std::vector<KubeconfigFile>& files, const std::string& context) {
    std::vector<Part> configs;
    std::string names;
    for (const KubeconfigFile& file : files) {
        const Result<YAML::Node> root = load(file.text);
        if (!root.ok()) return Error(root.error()).during(file.path);
        names += (names.empty() ? "" : ", ") + file.path;
        if (root->IsNull()) continue;
        if (!root->IsMap()) return unusable("the kubeconfig is not a YAML map").during(file.path);
        configs.push_back({*root, folder_of(file.path)});
    }
    auto config = read_safely(configs, context);
    if (!config.ok()) return Error(config.error()).during(names);
    return config;
}

}  // namespace atl::kube
