#include "operator/commands/access.h"

#include "operator/kube/kubeconfig.h"

namespace atl::commands {

namespace {

Result<kube::ClientConfig> config_of(const std::string& path, Files& files, const Environment& environment) {
    std::string file = path;
    if (file.empty()) file = environment.get("KUBECONFIG").value_or("");
    if (file.empty()) {
        return kube::in_cluster_config(files, kube::kServiceAccountDirectory,
                                       environment.get("KUBERNETES_SERVICE_HOST").value_or(""),
                                       environment.get("KUBERNETES_SERVICE_PORT").value_or(""));
    }
    const auto text = files.read(file);
    if (!text.ok()) return text.error();
    const std::size_t slash = file.rfind('/');
    auto config = kube::parse_kubeconfig(*text, "", slash == std::string::npos ? "." : file.substr(0, slash));
    if (!config.ok()) return Error(config.error()).during(file);
    return config;
}

}  // namespace

Result<std::shared_ptr<kube::CredentialSource>> find_access(const std::string& path, Files& files,
                                                            const Environment& environment, const Clock& clock) {
    auto config = config_of(path, files, environment);
    if (!config.ok()) return config.error();
    return kube::make_credentials(std::move(*config), files, clock);
}

}  // namespace atl::commands
