#include "operator/commands/rights.h"

#include <iostream>

namespace atl::commands {

namespace {

constexpr std::string_view kOurs = "atoll.dev";

std::string list_text(const std::vector<std::string_view>& words) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
    return "[" + text + "]";
}

std::string rules_text(bool own_namespace) {
    std::string text;
    for (const Right& right : rights()) {
        if (right.own_namespace != own_namespace) continue;
        text += "# " + std::string(right.why) + "\n";
        text += "- apiGroups: [\"" + std::string(right.group) + "\"]\n";
        text += "  resources: " + list_text(right.resources) + "\n";
        text += "  verbs: " + list_text(right.verbs) + "\n";
    }
    return text;
}

}  // namespace

std::span<const Right> rights() {
    static const std::vector<Right> all = {
        {false, kOurs, {"clusters"}, {"get", "list", "watch", "patch"}, "What people ask for; our finalizers."},
        {false, kOurs, {"stacks"}, {"get", "list", "watch", "patch"}, "The same."},
        {false,
         kOurs,
         {"machines", "serviceinstances"},
         {"get", "list", "watch", "create", "patch", "delete"},
         "What Clusters and Stacks are made of."},
        {false,
         kOurs,
         {"clusters/status", "stacks/status", "serviceinstances/status", "machines/status"},
         {"patch"},
         "What was observed."},
        {false,
         kOurs,
         {"clusters/finalizers", "stacks/finalizers", "serviceinstances/finalizers"},
         {"update"},
         "Owner references that block deletion, where the server asks for this right."},
        {false,
         "",
         {"secrets"},
         {"get", "list", "watch", "create", "patch"},
         "Secrets that specs refer to; the journals of rollouts."},
        {false, "", {"configmaps"}, {"get", "list", "watch"}, "ConfigMaps that specs refer to."},
        {false, "", {"events"}, {"create", "patch"}, "What happened, for people."},
        {true,
         "coordination.k8s.io",
         {"leases"},
         {"get", "list", "watch", "create", "patch", "delete"},
         "Who leads, or works on which shard."},
        {true,
         "",
         {"secrets"},
         {"get", "create", "update"},
         "The installation's id and key; the webhook's certificate."},
    };
    return all;
}

std::string rights_text() {
    return "# What the operator may do: the output of `atoll rbac`.\ncluster:\n" + rules_text(false) + "own:\n" +
           rules_text(true);
}

int rbac() {
    std::cout << rights_text();
    return 0;
}

}  // namespace atl::commands
