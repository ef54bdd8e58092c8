#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/resource_type.h"
#include "operator/schema/selector.h"

namespace atl::apiserver {

/// The label and field selectors of a list, watch or deletecollection.
class Selection {
public:
    /// Errors: 400 for a selector that cannot be read or asks for a field that the kind does not offer.
    static Result<Selection> of(const ApiRequest& request, const ResourceType& type);

    /// Whether everything matches.
    bool is_all() const { return labels_.empty() && fields_.empty(); }
    /// The only name that can match, if there is one.
    std::optional<std::string> exact_name() const;
    /// `text`: a stored object of the type.
    bool matches(const ResourceType& type, const std::string& text) const;

private:
    schema::LabelSelector labels_;
    schema::FieldSelector fields_;
};

}  // namespace atl::apiserver
