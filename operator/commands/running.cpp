#include "operator/commands/running.h"

#include <cstdio>

#include <malloc.h>

#include "operator/commands/back_ends.h"
#include "operator/commands/probe_handler.h"

namespace atl::commands {

namespace {

void write_line(const std::string& line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
}

// glibc raises these two with the largest block it has seen, and then keeps what it should give back: after the start
// that was three times of what is in use.
void give_memory_back() {
    constexpr int kMegabyte = 1024 * 1024;
    mallopt(M_MMAP_THRESHOLD, kMegabyte);
    mallopt(M_TRIM_THRESHOLD, kMegabyte);
}

}  // namespace

Running::Running(LogLevel log_level)
    : log(loop, log_level, write_line),
      transport(loop),
      registry(back_ends()),
      spawner_(std::make_unique<Spawner>(loop, [this](const std::string& name, const Error& error, bool) {
          log.error("Stopping", {{key::kName, name}, {key::kError, error.message()}});
          stop(1);
      })) {
    give_memory_back();
}

Running::~Running() {
    spawner_.reset();
    process.reset();
}

OperatorProcess::Outside Running::outside() {
    return {loop, loop, random, transport, metrics, log, registry};
}

kube::ClientOptions Running::client_options() {
    kube::ClientOptions options;
    options.on_request = [this](const kube::RequestSample& request) { record(metrics, request); };
    return options;
}

int Running::run(std::string name, Task<> work, std::function<Task<>()> wind_down) {
    spawner_->start(std::move(name), std::move(work));
    loop.on_stop_signal([this, wind_down = std::move(wind_down)](int) {
        if (stopping_) return;
        stopping_ = true;
        spawner_->start("stop", wind_down());
    });
    loop.run();
    return code_;
}

void Running::stop(int code) {
    code_ = code;
    loop.stop();
}

}  // namespace atl::commands
