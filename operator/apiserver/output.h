#pragma once

#include <string>
#include <vector>

#include "operator/apiserver/media.h"
#include "operator/apiserver/resource_type.h"
#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// How answers about one type are written.
struct View {
    TypePtr type;
    Form form = Form::Json;
    std::string include_object = "Metadata";  ///< of Table rows: None, Metadata or Object
    WallTime now;
};

/// The view that a request asks for. Errors: 406, and 400 for an unknown includeObject.
Result<View> view_of(const ApiRequest& request, TypePtr type, WallTime now);

/// The metadata of a list.
struct ListMeta {
    Revision revision = 0;
    std::string continue_token;
    std::optional<std::size_t> remaining;
};

/// One stored object as the body of an answer.
std::string show(const View& view, const std::string& text);
/// An object that is not in the store (a dry run, a scale) as the body of an answer.
std::string show(const View& view, const nlohmann::json& object);
/// Many as a list.
std::string show_list(const View& view, const std::vector<std::string>& texts, const ListMeta& meta);
/// One object in an event of a watch: as show(), but a Table has its columns only if it is the first event.
std::string show_event(const View& view, const std::string& text, bool is_first);

/// An answer of that status with a body in the view's media type.
net::Response response_of(int status, const View& view, std::string body);
/// An answer in JSON.
net::Response json_response(int status, const nlohmann::json& body);
/// The answer to what could not be read as a request (HttpServerOptions::refusal): a Status of that code; 413 in
/// kube-apiserver's words.
net::Response refusal(int status, const std::string& message);

}  // namespace atl::apiserver
