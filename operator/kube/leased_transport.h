#pragma once

#include <cstddef>

#include "operator/kube/work_guard.h"
#include "operator/net/transport.h"

namespace atl::kube {

/// A way out that is open for writes only while the guard says so: for drivers and the client of controllers. A write
/// (any method but GET and HEAD) without it is refused with a Conflict (reason LeaseLost) before anything is sent.
class LeasedTransport final : public net::Transport {
public:
    LeasedTransport(net::Transport& transport, const WorkGuard& guard) : transport_(transport), guard_(guard) {}
    Task<net::Response> send(net::Request request, net::Limits limits) override;
    Task<net::StreamResponse> open(net::Request request, net::Limits limits) override;

    /// Refuses all writes from now on; those that are under way go on.
    void shut() { shut_ = true; }
    /// Writes that were sent and have no answer yet. Once it is 0 after shut(), this process changes nothing more.
    std::size_t writes_under_way() const { return writes_; }

private:
    class Write;
    bool open_for(const net::Request& request) const;

    net::Transport& transport_;
    const WorkGuard& guard_;
    bool shut_ = false;
    std::size_t writes_ = 0;
};

}  // namespace atl::kube
