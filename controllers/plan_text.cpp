#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "controllers/planner.h"

namespace atl::controllers {

namespace {

constexpr std::size_t kMaxPaths = 20;

void collect(const nlohmann::json& before, const nlohmann::json& after, const std::string& path,
             std::vector<std::string>& paths) {
    if (before == after || paths.size() >= kMaxPaths) return;
    if (before.is_object() && after.is_object()) {
        std::map<std::string, int> keys;
        for (const auto& [key, value] : before.items()) keys[key] = 0;
        for (const auto& [key, value] : after.items()) keys[key] = 0;
        for (const auto& [key, unused] : keys) {
            collect(before.value(key, nlohmann::json()), after.value(key, nlohmann::json()), path + "." + key, paths);
        }
        return;
    }
    if (before.is_array() && after.is_array() && before.size() == after.size()) {
        for (std::size_t i = 0; i < before.size(); ++i) {
            collect(before[i], after[i], path + "[" + std::to_string(i) + "]", paths);
        }
        return;
    }
    paths.push_back(path);
}

const char* sign(cloud::Op op) {
    switch (op) {
        case cloud::Op::Create:
            return "  +";
        case cloud::Op::Update:
            return "  ~";
        case cloud::Op::Replace:
            return "-/+";
        case cloud::Op::Delete:
            return "  -";
        case cloud::Op::Release:
        case cloud::Op::Wait:
            return "  .";
    }
    return "   ";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string step_line(const cloud::Step& step) {
    std::string line = std::string("  ") + sign(step.op) + " " + step.key.to_string();
    if (step.op == cloud::Op::Replace) line += "  # forces replacement: " + joined(step.reasons);
    if (step.op == cloud::Op::Update || step.op == cloud::Op::Wait) line += "  # " + joined(step.reasons);
    return line + "\n";
}

std::string object_line(const ObjectPlan& plan) {
    std::string line = plan.kind + " " + plan.key.to_string();
    if (!plan.exists) return line + ": would be created\n";
    if (plan.changed.empty()) return line + ": unchanged\n";
    return line + ": would change " + joined(plan.changed) + "\n";
}

}  // namespace

std::vector<std::string> differing_paths(const nlohmann::json& before, const nlohmann::json& after,
                                         const std::string& root) {
    std::vector<std::string> paths;
    collect(before, after, root, paths);
    return paths;
}

bool has_changes(const std::vector<ObjectPlan>& plans) {
    return std::ranges::any_of(plans, [](const ObjectPlan& plan) {
        const bool steps =
            std::ranges::any_of(plan.plan.steps, [](const auto& step) { return step.op != cloud::Op::Wait; });
        return !plan.exists || !plan.changed.empty() || steps;
    });
}

std::string plan_text(const std::vector<ObjectPlan>& plans) {
    std::string text;
    std::map<cloud::Op, int> counts;
    for (const ObjectPlan& plan : plans) {
        text += object_line(plan);
        if (plan.error) text += "    ! " + plan.error->reason() + ": " + plan.error->message() + "\n";
        for (const cloud::Step& step : plan.plan.steps) {
            text += step_line(step);
            ++counts[step.op];
        }
    }
    if (!has_changes(plans)) return text + "No changes: the world is as the manifests say.\n";
    return text + "Plan: " + std::to_string(counts[cloud::Op::Create]) + " to create, " +
           std::to_string(counts[cloud::Op::Update]) + " to update, " + std::to_string(counts[cloud::Op::Replace]) +
           " to replace, " + std::to_string(counts[cloud::Op::Delete]) + " to delete.\n";
}

}  // namespace atl::controllers
