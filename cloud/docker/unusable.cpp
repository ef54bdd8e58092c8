#include "cloud/docker/unusable.h"

namespace atl::cloud::docker {

namespace {

class Unusable final : public Driver {
public:
    explicit Unusable(Error error) : error_(std::move(error)) {}
    std::span<const Kind> kinds() const override { return {}; }
    Task<World> observe(Owner, Instant) override { co_return error_; }
    Task<std::vector<Accepted>> apply(Batch, Instant) override { co_return error_; }

private:
    Error error_;
};

}  // namespace

std::shared_ptr<Driver> unusable(Error error) {
    return std::make_shared<Unusable>(std::move(error));
}

}  // namespace atl::cloud::docker
