#include "operator/schema/patch.h"

#include "operator/schema/decode.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

/// Bounds what copies of copies can make of a small patch.
constexpr std::size_t kMaxCopied = 3 * 1024 * 1024;

Error bad_patch(std::string why) {
    return atl::invalid("InvalidPatch", std::move(why)).with_status(400);
}

Error not_found(std::string why) {
    return atl::invalid("PathNotFound", std::move(why)).with_status(422);
}

Result<std::vector<std::string>> steps_of(const std::string& pointer) {
    std::vector<std::string> steps;
    if (pointer.empty()) return steps;
    if (pointer[0] != '/') return bad_patch("path " + go_quote(pointer) + " does not start with /");
    for (char c : pointer) {
        if (c == '/') {
            steps.emplace_back();
        } else {
            steps.back() += c;
        }
    }
    for (std::string& step : steps) {
        for (auto at = step.find('~'); at != std::string::npos; at = step.find('~', at + 1)) {
            char next = at + 1 < step.size() ? step[at + 1] : ' ';
            if (next != '0' && next != '1') return bad_patch("path " + go_quote(pointer) + " has a ~ without 0 or 1");
            step.replace(at, 2, next == '0' ? "~" : "/");
        }
    }
    return steps;
}

/// The index of a list step: "0", "12"; `size` for "-". Nothing if it is none or beyond `most`.
std::optional<std::size_t> index_of(const std::string& step, std::size_t size, std::size_t most) {
    if (step == "-") return size <= most ? std::optional(size) : std::nullopt;
    bool digits = !step.empty() && step.size() < 8 && step.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || (step.size() > 1 && step[0] == '0')) return std::nullopt;
    std::size_t index = std::stoul(step);
    if (index > most) return std::nullopt;
    return index;
}

Json* child_of(Json& parent, const std::string& step) {
    if (parent.is_object()) {
        auto found = parent.find(step);
        return found == parent.end() ? nullptr : &*found;
    }
    if (!parent.is_array() || parent.empty()) return nullptr;
    auto index = index_of(step, parent.size(), parent.size() - 1);
    return index ? &parent[*index] : nullptr;
}

/// Runs the operations of a JSON patch, one after the other, on a copy.
class Patcher {
public:
    explicit Patcher(Json document) : document_(std::move(document)) {}

    Result<Unit> run(const Json& operation) {
        if (!operation.is_object()) return bad_patch("an operation must be an object");
        Result<std::string> name = text(operation, "op");
        if (!name) return name.error();
        Result<std::string> path = text(operation, "path");
        if (!path) return path.error();
        if (*name == "remove") return remove(*path);
        if (*name == "move" || *name == "copy") return transfer(operation, *path, *name == "move");
        if (*name != "add" && *name != "replace" && *name != "test") return bad_patch("Unexpected kind: " + *name);
        auto value = operation.find("value");
        if (value == operation.end()) return bad_patch("operation " + go_quote(*name) + " needs a value");
        if (*name == "add") return add(*path, *value);
        return *name == "replace" ? replace(*path, *value) : test(*path, *value);
    }

    Json take() { return std::move(document_); }

private:
    static Result<std::string> text(const Json& operation, const char* key) {
        auto found = operation.find(key);
        if (found == operation.end() || !found->is_string()) {
            return bad_patch(std::string("operation needs ") + go_quote(key) + " as a string");
        }
        return found->get<std::string>();
    }

    /// The value at a path, nullptr if a step leads nowhere.
    Json* find(const std::vector<std::string>& steps, std::size_t count) {
        Json* at = &document_;
        for (std::size_t i = 0; i < count && at != nullptr; ++i) at = child_of(*at, steps[i]);
        return at;
    }

    Result<Json*> get(const std::string& path) {
        Result<std::vector<std::string>> steps = steps_of(path);
        if (!steps) return steps.error();
        Json* at = find(*steps, steps->size());
        if (at == nullptr) return not_found("path " + go_quote(path) + " does not exist");
        return at;
    }

