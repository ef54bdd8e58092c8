#pragma once

#include <optional>
#include <string>

namespace atl {

/// The environment variables of the process. Production binds it to the system; tests to a map.
class Environment {
public:
    virtual ~Environment() = default;
    /// The value; nullopt if the variable is not set (one that is set but empty gives "").
    virtual std::optional<std::string> get(const std::string& name) const = 0;
};

}  // namespace atl
