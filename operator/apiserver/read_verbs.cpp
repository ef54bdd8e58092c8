#include "operator/apiserver/read_verbs.h"

#include <algorithm>
#include <utility>

#include "operator/apiserver/list_options.h"

namespace atl::apiserver {

namespace {

constexpr std::size_t kChunk = 1000;

Error expired_list(const ListOptions& options) {
    if (options.is_continued) {
        return expired(
            "The provided continue parameter is too old to display a consistent list result. You must "
            "start a new list without the continue parameter.");
    }
    return expired("The resourceVersion for the provided list is too old.");
}

/// Lists in chunks until enough objects match.
Result<Listed> collect_matching(Serving& serving, const ResourceType& type, const ListOptions& options) {
    Listed listed;
    Range range = options.range;
    range.limit = std::max(options.range.limit == SIZE_MAX ? SIZE_MAX : options.range.limit, kChunk);
    while (true) {
        auto page = serving.store.list(range);
        if (!page.ok()) {
            return page.error().reason() == "Expired" ? expired_list(options) : std::move(page).error();
        }
        listed.meta.revision = range.at = page->revision;
        for (std::size_t i = 0; i < page->objects.size(); ++i) {
            Stored& object = page->objects[i];
            if (!options.selection.matches(type, object.text)) continue;
            if (listed.objects.size() == options.range.limit) {
                listed.meta.continue_token = continue_token(page->revision, listed.objects.back().key);
                return listed;
            }
            listed.objects.push_back(std::move(object));
        }
        if (page->remaining == 0) return listed;
        range.after = page->objects.back().key;
    }
}

}  // namespace

Key key_of(const ApiRequest& request, const ResourceType& type) {
    return {type.storage, type.namespaced ? request.ns : "", request.name};
}

Result<Stored> find_object(Serving& serving, const ApiRequest& request, const ResourceType& type) {
    auto found = serving.store.find(key_of(request, type));
    if (!found.ok()) return std::move(found).error();
    if (!*found) return not_found(request.subject());
    return std::move(**found);
}

Result<net::Response> get_object(Serving& serving, const ApiRequest& request, const TypePtr& type) {
    auto view = view_of(request, type, serving.clock.wall_now());
    if (!view.ok()) return std::move(view).error();
    auto found = find_object(serving, request, *type);
    if (!found.ok()) return std::move(found).error();
    return response_of(200, *view, show(*view, found->text));
}

Result<Listed> collect(Serving& serving, const ApiRequest& request, const ResourceType& type) {
    auto options = read_list_options(request, type, serving.store.revision());
    if (!options.ok()) return std::move(options).error();
    if (!options->selection.is_all()) return collect_matching(serving, type, *options);
    auto page = serving.store.list(options->range);
    if (!page.ok()) return page.error().reason() == "Expired" ? expired_list(*options) : std::move(page).error();
    Listed listed;
    listed.meta.revision = page->revision;
    if (page->remaining > 0) {
        listed.meta.remaining = page->remaining;
        listed.meta.continue_token = continue_token(page->revision, page->objects.back().key);
    }
    listed.objects = std::move(page->objects);
    return listed;
}

Result<net::Response> list_objects(Serving& serving, const ApiRequest& request, const TypePtr& type) {
    auto view = view_of(request, type, serving.clock.wall_now());
    if (!view.ok()) return std::move(view).error();
    auto listed = collect(serving, request, *type);
    if (!listed.ok()) return std::move(listed).error();
    std::vector<std::string> texts;
    texts.reserve(listed->objects.size());
    for (Stored& object : listed->objects) texts.push_back(std::move(object.text));
    return response_of(200, *view, show_list(*view, texts, listed->meta));
}

}  // namespace atl::apiserver
