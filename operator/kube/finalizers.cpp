#include "operator/kube/finalizers.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/kube/status_error.h"

namespace atl::kube {

namespace {

using nlohmann::json;

constexpr char kManager[] = "atoll-finalizers";

/// A patch of the whole list, bound to the version that it was read from: nobody's entry is lost.
json finalizers_patch(const Pass& pass, const std::vector<std::string>& finalizers) {
    const ObjectMeta& meta = pass.object().meta();
    json patch;
    patch["metadata"] = {{"uid", meta.uid}, {"resourceVersion", meta.resource_version}, {"finalizers", finalizers}};
    return patch;
}

}  // namespace

Task<> Finalizers::ensure(Pass& pass, StringMap annotations) {
    if (is_on(pass.object())) co_return;
    if (pass.being_deleted()) co_await fail(conflict("BeingDeleted", "the object is being deleted"));
    std::vector<std::string> finalizers = pass.object().meta().finalizers;
    finalizers.push_back(name_);
    json patch = finalizers_patch(pass, finalizers);
    for (const auto& [name, value] : annotations.entries()) patch["metadata"]["annotations"][name] = value;
    const Target target(pass.type(), pass.key());
    Object written = co_await client_.merge_patch(target, patch, kManager);
    pass.wrote(std::move(written));
}

Task<> Finalizers::release(Pass& pass) {
    if (is_on(pass.object())) {
        std::vector<std::string> finalizers = pass.object().meta().finalizers;
        std::erase(finalizers, name_);
        const json patch = finalizers_patch(pass, finalizers);
        const Target target(pass.type(), pass.key());
        Result<Object> written = co_await client_.merge_patch(target, patch, kManager).attempt();
        if (!written.ok() && !is_not_found(written.error())) co_await fail(written.error());
        if (written.ok()) pass.wrote(std::move(written).value());
    }
    pass.finish();
}

}  // namespace atl::kube
