#include "operator/apiserver/output.h"

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

std::string dump(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json list_meta(const ListMeta& meta) {
    json shown = {{"resourceVersion", std::to_string(meta.revision)}, {"continue", meta.continue_token}};
    if (meta.remaining) shown["remainingItemCount"] = *meta.remaining;
    return shown;
}

json partial(const json& object) {
    return {
        {"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", child(object, "metadata")}};
}

json row(const View& view, const json& object) {
    json shown = nullptr;
    if (view.include_object == "Object") shown = object;
    if (view.include_object == "Metadata") shown = partial(object);
    json cells = view.type->behaviour.cells ? view.type->behaviour.cells(object, view.now) : json::array();
    return {{"cells", std::move(cells)}, {"object", std::move(shown)}};
}

json table(const View& view, json rows, json metadata) {
    json columns = view.type->behaviour.columns ? view.type->behaviour.columns() : json::array();
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/v1"},
            {"metadata", std::move(metadata)},
            {"columnDefinitions", std::move(columns)},
            {"rows", std::move(rows)}};
}

std::string joined_list(const View& view, const std::vector<std::string>& texts, const ListMeta& meta) {
    std::size_t size = 256;
    for (const std::string& text : texts) size += text.size() + 1;
    std::string body;
    body.reserve(size);
    body += "{\"kind\":" + dump(view.type->list_kind) + ",\"apiVersion\":" + dump(view.type->api_version()) +
            ",\"metadata\":" + dump(list_meta(meta)) + ",\"items\":[";
    const CurrentText is_current(*view.type);
    for (const std::string& text : texts) {
        if (body.back() != '[') body += ',';
        if (is_current(text)) {
            body += text;
        } else {
            body += read_text(*view.type, text);
        }
    }
    body += "]}\n";
    return body;
}

}  // namespace

Result<View> view_of(const ApiRequest& request, TypePtr type, WallTime now) {
    auto form = accepted_form(request, {Form::Json, Form::Yaml, Form::Table, Form::Metadata});
    if (!form.ok()) return std::move(form).error();
    View view{std::move(type), *form, "Metadata", now};
    const std::string include = request.parameter("includeObject");
    if (include == "None" || include == "Object") view.include_object = include;
    return view;
}

std::string show(const View& view, const std::string& text) {
    if (view.form == Form::Json || view.form == Form::Yaml) return read_text(*view.type, text) + "\n";
    return show(view, read_object(*view.type, text));
}

std::string show(const View& view, const json& object) {
    if (view.form == Form::Metadata) return dump(partial(object)) + "\n";
    if (view.form != Form::Table) return render_whole(object) + "\n";
    const json metadata = {{"resourceVersion", text_of(child(object, "metadata"), "resourceVersion")}};
    return dump(table(view, json::array({row(view, object)}), metadata)) + "\n";
}

std::string show_event(const View& view, const std::string& text, bool is_first) {
    if (view.form != Form::Table) {
        std::string shown = show(view, text);
        shown.pop_back();
        return shown;
    }
    const json object = read_object(*view.type, text);
    const json metadata = {{"resourceVersion", text_of(child(object, "metadata"), "resourceVersion")}};
    json shown = table(view, json::array({row(view, object)}), metadata);
    if (!is_first) shown["columnDefinitions"] = nullptr;
    return dump(shown);
}

std::string show_list(const View& view, const std::vector<std::string>& texts, const ListMeta& meta) {
    if (view.form == Form::Json || view.form == Form::Yaml) return joined_list(view, texts, meta);
    json rows = json::array();
    for (const std::string& text : texts) {
        const json object = read_object(*view.type, text);
        rows.push_back(view.form == Form::Table ? row(view, object) : partial(object));
    }
    if (view.form == Form::Table) return dump(table(view, std::move(rows), list_meta(meta))) + "\n";
    const json list = {{"kind", "PartialObjectMetadataList"},
                       {"apiVersion", "meta.k8s.io/v1"},
                       {"metadata", list_meta(meta)},
                       {"items", std::move(rows)}};
    return dump(list) + "\n";
}

net::Response response_of(int status, const View& view, std::string body) {
    net::Response response;
    response.status = status;
    // JSON is YAML.
    response.headers.set("Content-Type", view.form == Form::Yaml ? "application/yaml" : "application/json");
    response.body = std::move(body);
    return response;
}

net::Response json_response(int status, const json& body) {
    net::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body = dump(body) + "\n";
    return response;
}

net::Response refusal(int status, const std::string& message) {
    const std::string reason = status == 408 ? "Timeout" : "BadRequest";
    return json_response(status, status_of(status == 413 ? too_large_body() : api_error(status, reason, message)));
}

}  // namespace atl::apiserver
