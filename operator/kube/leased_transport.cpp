#include "operator/kube/leased_transport.h"

#include <utility>

namespace atl::kube {

namespace {

bool is_write(const net::Request& request) {
    return request.method != "GET" && request.method != "HEAD";
}

Error lease_lost() {
    return conflict("LeaseLost", "this process does not lead any more; nothing was sent");
}

}  // namespace

/// Counts a write for as long as it is under way, also if its task is dropped.
class LeasedTransport::Write {
public:
    Write(std::size_t& count, bool counts) : count_(count), counts_(counts) { count_ += counts_ ? 1 : 0; }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;
    ~Write() { count_ -= counts_ ? 1 : 0; }

private:
    std::size_t& count_;
    bool counts_;
};

bool LeasedTransport::open_for(const net::Request& request) const {
    return !is_write(request) || (!shut_ && guard_.may_write());
}

Task<net::Response> LeasedTransport::send(net::Request request, net::Limits limits) {
    if (!open_for(request)) co_return lease_lost();
    const Write write(writes_, is_write(request));
    co_return co_await transport_.send(std::move(request), limits);
}

Task<net::StreamResponse> LeasedTransport::open(net::Request request, net::Limits limits) {
    if (!open_for(request)) co_return lease_lost();
    const Write write(writes_, is_write(request));
    co_return co_await transport_.open(std::move(request), limits);
}

}  // namespace atl::kube
