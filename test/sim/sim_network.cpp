#include "test/sim/sim_network.h"

#include <deque>
#include <utility>

#include "operator/base/deadline.h"

namespace atl::sim {

namespace {

/// What a handler has written so far, shared between it and the reader at the other end.
struct Wire {
    SimLoop& loop;
    bool started = false;
    bool finished = false;
    bool broken = false;  // the server went away in the middle
    bool reader_gone = false;
    net::Response head;  // with the body, if it came by send()
    std::deque<std::string> pieces;
    std::function<void()> wake_reader;
    std::function<void()> wake_gone;

    void changed() {
        if (auto wake = std::exchange(wake_reader, nullptr)) loop.post(wake);
    }
    void leave() {
        reader_gone = true;
        if (auto wake = std::exchange(wake_gone, nullptr)) loop.post(wake);
    }
};

Task<> until_changed(std::shared_ptr<Wire> wire) {
    std::function<Cancel(Callback<Unit>)> start = [&wire](Callback<Unit> changed) -> Cancel {
        wire->wake_reader = [changed] { changed.resolve(ok()); };
        return {};
    };
    co_await await_callback<Unit>(start);
}

class SimWriter final : public net::ResponseWriter {
public:
    explicit SimWriter(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}

    Task<> send(net::Response response) override {
        wire_->head = std::move(response);
        wire_->started = wire_->finished = true;
        wire_->changed();
        co_return;
    }
    Task<> start(int status, net::Headers headers) override {
        wire_->head.status = status;
        wire_->head.headers = std::move(headers);
        wire_->started = true;
        wire_->changed();
        co_return;
    }
    Task<> write(std::shared_ptr<const std::string> piece) override {
        if (wire_->reader_gone) co_await fail(transient("ConnectionLost", "the peer has gone"));
        wire_->pieces.push_back(*piece);
        wire_->changed();
    }
    Task<> finish() override {
        wire_->finished = true;
        wire_->changed();
        co_return;
    }
    Task<> gone() override {
        if (wire_->reader_gone) co_return;
        std::function<Cancel(Callback<Unit>)> start = [this](Callback<Unit> left) -> Cancel {
            wire_->wake_gone = [left] { left.resolve(ok()); };
            return {};
        };
        co_await await_callback<Unit>(start);
    }

private:
    std::shared_ptr<Wire> wire_;
};

/// A handler at work on one request. Dropping it (the connection) drops the handler's task, soon.
class Exchange {
public:
    Exchange(SimLoop& loop, net::Handler& handler, net::ServerRequest request)
        : wire_(std::make_shared<Wire>(Wire{loop, false, false, false, false, {}, {}, {}, {}})),
          work_(std::make_shared<Work>(std::move(request), wire_)) {
        auto wire = wire_;
        work_->task = std::make_unique<RootTask<void>>(handler.serve(work_->request, work_->writer),
                                                       [wire](const Result<Unit>& result, const std::exception_ptr&) {
                                                           if (!wire->started && !result.ok()) {
                                                               wire->head.status = 500;
                                                               wire->head.body = result.error().message();
                                                               wire->started = true;
                                                           }
                                                           if (!wire->finished) wire->broken = !result.ok();
                                                           wire->finished = true;
                                                           wire->changed();
                                                       });
    }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange() {
        wire_->leave();
        wire_->loop.post([work = std::move(work_)]() mutable { work.reset(); });
    }
    void start() { work_->task->start(); }
    const std::shared_ptr<Wire>& wire() const { return wire_; }

private:
    struct Work {
        Work(net::ServerRequest request_in, std::shared_ptr<Wire> wire)
            : request(std::move(request_in)), writer(std::move(wire)) {}
        net::ServerRequest request;
        SimWriter writer;
        std::unique_ptr<RootTask<void>> task;
    };
    std::shared_ptr<Wire> wire_;
    std::shared_ptr<Work> work_;
};

class SimBody final : public net::BodyStream {
public:
    SimBody(SimNetwork& network, std::string endpoint, std::unique_ptr<Exchange> exchange, Duration idle)
        : network_(network),
          endpoint_(std::move(endpoint)),
          epoch_(network.epoch(endpoint_)),
          exchange_(std::move(exchange)),
          idle_(idle) {}

