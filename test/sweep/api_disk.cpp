#include "test/sweep/api_disk.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

namespace atl::sweep {

namespace {

/// A name for SQLite's list of file systems, which the whole process shares.
std::string next_name() {
    static std::atomic<int> count{0};
    return "sweep-" + std::to_string(++count);
}

}  // namespace

ApiOnDisk::ApiOnDisk(sim::SimLoop& loop, sim::SimNetwork& network, std::string host)
    : loop_(loop),
      network_(network),
      endpoint_{net::Scheme::Http, std::move(host), 80, nullptr},
      disk_(next_name(), loop.random()) {}

ApiOnDisk::~ApiOnDisk() {
    network_.serve(endpoint_.to_string(), nullptr);
    loop_.run_for(std::chrono::seconds(2));  // what still holds on to the server goes first
    server_.reset();
}

void ApiOnDisk::start() {
    apiserver::ServerOptions options;
    options.data_directory = "data";
    options.vfs = disk_.name();
    options.writer_runs = apiserver::ServerOptions::WriterRuns::OnLoop;
    auto opened = apiserver::Server::open(options, {loop_, loop_.random(), loop_, disk_, Log::none()});
    if (!opened.ok()) throw std::runtime_error(opened.error().message());
    server_ = std::move(*opened);
    const auto started = sim::run(loop_, server_->start());
    if (!started.ok()) throw std::runtime_error(started.error().message());
    network_.serve(endpoint_.to_string(), &server_->handler());
}

std::shared_ptr<kube::CredentialSource> ApiOnDisk::credentials() const {
    kube::Access access;
    access.endpoint = endpoint_;
    access.authorization = "Bearer " + server_->admin_token();
    return std::make_shared<kube::FixedCredentials>(std::move(access));
}

}  // namespace atl::sweep
