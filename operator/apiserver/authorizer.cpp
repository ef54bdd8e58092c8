#include "operator/apiserver/authorizer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/apiserver/authenticator.h"
#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"
#include "operator/schema/go_text.h"
#include "operator/schema/selector.h"

namespace atl::apiserver {

namespace {

constexpr const char* kRoles = "roles.rbac.authorization.k8s.io";
constexpr const char* kClusterRoles = "clusterroles.rbac.authorization.k8s.io";
constexpr const char* kRoleBindings = "rolebindings.rbac.authorization.k8s.io";
constexpr const char* kClusterRoleBindings = "clusterrolebindings.rbac.authorization.k8s.io";

bool has(const std::vector<std::string>& list, const std::string& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool has_or_all(const std::vector<std::string>& list, const std::string& value) {
    return has(list, "*") || has(list, value);
}

bool matches_resource(const PolicyRule& rule, const Attributes& wanted) {
    const std::string whole = wanted.subresource.empty() ? wanted.plural : wanted.plural + "/" + wanted.subresource;
    const bool is_any_subresource = !wanted.subresource.empty() && has(rule.resources, "*/" + wanted.subresource);
    return has_or_all(rule.resources, whole) || is_any_subresource;
}

bool matches_path(const PolicyRule& rule, const std::string& path) {
    return std::any_of(rule.urls.begin(), rule.urls.end(), [&](const std::string& url) {
        if (url == "*" || url == path) return true;
        return url.ends_with('*') && path.starts_with(url.substr(0, url.size() - 1));
    });
}

bool permits(const PolicyRule& rule, const Attributes& wanted) {
    if (!has_or_all(rule.verbs, wanted.verb)) return false;
    if (!wanted.is_resource) return matches_path(rule, wanted.path);
    return has_or_all(rule.groups, wanted.group) && matches_resource(rule, wanted) &&
           (rule.names.empty() || has(rule.names, wanted.name));
}

std::vector<PolicyRule> rules_in(const nlohmann::json& role) {
    std::vector<PolicyRule> rules;
    for (const auto& rule : list_of(role, "rules")) rules.push_back(PolicyRule::of(rule));
    return rules;
}

/// The wish for one resource, `pods` or `pods/log`, of a group.
Attributes wish_for(const std::string& verb, const std::string& group, const std::string& resource) {
    const std::size_t slash = resource.find('/');
    const std::string sub = slash == std::string::npos ? "" : resource.substr(slash + 1);
    return {verb, true, group, resource.substr(0, slash), sub, "", "", ""};
}

/// Whom a binding names, as kind and name; a ServiceAccount is the user that it logs in as.
std::vector<std::pair<std::string, std::string>> subjects_of(const nlohmann::json& binding) {
    std::vector<std::pair<std::string, std::string>> subjects;
    for (const auto& subject : list_of(binding, "subjects")) {
        std::string kind = text_of(subject, "kind");
        std::string name = text_of(subject, "name");
        if (kind == "ServiceAccount") {
            kind = "User";
            name = "system:serviceaccount:" + text_of(subject, "namespace") + ":" + name;
        }
        subjects.emplace_back(std::move(kind), std::move(name));
    }
    return subjects;
}

/// A rule taken apart into single wishes, each of which must be permitted.
std::vector<Attributes> wishes_of(const PolicyRule& rule, const std::string& ns) {
    std::vector<Attributes> wishes;
    const std::vector<std::string> names = rule.names.empty() ? std::vector<std::string>{""} : rule.names;
    for (const std::string& verb : rule.verbs) {
        for (const std::string& url : rule.urls) wishes.push_back({verb, false, "", "", "", "", "", url});
        for (const std::string& group : rule.groups) {
            for (const std::string& resource : rule.resources) {
                Attributes wish = wish_for(verb, group, resource);
                wish.ns = ns;
                for (const std::string& name : names) wishes.emplace_back(wish).name = name;
            }
        }
    }
    return wishes;
}

}  // namespace

PolicyRule PolicyRule::of(const nlohmann::json& rule) {
    return {texts_of(rule, "verbs"), texts_of(rule, "apiGroups"), texts_of(rule, "resources"),
            texts_of(rule, "resourceNames"), texts_of(rule, "nonResourceURLs")};
}

nlohmann::json PolicyRule::json() const {
    nlohmann::json rule = {{"verbs", verbs}};
    if (!urls.empty()) rule["nonResourceURLs"] = urls;
    if (!groups.empty()) rule["apiGroups"] = groups;
    if (!resources.empty()) rule["resources"] = resources;
    if (!names.empty()) rule["resourceNames"] = names;
    return rule;
}

Attributes Attributes::of(const ApiRequest& request) {
    return {request.verb,        request.is_resource, request.group, request.plural,
            request.subresource, request.ns,          request.name,  request.path};
}

Revision Authorizer::last_change() const {
    Revision last = 0;
    for (const char* resource : {kRoles, kClusterRoles, kRoleBindings, kClusterRoleBindings}) {
        last = std::max(last, watches_.last_of(resource));
    }
    return last;
}

Result<Unit> Authorizer::refresh() {
    const Revision last = last_change();
    if (read_at_ == last) return ok();
    Snapshot fresh;
    auto roles = read_roles(fresh);
    if (!roles.ok()) return roles;
    auto bindings = read_bindings(fresh);
    if (!bindings.ok()) return bindings;
    snapshot_ = std::move(fresh);
    read_at_ = last;
    return ok();
}

Result<Unit> Authorizer::read_roles(Snapshot& snapshot) {
    std::vector<nlohmann::json> cluster_roles;
    for (const char* resource : {kRoles, kClusterRoles}) {
        auto page = store_.list({resource, {}, {}, {}, SIZE_MAX, 0});
        if (!page.ok()) return std::move(page).error();
        for (const Stored& object : page->objects) {
            auto role = parse_stored(object.text);
            snapshot.roles[object.key.ns + "/" + object.key.name] = rules_in(role);
            if (object.key.ns.empty()) cluster_roles.push_back(std::move(role));
        }
    }
    for (const auto& role : cluster_roles) {
        for (const auto& selector : list_of(child(role, "aggregationRule"), "clusterRoleSelectors")) {
            const auto parsed = schema::LabelSelector::from_json(selector);
            auto& rules = snapshot.roles["/" + text_of(role["metadata"], "name")];
            for (const auto& other : cluster_roles) {
                if (!parsed.ok() || !parsed->matches(child(other["metadata"], "labels"))) continue;
                const auto more = rules_in(other);
                rules.insert(rules.end(), more.begin(), more.end());
            }
        }
    }
    return ok();
}

Result<Unit> Authorizer::read_bindings(Snapshot& snapshot) {
    for (const char* resource : {kRoleBindings, kClusterRoleBindings}) {
        auto page = store_.list({resource, {}, {}, {}, SIZE_MAX, 0});
        if (!page.ok()) return std::move(page).error();
        for (const Stored& object : page->objects) {
            const auto parsed = parse_stored(object.text);
            const auto& role = child(parsed, "roleRef");
            Binding binding{object.key.ns, text_of(role, "kind"), text_of(role, "name"), subjects_of(parsed)};
            snapshot.bindings.push_back(std::move(binding));
        }
    }
    return ok();
}

Result<std::vector<PolicyRule>> Authorizer::rules_for(const User& user, const std::string& ns) {
    auto fresh = refresh();
    if (!fresh.ok()) return std::move(fresh).error();
    std::vector<PolicyRule> rules;
    if (has(user.groups, kMasters)) {
        rules.push_back({{"*"}, {"*"}, {"*"}, {}, {}});
        rules.push_back({{"*"}, {}, {}, {}, {"*"}});
    }
    for (const Binding& binding : snapshot_.bindings) {
        if (!binding.ns.empty() && binding.ns != ns) continue;
        const bool is_bound = std::any_of(binding.subjects.begin(), binding.subjects.end(), [&](const auto& subject) {
            return subject.first == "Group" ? has(user.groups, subject.second)
                                            : subject.first == "User" && subject.second == user.name;
        });
        const std::string role_ns = binding.role_kind == "Role" ? binding.ns : "";
        const auto role = snapshot_.roles.find(role_ns + "/" + binding.role_name);
        if (!is_bound || role == snapshot_.roles.end()) continue;
        for (const PolicyRule& rule : role->second) {
            // In a namespace there are no paths to grant.
            if (binding.ns.empty() || rule.urls.empty()) rules.push_back(rule);
        }
    }
    return rules;
}

Result<bool> Authorizer::allows(const User& user, const Attributes& wanted) {
    if (has(user.groups, kMasters)) return true;
    auto rules = rules_for(user, wanted.is_resource ? wanted.ns : "");
    if (!rules.ok()) return std::move(rules).error();
    return std::any_of(rules->begin(), rules->end(), [&](const PolicyRule& rule) { return permits(rule, wanted); });
}

Result<bool> Authorizer::covers(const User& user, const std::string& ns, const std::vector<PolicyRule>& rules) {
    for (const PolicyRule& rule : rules) {
        for (const Attributes& wish : wishes_of(rule, ns)) {
            auto allowed = allows(user, wish);
            if (!allowed.ok() || !*allowed) return allowed;
        }
    }
    return true;
}

Result<std::vector<PolicyRule>> Authorizer::rules_of(const std::string& kind, const std::string& ns,
                                                     const std::string& name) {
    auto fresh = refresh();
    if (!fresh.ok()) return std::move(fresh).error();
    const auto found = snapshot_.roles.find((kind == "Role" ? ns : "") + "/" + name);
    return found == snapshot_.roles.end() ? std::vector<PolicyRule>() : found->second;
}

Error denied(const User& user, const Attributes& wanted) {
    const std::string who = "User " + schema::go_quote(user.name) + " cannot " + wanted.verb;
    if (!wanted.is_resource) {
        return api_error(403, "Forbidden", "forbidden: " + who + " path " + schema::go_quote(wanted.path),
                         nlohmann::json::object());
    }
    const std::string resource = wanted.subresource.empty() ? wanted.plural : wanted.plural + "/" + wanted.subresource;
    const std::string where =
        wanted.ns.empty() ? "at the cluster scope" : "in the namespace " + schema::go_quote(wanted.ns);
    Error error = forbidden({wanted.group, wanted.plural, wanted.name},
                            who + " resource " + schema::go_quote(resource) + " in API group " +
                                schema::go_quote(wanted.group) + " " + where);
    if (!wanted.name.empty()) return error;
    auto status = status_of(error);
    status["details"].erase("name");
    return with_status(status);
}

}  // namespace atl::apiserver
