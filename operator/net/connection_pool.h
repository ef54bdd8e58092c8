#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "operator/net/connection.h"

namespace atl::net {

/// So many may hold one at a time; the others wait in the order of their coming. Must be owned by a shared_ptr.
class Slots : public std::enable_shared_from_this<Slots> {
public:
    /// One slot, given back when this is destroyed.
    class Permit {
    public:
        Permit() = default;
        explicit Permit(std::shared_ptr<Slots> slots) : slots_(std::move(slots)) {}
        Permit(Permit&& other) noexcept = default;
        Permit& operator=(Permit&& other) noexcept {
            std::swap(slots_, other.slots_);
            return *this;
        }
        ~Permit() {
            if (slots_) slots_->give_back();
        }

    private:
        std::shared_ptr<Slots> slots_;
    };

    Slots(Executor& executor, std::size_t count) : executor_(executor), free_(count) {}
    /// Waits for a slot.
    Task<Permit> acquire();

private:
    void give_back();
    void grant();

    Executor& executor_;
    std::size_t free_;
    std::deque<Callback<Permit>> waiting_;
};

/// The connections to one endpoint: those in use are bounded, those at rest are used again.
struct ConnectionPool {
    /// A connection that waits for its next exchange.
    struct Resting {
        std::unique_ptr<Connection> connection;
        Instant since;
    };
    /// Exchanges and streams are bounded apart, so that many watches do not starve calls.
    std::shared_ptr<Slots> exchanges;
    std::shared_ptr<Slots> streams;
    std::vector<Resting> resting;

    /// The one that came to rest last and is still whole; nullptr if there is none.
    std::unique_ptr<Connection> take_resting();
    /// Closes those that came to rest before.
    void close_older(Instant than);
};

}  // namespace atl::net
