#pragma once

#include <chrono>

namespace atl::net {

/// How the kernel finds out that a peer has vanished without a word.
struct DeadPeer {
    std::chrono::seconds probe_after{15};
    std::chrono::seconds probe_every{5};
    int probes = 3;
    /// Sent data that is not acknowledged for so long ends the connection.
    std::chrono::seconds unacknowledged{30};
};

}  // namespace atl::net
