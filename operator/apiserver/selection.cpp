#include "operator/apiserver/selection.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

Result<Selection> Selection::of(const ApiRequest& request, const ResourceType& type) {
    Selection selection;
    auto labels = schema::LabelSelector::parse(request.parameter("labelSelector"));
    if (!labels.ok()) return bad_request(labels.error().message());
    selection.labels_ = std::move(*labels);
    auto fields = schema::FieldSelector::parse(request.parameter("fieldSelector"));
    if (!fields.ok()) return bad_request(fields.error().message());
    std::vector<std::string> supported = type.behaviour.selectable;
    supported.insert(supported.end(), {"metadata.name", "metadata.namespace"});
    const auto unsupported = fields->unsupported(supported);
    if (!unsupported.empty()) return bad_request("field label not supported: " + unsupported.front());
    selection.fields_ = std::move(*fields);
    return selection;
}

std::optional<std::string> Selection::exact_name() const {
    std::string name = fields_.exact_name();
    return name.empty() ? std::nullopt : std::optional<std::string>(std::move(name));
}

bool Selection::matches(const ResourceType& type, const std::string& text) const {
    if (is_all()) return true;
    const nlohmann::json object = read_object(type, text);
    return labels_.matches(child(child(object, "metadata"), "labels")) && fields_.matches(object);
}

}  // namespace atl::apiserver
