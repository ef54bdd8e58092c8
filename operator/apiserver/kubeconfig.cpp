#include <nlohmann/json.hpp>

#include "operator/apiserver/server.h"
#include "operator/base/base64.h"

namespace atl::apiserver {

using nlohmann::json;

std::string make_kubeconfig(const KubeconfigParts& parts) {
    json cluster = {{"server", parts.server}};
    if (!parts.ca_pem.empty()) cluster["certificate-authority-data"] = encode_base64(parts.ca_pem);
    const json config = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters", json::array({{{"name", parts.name}, {"cluster", cluster}}})},
        {"users", json::array({{{"name", parts.user}, {"user", {{"token", parts.token}}}}})},
        {"contexts",
         json::array({{{"name", parts.name}, {"context", {{"cluster", parts.name}, {"user", parts.user}}}}})},
        {"current-context", parts.name}};
    // JSON is YAML.
    return config.dump(2) + "\n";
}

}  // namespace atl::apiserver
