#include "operator/net/system_environment.h"

#include <cstdlib>

namespace atl::net {

std::optional<std::string> SystemEnvironment::get(const std::string& name) const {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
}

}  // namespace atl::net
