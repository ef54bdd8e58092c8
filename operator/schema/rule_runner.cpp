#include "operator/schema/rules.h"
#include "operator/schema/value_validator.h"

namespace atl::schema {
namespace {

constexpr std::size_t kMaxMessage = 5 * 1024;

std::string trimmed(std::string_view text) {
    auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return "";
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

/// A value under validation, and what is known of its past.
struct Subject {
    const Json* value;
    const Json* old;          ///< what it replaces; nullptr if that cannot be told
    const Subject* ancestor;  ///< the nearest value above that has a past

    /// Errors about what did not change are let through.
    bool is_unchanged() const {
        if (old != nullptr) return *old == *value;
        return ancestor != nullptr && ancestor->old != nullptr && *ancestor->old == *ancestor->value;
    }
    Subject below(const Json& child, const Json* old_child) const {
        return {&child, old_child, old != nullptr ? this : ancestor};
    }
};

const Json* member_of(const Json* object, const std::string& name) {
    if (object == nullptr || !object->is_object()) return nullptr;
    auto found = object->find(name);
    return found == object->end() ? nullptr : &*found;
}

class RuleRunner {
public:
    explicit RuleRunner(FieldErrors& errors) : errors_(errors) {}

    void run(const Structural& node, const Subject& subject, const FieldPath& path) {
        if (!node.has_rules_below || subject.value->is_null() || stopped_) return;
        if (node.rules) run_rules(node, subject, path);
        const Json& value = *subject.value;
        if (value.is_array() && node.items) {
            OldItems old_items(node, subject.old);
            for (std::size_t i = 0; i < value.size() && !stopped_; ++i) {
                run(*node.items, subject.below(value[i], old_items.find(value[i])), path.index(i));
            }
        }
        if (!value.is_object()) return;
        for (auto member = value.begin(); member != value.end() && !stopped_; ++member) {
            const Structural* declared = node.property(member.key());
            const Structural* below = declared != nullptr ? declared : node.additional.get();
            if (below == nullptr) continue;
            FieldPath place = declared != nullptr ? path.child(member.key()) : path.key(member.key());
            run(*below, subject.below(*member, member_of(subject.old, member.key())), place);
        }
    }

private:
    void run_rules(const Structural& node, const Subject& subject, const FieldPath& path) {
        for (const Rule& rule : node.rules->rules) {
            if (stopped_) return;
            if (budget_.left <= 0) return stop(node, path, kOutOfBudget);
            bool has_no_past = subject.old == nullptr || subject.old->is_null();
            if (rule.uses_old && has_no_past && !rule.optional_old) continue;
            std::vector<cel::Value> values = values_of(*node.rules, rule, subject);
            cel::Value result = rule.program.run(values, budget_);
            if (const auto* failure = result.as<cel::Failure>()) {
                report_failure(node, rule, path, failure->message);
            } else if (!result.is_true()) {
                report_broken(node, rule, subject, path, values);
            }
        }
    }

    static std::vector<cel::Value> values_of(const RuleSet& set, const Rule& rule, const Subject& subject) {
        cel::Value old;
        bool has_past = subject.old != nullptr && !subject.old->is_null();
        if (has_past) old = cel::from_json(*subject.old, set.type.get());
        if (rule.optional_old) old = has_past ? cel::Value::some(old) : cel::Value::none();
        return {cel::from_json(*subject.value, set.type.get()), old};
    }

    void stop(const Structural& node, const FieldPath& path, std::string_view why) {
        errors_.push_back(invalid(path.text(), Json(to_string(node.type)), std::string(why)));
        stopped_ = true;
    }

    void report_failure(const Structural& node, const Rule& rule, const FieldPath& path, const std::string& problem) {
        const std::string& name = rule.message.empty() ? rule.text : rule.message;
        if (problem == cel::kCostExceeded) {
            if (budget_.left <= 0) return stop(node, path, kOutOfBudget);
            return stop(
                node, path,
                "'" + problem +
                    "': no further validation rules will be run due to call cost exceeds limit for rule: " + name);
        }
        std::string detail = problem + " evaluating rule: " + name;
        if (problem.starts_with("no such overload")) {
            detail =
                "'no such overload': call arguments did not match a supported operator, function or macro signature "
                "for rule: " +
                name;
        }
        errors_.push_back(invalid(path.text(), Json(to_string(node.type)), detail));
    }

    void report_broken(const Structural& node, const Rule& rule, const Subject& subject, const FieldPath& path,
                       const std::vector<cel::Value>& values) {
        if (!rule.uses_old && subject.is_unchanged()) return;
        FieldError error;
        error.type = rule.reason;
        error.field = path.text();
        if (!rule.field_path.empty())
            error.field = (path.is_root() ? "" : error.field) + suffix(rule.field_path, path.is_root());
        bool is_scalar = node.type != ValueType::Object && node.type != ValueType::Array;
        if (is_scalar) error.bad_value = *subject.value;
        if (rule.reason != FieldErrorType::Duplicate) error.detail = message_of(rule, values);
        errors_.push_back(std::move(error));
    }

    static std::string suffix(const std::string& field_path, bool at_root) {
        if (at_root && field_path.starts_with(".")) return field_path.substr(1);
        return field_path;
    }

    std::string message_of(const Rule& rule, const std::vector<cel::Value>& values) {
        if (rule.message_program) {
            cel::Value result = rule.message_program->run(values, budget_);
            std::string text = trimmed(result.string());
            bool usable = !text.empty() && text.size() <= kMaxMessage && text.find('\n') == std::string::npos;
            if (usable) return text;
        }
        return rule.message.empty() ? "failed rule: " + rule.text : rule.message;
    }

    static constexpr std::string_view kOutOfBudget =
        "validation failed due to running out of cost budget, no further validation rules will be run";

    FieldErrors& errors_;
    cel::Budget budget_;
    bool stopped_ = false;
};

}  // namespace

void check_rules(const Structural& root, const Json& object, const Json* old, FieldErrors& errors) {
    RuleRunner(errors).run(root, Subject{&object, old, nullptr}, FieldPath());
}

}  // namespace atl::schema
