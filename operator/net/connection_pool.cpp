#include "operator/net/connection_pool.h"

#include <utility>

namespace atl::net {

Task<Slots::Permit> Slots::acquire() {
    if (free_ > 0 && waiting_.empty()) {
        --free_;
        co_return Permit(shared_from_this());
    }
    std::function<Cancel(Callback<Permit>)> start = [this](Callback<Permit> granted) -> Cancel {
        waiting_.push_back(granted);
        return {};
    };
    Permit permit = co_await await_callback<Permit>(start);
    co_return permit;
}

void Slots::give_back() {
    ++free_;
    // Never resumes a waiter from within a destructor.
    executor_.post([self = shared_from_this()] { self->grant(); });
}

void Slots::grant() {
    while (free_ > 0 && !waiting_.empty()) {
        const Callback<Permit> next = waiting_.front();
        waiting_.pop_front();
        if (!next.wanted()) continue;
        --free_;
        next.resolve(Permit(shared_from_this()));
    }
}

std::unique_ptr<Connection> ConnectionPool::take_resting() {
    while (!resting.empty()) {
        auto connection = std::move(resting.back().connection);
        resting.pop_back();
        if (connection->is_quiet()) return connection;
    }
    return nullptr;
}

void ConnectionPool::close_older(Instant than) {
    std::erase_if(resting, [than](const Resting& at_rest) { return at_rest.since < than; });
}

}  // namespace atl::net
