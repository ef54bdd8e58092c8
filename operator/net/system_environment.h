#pragma once

#include "operator/base/environment.h"

namespace atl::net {

/// The environment of this process.
class SystemEnvironment final : public Environment {
public:
    std::optional<std::string> get(const std::string& name) const override;
};

}  // namespace atl::net