    Task<std::optional<std::string>> next() override {
        auto wire = exchange_->wire();
        const Instant silent_until = network_.loop().now() + idle_;
        while (wire->pieces.empty() && !wire->finished) {
            if (network_.epoch(endpoint_) != epoch_) co_await fail(transient("ConnectionLost", "connection reset"));
            if (network_.loop().now() >= silent_until) co_await fail(transient("IdleTimeout", "the stream was silent"));
            // Wakes at least each second, to see a server that was taken away.
            const Instant look = std::min(silent_until, network_.loop().now() + std::chrono::seconds(1));
            const auto woken = co_await with_deadline(network_.loop(), look, until_changed(wire), "reading").attempt();
            if (!woken.ok() && woken.error().reason() != "DeadlineExceeded") co_await fail(woken.error());
        }
        if (wire->pieces.empty()) {
            if (wire->broken) co_await fail(transient("ConnectionLost", "connection reset"));
            co_return std::nullopt;
        }
        std::string piece = std::move(wire->pieces.front());
        wire->pieces.pop_front();
        co_return piece;
    }

private:
    SimNetwork& network_;
    std::string endpoint_;
    std::uint64_t epoch_;
    std::unique_ptr<Exchange> exchange_;
    Duration idle_;
};

net::ServerRequest arriving(const net::Request& request) {
    net::ServerRequest arrived{request.method, request.target, request.headers, request.body, {}};
    arrived.peer.address = "simulated";
    return arrived;
}

Task<> wait_for_end(std::shared_ptr<Wire> wire) {
    while (!wire->finished) co_await until_changed(wire);
}

Task<> wait_for_head(std::shared_ptr<Wire> wire) {
    while (!wire->started && !wire->finished) co_await until_changed(wire);
}

}  // namespace

void SimNetwork::serve(const std::string& endpoint, net::Handler* handler) {
    ++epochs_[endpoint];
    if (handler == nullptr) {
        handlers_.erase(endpoint);
    } else {
        handlers_[endpoint] = handler;
    }
}

net::Handler* SimNetwork::find(const std::string& endpoint) const {
    const auto found = handlers_.find(endpoint);
    return found == handlers_.end() ? nullptr : found->second;
}

std::uint64_t SimNetwork::epoch(const std::string& endpoint) const {
    const auto found = epochs_.find(endpoint);
    return found == epochs_.end() ? 0 : found->second;
}

Task<> SimTransport::strike(const Call& call, Point point) {
    const Fault struck = fault ? fault(call, point) : Fault::None;
    if (struck == Fault::Crash) {
        if (crash) crash();
        co_await sleep_for(network_.loop(), std::chrono::hours(24 * 365));
    }
    if (struck == Fault::Reset) {
        co_await fail(transient(point == Point::BeforeSend ? "ConnectFailed" : "ConnectionLost", "connection reset"));
    }
}

Task<net::Response> SimTransport::send(net::Request request, net::Limits limits) {
    Call call{calls_++, std::move(request)};
    const std::string endpoint = call.request.endpoint.to_string();
    co_await strike(call, Point::BeforeSend);
    co_await sleep_for(network_.loop(), latency);
    net::Handler* handler = network_.find(endpoint);
    if (handler == nullptr) co_return transient("ConnectFailed", "connection refused by " + endpoint);
    co_await strike(call, Point::Received);
    Exchange exchange(network_.loop(), *handler, arriving(call.request));
    exchange.start();
    const std::string what = call.request.method + " " + call.request.target;
    co_await with_deadline(network_.loop(), limits.deadline, wait_for_end(exchange.wire()), what);
    co_await strike(call, Point::EffectDone);
    co_await sleep_for(network_.loop(), latency);
    co_await strike(call, Point::ResponseSent);
    net::Response response = exchange.wire()->head;
    for (const std::string& piece : exchange.wire()->pieces) response.body += piece;
    if (response.body.size() > limits.max_body) co_return invalid("BodyTooLarge", "the response is too large");
    co_return response;
}

Task<net::StreamResponse> SimTransport::open(net::Request request, net::Limits limits) {
    Call call{calls_++, std::move(request)};
    const std::string endpoint = call.request.endpoint.to_string();
    co_await strike(call, Point::BeforeSend);
    co_await sleep_for(network_.loop(), latency);
    net::Handler* handler = network_.find(endpoint);
    if (handler == nullptr) co_return transient("ConnectFailed", "connection refused by " + endpoint);
    co_await strike(call, Point::Received);
    auto exchange = std::make_unique<Exchange>(network_.loop(), *handler, arriving(call.request));
    exchange->start();
    auto wire = exchange->wire();
    const std::string what = call.request.method + " " + call.request.target;
    co_await with_deadline(network_.loop(), limits.deadline, wait_for_head(wire), what);
    co_await strike(call, Point::EffectDone);
    co_await strike(call, Point::ResponseSent);
    net::StreamResponse response;
    response.status = wire->head.status;
    response.headers = wire->head.headers;
    if (!wire->head.body.empty()) wire->pieces.push_front(std::move(wire->head.body));
    response.body = std::make_unique<SimBody>(network_, endpoint, std::move(exchange), limits.idle);
    co_return response;
}

}  // namespace atl::sim
