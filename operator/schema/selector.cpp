#include "operator/schema/selector.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "operator/schema/field_error.h"
#include "operator/schema/go_text.h"
#include "operator/schema/object_meta.h"

namespace atl::schema {
namespace {

using Operator = LabelSelector::Operator;

constexpr std::string_view kSpecial = "=!(),><";
constexpr std::string_view kSpaces = " \t\r\n";

Error refused(std::string why) {
    return atl::invalid("BadSelector", std::move(why)).with_status(400);
}

std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "; ") + part;
    return all;
}

/// The words of a label selector: identifiers and symbols; "" is the end.
std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view kPairs[] = {"==", "!="};
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (kSpaces.find(text[at]) != std::string_view::npos) {
            ++at;
            continue;
        }
        std::size_t length = 1;
        if (kSpecial.find(text[at]) != std::string_view::npos) {
            for (std::string_view pair : kPairs) length = text.substr(at).starts_with(pair) ? 2 : length;
        } else {
            std::string both = std::string(kSpecial) + std::string(kSpaces);
            length = std::min(text.find_first_of(both, at), text.size()) - at;
        }
        words.emplace_back(text.substr(at, length));
        at += length;
    }
    words.emplace_back("");
    return words;
}

bool is_identifier(const std::string& word) {
    return !word.empty() && kSpecial.find(word[0]) == std::string_view::npos;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    std::int64_t value = 0;
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<Operator> operator_of(const std::string& word) {
    if (word == "=" || word == "==") return Operator::Equals;
    if (word == "!=") return Operator::NotEquals;
    if (word == "in") return Operator::In;
    if (word == "notin") return Operator::NotIn;
    if (word == ">") return Operator::GreaterThan;
    if (word == "<") return Operator::LessThan;
    return std::nullopt;
}

void sort_unique(std::vector<std::string>& values) {
    std::ranges::sort(values);
    auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
}

/// Reads the words of a label selector.
class Parser {
public:
    explicit Parser(std::string_view text) : words_(words_of(text)) {}

    Result<std::vector<LabelSelector::Requirement>> run() {
        std::vector<LabelSelector::Requirement> all;
        while (!peek().empty()) {
            if (!is_identifier(peek()) && peek() != "!") {
                return refused("found '" + peek() + "', expected: !, identifier, or 'end of string'");
            }
            LabelSelector::Requirement requirement;
            std::string problem = read(requirement);
            if (problem.empty()) problem = check(requirement);
            if (!problem.empty()) return refused("unable to parse requirement: " + problem);
            all.push_back(std::move(requirement));
            if (peek().empty()) break;
            if (peek() != ",") return refused("found '" + peek() + "', expected: ',' or 'end of string'");
            ++at_;
            if (!is_identifier(peek()) && peek() != "!")
                return refused("found '" + peek() + "', expected: identifier after ','");
        }
        return all;
    }

private:
    const std::string& peek() const { return words_[at_]; }
    const std::string& take() { return at_ + 1 < words_.size() ? words_[at_++] : words_[at_]; }

    std::string read(LabelSelector::Requirement& requirement) {
        bool negated = peek() == "!";
        if (negated) ++at_;
        if (!is_identifier(peek())) return "found '" + peek() + "', expected: identifier";
        requirement.key = take();
        std::vector<std::string> problems = qualified_name_problems(requirement.key);
        if (!problems.empty()) return "<nil>: Invalid value: " + go_quote(requirement.key) + ": " + joined(problems);
        requirement.op = negated ? Operator::DoesNotExist : Operator::Exists;
        if (negated || peek().empty() || peek() == ",") return "";
        std::optional<Operator> op = operator_of(peek());
        if (!op) return "found '" + peek() + "', expected: in, notin, =, ==, !=, gt, lt";
        ++at_;
        requirement.op = *op;
        bool is_set = *op == Operator::In || *op == Operator::NotIn;
        return is_set ? read_set(requirement.values) : read_value(requirement.values);
    }

    std::string read_value(std::vector<std::string>& values) {
        if (peek().empty() || peek() == ",") {
            values.emplace_back("");
            return "";
        }
        if (!is_identifier(peek())) return "found '" + peek() + "', expected: identifier";
        values.push_back(take());
        return "";
    }

    std::string read_set(std::vector<std::string>& values) {
        if (peek() != "(") return "found '" + peek() + "' expected: '('";
        ++at_;
        bool wants_value = true;
        while (peek() != ")") {
            if (peek() == ",") {
                if (wants_value) values.emplace_back("");
                wants_value = true;
                ++at_;
            } else if (is_identifier(peek()) && wants_value) {
                values.push_back(take());
                wants_value = false;
            } else {
                return "found '" + peek() + "', expected: ',' or ')'";
            }
        }
        if (wants_value) values.emplace_back("");
        ++at_;
        sort_unique(values);
        return "";
    }

    static std::string check(const LabelSelector::Requirement& requirement) {
        for (std::size_t i = 0; i < requirement.values.size(); ++i) {
            const std::string& value = requirement.values[i];
            std::string place = "values[" + std::to_string(i) + "]";
            bool ordered = requirement.op == Operator::GreaterThan || requirement.op == Operator::LessThan;
            if (ordered && !integer_of(value)) {
                return place + ": Invalid value: " + go_quote(value) +
                       ": for 'Gt', 'Lt' operators, the value must be an integer";
            }
            std::vector<std::string> problems = label_value_problems(value);
            if (problems.empty()) continue;
            return place + "[" + requirement.key + "]: Invalid value: " + go_quote(value) + ": " + joined(problems);
        }
        return "";
    }

    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

void sort_requirements(std::vector<LabelSelector::Requirement>& all) {
    std::ranges::sort(all, [](const auto& a, const auto& b) {
        return std::tie(a.key, a.op, a.values) < std::tie(b.key, b.op, b.values);
    });
}

std::optional<LabelSelector::Requirement> requirement_of(const nlohmann::json& expression) {
    if (!expression.is_object() || !expression.contains("key") || !expression["key"].is_string()) return std::nullopt;
    LabelSelector::Requirement requirement;
    requirement.key = expression["key"].get<std::string>();
    std::string op = expression.contains("operator") && expression["operator"].is_string()
                         ? expression["operator"].get<std::string>()
                         : "";
    if (op == "In")
        requirement.op = Operator::In;
    else if (op == "NotIn")
        requirement.op = Operator::NotIn;
    else if (op == "Exists")
        requirement.op = Operator::Exists;
    else if (op == "DoesNotExist")
        requirement.op = Operator::DoesNotExist;
    else
        return std::nullopt;
    for (const nlohmann::json& value : expression.value("values", nlohmann::json::array())) {
        if (!value.is_string()) return std::nullopt;
        requirement.values.push_back(value.get<std::string>());
    }
    sort_unique(requirement.values);
    bool wants_values = requirement.op == Operator::In || requirement.op == Operator::NotIn;
    if (wants_values == requirement.values.empty()) return std::nullopt;
    return requirement;
}

bool holds(const LabelSelector::Requirement& requirement, const std::string* label) {
    bool listed = label != nullptr && std::ranges::binary_search(requirement.values, *label);
    switch (requirement.op) {
        case Operator::Exists:
            return label != nullptr;
        case Operator::DoesNotExist:
            return label == nullptr;
        case Operator::Equals:
        case Operator::In:
            return listed;
        case Operator::NotEquals:
        case Operator::NotIn:
            return !listed;
        case Operator::GreaterThan:
        case Operator::LessThan: {
            std::optional<std::int64_t> value = label != nullptr ? integer_of(*label) : std::nullopt;
            std::optional<std::int64_t> bound = integer_of(requirement.values[0]);
            if (!value || !bound) return false;
            return requirement.op == Operator::GreaterThan ? *value > *bound : *value < *bound;
        }
    }
    return false;
}

std::string set_text(const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& value : values) all += (all.empty() ? "" : ",") + value;
    return "(" + all + ")";
}

std::string requirement_text(const LabelSelector::Requirement& requirement) {
    const std::string& key = requirement.key;
    switch (requirement.op) {
        case Operator::Exists:
            return key;
        case Operator::DoesNotExist:
            return "!" + key;
        case Operator::Equals:
            return key + "=" + requirement.values[0];
        case Operator::NotEquals:
            return key + "!=" + requirement.values[0];
        case Operator::In:
            return key + " in " + set_text(requirement.values);
        case Operator::NotIn:
            return key + " notin " + set_text(requirement.values);
        case Operator::GreaterThan:
            return key + ">" + requirement.values[0];
        case Operator::LessThan:
            return key + "<" + requirement.values[0];
    }
    return "";
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
    auto requirements = Parser(text).run();
    if (!requirements) return requirements.error();
    LabelSelector selector;
    selector.requirements_ = std::move(*requirements);
    sort_requirements(selector.requirements_);
    return selector;
}

Result<LabelSelector> LabelSelector::from_json(const nlohmann::json& selector) {
    LabelSelector result;
    if (selector.is_null()) return result;
    if (!selector.is_object()) return refused("a label selector must be an object");
    const nlohmann::json labels = selector.value("matchLabels", nlohmann::json::object());
    if (!labels.is_object()) return refused("matchLabels must be an object");
    for (const auto& [key, value] : labels.items()) {
        if (!value.is_string()) return refused("matchLabels[" + key + "] must be a string");
        result.requirements_.push_back({key, Operator::Equals, {value.get<std::string>()}});
    }
    for (const auto& expression : selector.value("matchExpressions", nlohmann::json::array())) {
        std::optional<Requirement> requirement = requirement_of(expression);
        if (!requirement) return refused(go_json(expression) + " is not a valid label selector requirement");
        result.requirements_.push_back(std::move(*requirement));
    }
    sort_requirements(result.requirements_);
    return result;
}

bool LabelSelector::matches(const nlohmann::json& labels) const {
    return std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
        auto found = labels.is_object() ? labels.find(requirement.key) : labels.end();
        bool present = labels.is_object() && found != labels.end() && found->is_string();
        return holds(requirement, present ? found->get_ptr<const std::string*>() : nullptr);
    });
}

std::string LabelSelector::text() const {
    std::string all;
    for (const Requirement& requirement : requirements_)
        all += (all.empty() ? "" : ",") + requirement_text(requirement);
    return all;
}

}  // namespace atl::schema