    Result<Unit> add(const std::string& path, const Json& value) {
        Result<std::vector<std::string>> steps = steps_of(path);
        if (!steps) return steps.error();
        if (steps->empty()) {
            document_ = value;
            return ok();
        }
        Json* parent = find(*steps, steps->size() - 1);
        const std::string& last = steps->back();
        if (parent != nullptr && parent->is_object()) {
            (*parent)[last] = value;
            return ok();
        }
        if (parent == nullptr || !parent->is_array())
            return not_found("path " + go_quote(path) + ": what it would be added to does not exist");
        auto index = index_of(last, parent->size(), parent->size());
        if (!index)
            return not_found("path " + go_quote(path) + ": the list has " + std::to_string(parent->size()) + " items");
        parent->insert(parent->begin() + static_cast<std::ptrdiff_t>(*index), value);
        return ok();
    }

    Result<Unit> replace(const std::string& path, const Json& value) {
        Result<Json*> at = get(path);
        if (!at) return at.error();
        Json copy = value;
        **at = std::move(copy);
        return ok();
    }

    Result<Unit> test(const std::string& path, const Json& value) {
        Result<Json*> at = get(path);
        bool same = at ? **at == value : value.is_null();
        if (same) return ok();
        return atl::invalid("TestFailed", "testing value " + path + " failed").with_status(422);
    }

    Result<Unit> remove(const std::string& path) {
        Result<std::vector<std::string>> steps = steps_of(path);
        if (!steps) return steps.error();
        if (steps->empty()) return bad_patch("the whole document cannot be removed");
        Json* parent = find(*steps, steps->size() - 1);
        if (parent == nullptr || child_of(*parent, steps->back()) == nullptr) {
            return not_found("path " + go_quote(path) + " does not exist");
        }
        if (parent->is_object()) {
            parent->erase(steps->back());
        } else {
            parent->erase(*index_of(steps->back(), parent->size(), parent->size() - 1));
        }
        return ok();
    }

    Result<Unit> transfer(const Json& operation, const std::string& path, bool is_move) {
        Result<std::string> from = text(operation, "from");
        if (!from) return from.error();
        Result<Json*> source = get(*from);
        if (!source) return source.error();
        bool into_itself = is_move && path.size() > from->size() && path.starts_with(*from + "/");
        if (into_itself) return bad_patch("cannot move " + go_quote(*from) + " into itself");
        Json value = **source;
        copied_ += is_move ? 0 : go_json(value).size();
        if (copied_ > kMaxCopied)
            return bad_patch("the copies of this patch are larger than " + std::to_string(kMaxCopied) + " bytes");
        Result<Unit> removed = is_move ? remove(*from) : ok();
        if (!removed) return removed;
        return add(path, value);
    }

    Json document_;
    std::size_t copied_ = 0;
};

}  // namespace

Json merge_patch(Json document, const Json& patch) {
    if (!patch.is_object()) return patch;
    if (!document.is_object()) document = Json::object();
    for (const auto& [key, value] : patch.items()) {
        if (value.is_null()) {
            document.erase(key);
        } else {
            Json& slot = document[key];
            slot = merge_patch(std::move(slot), value);
        }
    }
    return document;
}

Result<Json> json_patch(const Json& document, const Json& patch) {
    if (!patch.is_array()) return bad_patch("a JSON patch must be a list of operations");
    if (patch.size() > kMaxPatchOperations) {
        return bad_patch("The allowed maximum operations in a JSON patch is " + std::to_string(kMaxPatchOperations) +
                         ", got " + std::to_string(patch.size()));
    }
    Patcher patcher(document);
    for (std::size_t i = 0; i < patch.size(); ++i) {
        Result<Unit> done = patcher.run(patch[i]);
        if (!done) return std::move(done).error().during("operation " + std::to_string(i));
    }
    Json result = patcher.take();
    if (!within_depth(result))
        return bad_patch("the result is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return result;
}

}  // namespace atl::schema
