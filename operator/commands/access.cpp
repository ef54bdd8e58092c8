#include "operator/commands/access.h"

#include <algorithm>
#include <vector>

#include "operator/commands/up.h"

namespace atl::commands {

namespace {

std::string value(const Environment& environment, const char* name) {
    return environment.get(name).value_or("");
}

std::vector<std::string> paths_of(const std::string& list) {
    std::vector<std::string> paths;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t to = std::min(list.find(':', from), list.size());
        if (to > from) paths.push_back(list.substr(from, to - from));
        from = to + 1;
    }
    return paths;
}

Result<kube::ClientConfig> read_file(const std::string& path, Files& files, const std::string& context = "") {
    const auto text = files.read(path);
    if (!text.ok()) return text.error();
    return kube::merge_kubeconfigs({{path, *text}}, context);
}

/// What `atoll up` has written, or would write: what a person without a kubeconfig most likely wants.
std::string hint(Files& files, const Environment& environment) {
    std::string path = value(environment, "ATOLL_KUBECONFIG");
    if (path.empty()) path = default_up_options(environment).kubeconfig;
    return (files.exists(path) ? "`atoll up` has written one" : "`atoll up` writes one to " + path) +
           "; set KUBECONFIG=" + path;
}

Result<kube::ClientConfig> read_list(const std::string& list, Files& files, const Environment& environment) {
    std::vector<kube::KubeconfigFile> read;
    for (const std::string& path : paths_of(list)) {
        if (!files.exists(path)) continue;
        auto text = files.read(path);
        if (!text.ok()) return text.error();
        read.push_back({path, *std::move(text)});
    }
    if (!read.empty()) return kube::merge_kubeconfigs(read, "");
    return invalid("NoKubeconfig", "no kubeconfig: of what KUBECONFIG lists (" + list + ") no file exists; " +
                                       hint(files, environment));
}

}  // namespace

Result<kube::ClientConfig> find_config(const std::string& path, Files& files, const Environment& environment) {
    if (!path.empty()) return read_file(path, files);
    const std::string list = value(environment, "KUBECONFIG");
    if (!paths_of(list).empty()) return read_list(list, files, environment);
    const std::string home = value(environment, "HOME");
    const std::string usual = home + "/.kube/config";
    if (!home.empty() && files.exists(usual)) return read_file(usual, files);
    const std::string host = value(environment, "KUBERNETES_SERVICE_HOST");
    const std::string port = value(environment, "KUBERNETES_SERVICE_PORT");
    if (!host.empty()) return kube::in_cluster_config(files, kube::kServiceAccountDirectory, host, port);
    return invalid("NoKubeconfig", "no kubeconfig: neither --kubeconfig nor KUBECONFIG is given, " + usual +
                                       " does not exist, and this is no pod; " + hint(files, environment));
}

Result<std::shared_ptr<kube::CredentialSource>> find_access(const std::string& path, Files& files,
                                                            const Environment& environment, const Clock& clock) {
    auto config = find_config(path, files, environment);
    if (!config.ok()) return config.error();
    return kube::make_credentials(*std::move(config), files, clock);
}

Result<kube::ClientConfig> read_config(const std::string& file_and_context, Files& files) {
    const std::size_t colon = file_and_context.rfind(':');
    const bool is_file = colon == std::string::npos || files.exists(file_and_context);
    if (is_file) return read_file(file_and_context, files);
    return read_file(file_and_context.substr(0, colon), files, file_and_context.substr(colon + 1));
}

}  // namespace atl::commands
