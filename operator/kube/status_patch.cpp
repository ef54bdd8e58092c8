#include "operator/kube/status_patch.h"

#include <nlohmann/json.hpp>

namespace atl::kube {

namespace {

using nlohmann::json;

/// Members that are null are not there, at any depth.
json without_nulls(const json& tree) {
    if (!tree.is_object()) return tree;
    json result = json::object();
    for (const auto& [name, value] : tree.items()) {
        if (!value.is_null()) result[name] = without_nulls(value);
    }
    return result;
}

json diff(const json& before, const json& after) {
    json patch = json::object();
    for (const auto& [name, value] : before.items()) {
        if (!after.contains(name)) patch[name] = nullptr;
    }
    for (const auto& [name, value] : after.items()) {
        const auto old = before.find(name);
        if (old == before.end()) {
            patch[name] = value;
        } else if (old->is_object() && value.is_object()) {
            json inner = diff(*old, value);
            if (!inner.empty()) patch[name] = std::move(inner);
        } else if (*old != value) {
            patch[name] = value;
        }
    }
    return patch;
}

}  // namespace

json merge_patch_between(const json& before, const json& after) {
    return diff(without_nulls(before), without_nulls(after));
}

json status_patch(const Pass& pass, Settled settled) {
    json status = pass.status();
    if (!status.is_object()) status = json::object();
    if (!pass.conditions().all().empty()) status["conditions"] = pass.conditions().to_json();
    const auto observed = pass.status_before().find("observedGeneration");
    if (settled == Settled::Yes) {
        status["observedGeneration"] = pass.generation();
    } else if (observed != pass.status_before().end()) {
        status["observedGeneration"] = *observed;
    }
    json patch = merge_patch_between(pass.status_before(), status);
    if (patch.empty()) return {};
    const ObjectMeta& meta = pass.object().meta();
    return {{"metadata", {{"uid", meta.uid}, {"resourceVersion", meta.resource_version}}},
            {"status", std::move(patch)}};
}

}  // namespace atl::kube
