// What a move looks at before it changes anything.
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "controllers/identity.h"
#include "controllers/mover.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

using nlohmann::json;

const kube::ResourceType kReview{"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview",
                                 false};

enum class Where { Moved, Installation, Everywhere };

/// One row of what a move needs; docs/move.md has the same as a Role.
struct Need {
    std::string_view group;
    std::string_view resource;
    std::vector<std::string_view> verbs;
    Where where = Where::Moved;
};

const std::vector<Need>& at_source() {
    static const std::vector<Need> needs = {
        {"atoll.dev", "clusters", {"list", "get", "patch", "delete", "destroy"}},
        {"atoll.dev", "stacks", {"list", "get", "patch", "delete"}},
        {"atoll.dev", "serviceinstances", {"list", "get", "patch", "delete"}},
        {"atoll.dev", "machines", {"list", "get", "patch", "delete"}},
        {"", "secrets", {"list", "get"}},
        {"", "configmaps", {"get"}},
        {"", "secrets", {"get"}, Where::Installation},
    };
    return needs;
}

const std::vector<Need>& in_target() {
    static const std::vector<Need> needs = {
        {"atoll.dev", "clusters", {"list", "create", "update", "patch"}},
        {"atoll.dev", "stacks", {"list", "create", "update", "patch"}},
        {"atoll.dev", "serviceinstances", {"list", "create", "update", "patch"}},
        {"atoll.dev", "machines", {"list", "create", "update", "patch"}},
        {"", "secrets", {"get", "create", "update"}},
        {"", "configmaps", {"get", "create"}},
        {"", "secrets", {"get", "create", "update"}, Where::Installation},
        {"", "namespaces", {"get", "create"}, Where::Everywhere},
    };
    return needs;
}

struct Asked {
    const Need& need;
    std::string_view verb;
    std::string ns;
};

json question(const Asked& asked) {
    json attributes{{"resource", asked.need.resource}, {"verb", asked.verb}};
    if (!asked.need.group.empty()) attributes["group"] = asked.need.group;
    if (!asked.ns.empty()) attributes["namespace"] = asked.ns;
    return {
        {"apiVersion", kReview.api_version()}, {"kind", kReview.kind}, {"spec", {{"resourceAttributes", attributes}}}};
}

/// "patch clusters.atoll.dev in namespace \"shop\"".
std::string text_of(const Asked& asked) {
    std::string text = std::string(asked.verb) + " " + std::string(asked.need.resource);
    if (!asked.need.group.empty()) text += "." + std::string(asked.need.group);
    if (asked.need.where != Where::Everywhere)
        text += asked.ns.empty() ? " in all namespaces" : " in namespace \"" + asked.ns + "\"";
    return text;
}

std::string place_of(const Need& need, const Mover::Options& options) {
    if (need.where == Where::Moved) return options.name_space;
    return need.where == Where::Installation ? options.installation_namespace : "";
}

/// What the account may not do.
Task<std::vector<std::string>> missing_of(kube::Client& side, const std::vector<Need>& needs, Mover::Options options) {
    std::vector<std::string> missing;
    for (const Need& need : needs) {
        for (const std::string_view verb : need.verbs) {
            const Asked asked{need, verb, place_of(need, options)};
            const json asks = question(asked);
            const json answer = co_await side.review(kReview, asks);
            const json status = answer.value("status", json());
            if (!status.is_object() || status.value("allowed", json()) != true) missing.push_back(text_of(asked));
        }
    }
    co_return missing;
}

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace

Task<> Mover::check_types(kube::Client& side, std::string which) {
    for (const kube::ResourceType& type : {types::kCluster, types::kStack, types::kServiceInstance, types::kMachine}) {
        kube::ListOptions one;
        one.limit = 1;
        const kube::Scope scope(type, options_.name_space);
        const auto page = co_await side.list_page(scope, one).attempt();
        if (page.ok()) continue;
        const std::string hint =
            page.error().reason() == "NoSuchType"
                ? "; install the definitions of this version: atoll crds | kubectl apply --server-side -f -"
                : "";
        co_await fail(invalid(page.error().reason(), "the " + which + ": " + page.error().message() + hint));
    }
}

Task<> Mover::check_rights() {
    const auto here = co_await missing_of(parts_.from, at_source(), options_);
    const auto there = co_await missing_of(parts_.to, in_target(), options_);
    if (here.empty() && there.empty()) co_return;
    std::string text = "rights are missing (docs/move.md has them all)";
    if (!here.empty()) text += "; at the source: " + list_of(here);
    if (!there.empty()) text += "; in the target: " + list_of(there);
    co_await fail(invalid("MissingRights", text));
}

Task<> Mover::check_installation() {
    const auto ours = co_await find_installation(parts_.from, options_.installation_namespace);
    if (!ours)
        co_await fail(invalid("NoInstallation", "the source has no Secret \"atoll-installation\" in namespace \"" +
                                                    options_.installation_namespace +
                                                    "\"; --installation-namespace says where its operator is"));
    const auto theirs = co_await find_installation(parts_.to, options_.installation_namespace);
    if (!theirs || *theirs == *ours) co_return;
    for (const kube::ResourceType& type : {types::kCluster, types::kStack, types::kServiceInstance}) {
        const kube::Scope scope(type);
        const kube::ListPage page = co_await parts_.to.list(scope);
        for (const kube::Object& object : page.objects) {
            const bool begun = object.annotation(marks::kOwnerId).has_value();
            if (!begun || move_mark_of(object).state == MoveMark::State::Arriving) continue;
            co_await fail(invalid("OtherInstallation",
                                  "the target has an installation of its own, and has made things under it for " +
                                      type.kind + " " + object.key().to_string() +
                                      ": one operator cannot have two identities. Delete what is there first"));
        }
    }
}

}  // namespace atl::controllers
