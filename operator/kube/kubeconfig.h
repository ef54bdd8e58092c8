#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/result.h"
#include "operator/kube/credentials.h"

namespace atl {
class Files;
}

namespace atl::kube {

/// Where a file gets its access from, before any file that it names is read. Exactly one of data and file is set, or
/// neither.
struct PemSource {
    std::string data;
    std::string file;
};

/// One context of a kubeconfig, or the account of a pod.
struct ClientConfig {
    std::string server;  ///< URL
    std::string server_name;
    std::string default_namespace = "default";
    PemSource certificate_authority;
    PemSource certificate;
    PemSource key;
    std::string token;
    std::string token_file;
};

/// Reads a kubeconfig (YAML or JSON). `context` empty: current-context. Paths in it are taken relative to `directory`.
///
/// What we do not do is refused, naming the entry: exec plugins, auth-provider, username and password,
/// insecure-skip-tls-verify, impersonation, proxy-url (reason UnsupportedKubeconfig). Messages never hold a secret.
Result<ClientConfig> parse_kubeconfig(std::string_view text, const std::string& context, const std::string& directory);

/// A kubeconfig that was read; paths in it are relative to the folder of `path`.
struct KubeconfigFile {
    std::string path;
    std::string text;
};

/// Several kubeconfigs as one, as kubectl merges those of $KUBECONFIG: the first file that sets current-context decides
/// it, and so does the first that has a context, cluster or user of a name. An empty file adds nothing. A file that
/// cannot be read as a kubeconfig is an error that names it.
Result<ClientConfig> merge_kubeconfigs(const std::vector<KubeconfigFile>& files, const std::string& context);

/// The service account of the pod that we run in: token, CA and namespace from files in `directory`, host and port
/// from the environment (KUBERNETES_SERVICE_HOST and _PORT). A Credentials error (NotInCluster) if there is none.
inline constexpr char kServiceAccountDirectory[] = "/var/run/secrets/kubernetes.io/serviceaccount";
Result<ClientConfig> in_cluster_config(Files& files, const std::string& directory, const std::string& host,
                                       const std::string& port);

/// Access by the config: files are read now and again each minute, and at once after a 401. An Invalid error if the
/// URL or a pair of certificate and key makes no sense.
Result<std::shared_ptr<CredentialSource>> make_credentials(ClientConfig config, Files& files, const Clock& clock);

}  // namespace atl::kube
