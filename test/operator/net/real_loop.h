#pragma once

#include <functional>
#include <optional>
#include <string>

#include "operator/base/root_task.h"
#include "operator/net/certificates.h"
#include "operator/net/event_loop.h"
#include "operator/net/server.h"
#include "operator/net/transport.h"

namespace atl::net {

/// Runs the loop until the predicate holds, looking each millisecond; false if that takes longer than the limit.
bool run_until(EventLoop& loop, const std::function<bool()>& predicate, Duration limit = std::chrono::seconds(10));
/// Runs the loop for so long.
void run_for(EventLoop& loop, Duration duration);

/// Runs one task to its end on the loop and gives its result; an error with the reason "Stuck" if it takes longer.
template <class T>
Result<typename Task<T>::Value> run(EventLoop& loop, Task<T> task, Duration limit = std::chrono::seconds(20)) {
    std::optional<Result<typename Task<T>::Value>> outcome;
    RootTask<T> root(std::move(task), [&](auto result, const std::exception_ptr&) {
        outcome.emplace(std::move(result));
        loop.stop();
    });
    root.start();
    run_until(loop, [&] { return outcome.has_value(); }, limit);
    if (!outcome) return transient("Stuck", "the task did not end within the limit");
    return std::move(*outcome);
}

/// A certificate authority, and what it signed: a server "localhost"/127.0.0.1 and a client "alice" of "admins".
struct Authority {
    explicit Authority(WallTime now);
    Identity ca;
    Identity server;
    Identity client;
    Identity expired_server;
    Identity other_host_server;
};

/// A Handler made of a function.
class FunctionHandler final : public Handler {
public:
    using Serve = std::function<Task<>(const ServerRequest&, ResponseWriter&)>;
    explicit FunctionHandler(Serve serve) : serve_(std::move(serve)) {}
    Task<> serve(const ServerRequest& request, ResponseWriter& writer) override { return serve_(request, writer); }

private:
    Serve serve_;
};

/// "/echo" answers with method, target and body; "/stream?pieces=N" streams N pieces "0\n", "1\n", …; "/silent" never
/// answers; "/quiet" streams one piece and then nothing; "/ticks" one piece every 50 ms for ever; "/fail" fails;
/// "/who" tells the peer; "/big?bytes=N" so many bytes; "/status?code=N" an empty answer with this status.
class SampleHandler final : public Handler {
public:
    explicit SampleHandler(Clock& clock) : clock_(clock) {}
    SampleHandler(const SampleHandler&) = delete;
    SampleHandler& operator=(const SampleHandler&) = delete;
    Task<> serve(const ServerRequest& request, ResponseWriter& writer) override;

private:
    struct Counts {
        int arrived = 0;
        int running = 0;
    };
    Task<> respond(const ServerRequest& request, ResponseWriter& writer);
    Clock& clock_;
    // Shared with those that run, which may be dropped after this handler.
    std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();

public:
    int& arrived = counts_->arrived;
    /// Handlers that run now.
    int& running = counts_->running;
};

}  // namespace atl::net
