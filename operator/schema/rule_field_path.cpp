#include "operator/schema/schema_compiler.h"

namespace atl::schema {
namespace {

/// Takes one step of a field path: .name or ['name'].
std::optional<std::string> take_step(std::string_view& path) {
    if (path.starts_with('.')) {
        path.remove_prefix(1);
        std::string_view name = path.substr(0, path.find_first_of(".["));
        path.remove_prefix(name.size());
        if (name.empty()) return std::nullopt;
        return std::string(name);
    }
    if (!path.starts_with("['")) return std::nullopt;
    path.remove_prefix(2);
    std::string name;
    for (; !path.empty() && path.front() != '\''; path.remove_prefix(1)) {
        if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
        name += path.front();
    }
    if (!path.starts_with("']")) return std::nullopt;
    path.remove_prefix(2);
    return name;
}

}  // namespace

bool is_field_path_of(const Structural& node, std::string_view path) {
    const Structural* at = &node;
    while (!path.empty()) {
        std::optional<std::string> name = take_step(path);
        if (!name) return false;
        const Structural* below = at->properties.empty() ? at->additional.get() : at->property(*name);
        if (below == nullptr) return false;
        at = below;
    }
    return true;
}

}  // namespace atl::schema
