#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operator/commands/up.h"

namespace atl::commands {

/// What `atoll operator` is told.
struct OperatorOptions {
    std::string kubeconfig;  ///< empty: see find_config()
    std::string name_space = "atoll-system";
    std::string health_address = "0.0.0.0";  ///< of /metrics, /healthz and /readyz: the kubelet asks from outside
    std::uint16_t health_port = 8081;
    std::uint16_t webhook_port = 0;     ///< of the validating webhook; 0: none
    std::string webhook_service;        ///< name of the Service in front of it
    std::string webhook_configuration;  ///< name of the ValidatingWebhookConfiguration that gets its CA
    std::uint16_t shards = 0;           ///< all replicas work, each on its share of so many shards; 0: one leads
    LogLevel log_level = LogLevel::Info;
};
/// Runs the controllers against an API server, as one of several replicas, until SIGTERM, SIGINT or the loss of the
/// lease. Returns the exit code: 1 if the lease was lost or the server cannot be reached as configured.
int run_operator(const OperatorOptions& options);

/// What `atoll plan` is told.
struct PlanOptions {
    std::vector<std::string> files;  ///< manifests, or folders of them
    std::string kubeconfig;          ///< empty: see find_config()
    std::string name_space = "atoll-system";
};
/// Prints what an apply of the manifests would change and why; changes nothing. Returns 0 for no change, 1 for an
/// error, 2 for changes.
int plan(const PlanOptions& options);

/// What `atoll describe` is told.
struct DescribeOptions {
    std::string kubeconfig;  ///< empty: see find_config()
    std::string name_space;  ///< empty: all namespaces
};
/// Prints what is wrong, then the tree of Clusters, Machines, Stacks, ServiceInstances and containers. Returns 1 if the
/// objects cannot be read, else 0.
int describe(const DescribeOptions& options);

/// Looks whether Clusters, Stacks or ServiceInstances are left anywhere, for which the operator still has to clean up.
/// Returns 0 if none is, 2 with their names if some are, 1 if the server cannot be asked.
int guard(const std::string& kubeconfig);

/// What `atoll check` is told.
struct CheckOptions {
    std::string kubeconfig;                   ///< empty: see find_config()
    std::string name_space = "atoll-system";  ///< of the Lease
};
/// Looks whether an operator is at work: the server knows our kinds, and somebody holds the Lease and renews it.
/// Returns 0 if so, 2 with what is missing if not, 1 if the server cannot be asked.
int check(const CheckOptions& options);

/// What `atoll orphans` is told.
struct OrphansOptions {
    std::string kubeconfig;                   ///< empty: $KUBECONFIG, else the service account of the pod
    std::string name_space = "atoll-system";  ///< of the installation's Secret
    std::vector<std::string> hosts;           ///< engines to look at besides those of the Clusters
    std::vector<std::string> to_remove;       ///< ids, as printed
};
/// Lists what carries this installation's mark though the API server has no such owner, and removes what is named.
/// Returns 0 if nothing is (left), 2 if something is, 1 for an error, or if an engine could not be looked at.
int orphans(const OrphansOptions& options);

/// What `atoll move` is told.
struct MoveOptions {
    enum class Kind { Move, Preview };
    std::string from;        ///< FILE or FILE:CONTEXT
    std::string to;          ///< the same
    std::string name_space;  ///< empty: that of the source's context
    bool all_namespaces = false;
    std::string installation_namespace = "atoll-system";
    std::uint32_t patience = 60;  ///< seconds
    Kind kind = Kind::Move;
};
/// Moves our objects from one API server to another; nothing in a cloud changes. May be repeated after any end. Returns
/// 0 once all is moved, 1 for an error.
int move(const MoveOptions& options);

/// Prints the matrix of infrastructures and orchestrators.
int matrix();
/// Prints the definitions of our kinds as YAML, for `kubectl apply -f -`.
int crds();
/// "atoll VERSION".
std::string version_text();
/// Prints version_text().
int version();

/// The same, of the process's own environment.
UpOptions default_up_options();

}  // namespace atl::commands
