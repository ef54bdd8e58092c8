#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/kube/object.h"

namespace atl::controllers {

/// The values of a Secret's `data`, decoded from base64, or of a ConfigMap's `data` and `binaryData`; entries that
/// cannot be decoded are left out.
std::map<std::string, std::string> values_of(const kube::Object& object);

/// `data` of a Secret for these values.
nlohmann::json secret_data(const std::map<std::string, std::string>& values);

}  // namespace atl::controllers
