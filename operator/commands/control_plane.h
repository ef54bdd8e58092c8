#pragma once

#include <memory>
#include <string>

#include "operator/apiserver/server.h"
#include "operator/base/files.h"
#include "operator/commands/up.h"
#include "operator/kube/credentials.h"
#include "operator/net/http_server.h"

namespace atl::commands {

/// The embedded control plane on disk and on a socket: its data, certificates, token and kubeconfig.
class ControlPlane {
public:
    struct Outside {
        net::EventLoop& loop;
        Random& random;
        Files& files;
        Log log;
        /// Told of each write that every check has admitted, before it is stored; may be unset.
        std::function<void(const apiserver::AdmissionRequest& request)> on_admitted = {};
    };
    /// Opens (or makes) everything below the data directory and begins to listen. Errors name the file or address, and
    /// what to do.
    static Result<std::unique_ptr<ControlPlane>> open(const UpOptions& options, Outside outside);

    /// Access for our own client.
    std::shared_ptr<kube::CredentialSource> credentials() const;
    std::string url() const;
    /// Why nothing can be stored, and what to do; empty if all is well.
    std::string store_trouble() { return server_->store_trouble(); }
    /// Begins to answer; the kubeconfig is there once it does.
    Task<> start();
    Task<> stop(Duration grace);

private:
    explicit ControlPlane(Outside outside) : outside_(outside) {}
    Result<Unit> listen(const UpOptions& options);
    Result<Unit> write_kubeconfig();

    Outside outside_;
    std::string ca_pem_;
    std::string host_;
    std::string kubeconfig_;
    std::unique_ptr<apiserver::Server> server_;
    std::unique_ptr<net::HttpServer> http_;
};

}  // namespace atl::commands
