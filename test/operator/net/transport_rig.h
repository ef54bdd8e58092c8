#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/net/http_server.h"
#include "test/operator/net/real_loop.h"

namespace atl::net {

/// The bindings of Transport that must behave alike.
enum class Binding { Sim, Beast, Cpprest };
std::string to_string(Binding binding);

/// A transport of one binding, a loop that drives it, and servers that it can reach.
class TransportRig {
public:
    static std::unique_ptr<TransportRig> make(Binding binding);
    virtual ~TransportRig() = default;

    virtual Transport& transport() = 0;
    virtual Clock& clock() = 0;
    /// Serves the handler, over TLS if `tls` is set (not simulated), until the rig ends.
    virtual Endpoint serve(Handler& handler, std::optional<ServerTls> tls = {}) = 0;
    virtual bool run_until(const std::function<bool()>& predicate, Duration limit = std::chrono::seconds(10)) = 0;

    Limits limits(Duration deadline = std::chrono::seconds(10)) {
        return {clock().now() + deadline, std::chrono::seconds(10)};
    }
    Result<Response> send(Request request) { return run(transport().send(std::move(request), limits())); }

    template <class T>
    Result<typename Task<T>::Value> run(Task<T> task) {
        std::optional<Result<typename Task<T>::Value>> outcome;
        RootTask<T> root(std::move(task),
                         [&](auto result, const std::exception_ptr&) { outcome.emplace(std::move(result)); });
        root.start();
        run_until([&] { return outcome.has_value(); }, std::chrono::seconds(30));
        if (!outcome) return transient("Stuck", "the task did not end within the limit");
        return std::move(*outcome);
    }
};

/// A rig on the loopback interface.
class RealRig : public TransportRig {
public:
    explicit RealRig(Binding binding);
    Transport& transport() override { return *transport_; }
    Clock& clock() override { return loop; }
    Endpoint serve(Handler& handler, std::optional<ServerTls> tls = {}) override;
    bool run_until(const std::function<bool()>& predicate, Duration limit = std::chrono::seconds(10)) override {
        return net::run_until(loop, predicate, limit);
    }

    EventLoop loop;
    std::vector<std::unique_ptr<HttpServer>> servers;

private:
    std::unique_ptr<Transport> transport_;
};

}  // namespace atl::net
