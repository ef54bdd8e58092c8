#pragma once

#include <memory>
#include <string>

#include "operator/apiserver/server.h"
#include "operator/kube/credentials.h"
#include "test/sim/lossy_disk.h"
#include "test/sim/sim_network.h"

namespace atl::sweep {

/// The embedded API server on a disk in memory, behind the simulated network.
class ApiOnDisk {
public:
    ApiOnDisk(sim::SimLoop& loop, sim::SimNetwork& network, std::string host = "api");
    ~ApiOnDisk();
    void start();
    std::shared_ptr<kube::CredentialSource> credentials() const;

private:
    sim::SimLoop& loop_;
    sim::SimNetwork& network_;
    net::Endpoint endpoint_;
    sim::LossyDisk disk_;
    std::unique_ptr<apiserver::Server> server_;
};

}  // namespace atl::sweep
