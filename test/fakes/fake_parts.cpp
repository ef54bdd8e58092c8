#include "test/fakes/fake_parts.h"

#include "operator/base/digest.h"
#include "operator/base/time.h"

namespace atl::fakes {

FakeReply refuse(int status, const std::string& message) {
    return {status, {{"message", message}}};
}

std::map<std::string, std::vector<std::string>> FakeRequest::filters() const {
    std::map<std::string, std::vector<std::string>> result;
    const auto text_of_filters = query.find("filters");
    if (text_of_filters == query.end()) return result;
    const Json parsed = Json::parse(text_of_filters->second, nullptr, false);
    if (!parsed.is_object()) return result;
    for (const auto& filter : parsed.items()) {
        for (const auto& value : filter.value().items()) {
            result[filter.key()].push_back(filter.value().is_object() ? value.key() : value.value().get<std::string>());
        }
    }
    return result;
}

bool has_labels(const Json& labels, const std::vector<std::string>& wanted) {
    for (const std::string& one : wanted) {
        const auto equals = one.find('=');
        const std::string name = one.substr(0, equals);
        if (!labels.is_object() || !labels.contains(name)) return false;
        if (equals != std::string::npos && labels[name] != one.substr(equals + 1)) return false;
    }
    return true;
}

std::string fake_id(const std::string& kind, int number, std::size_t length) {
    return sha256_hex(kind + std::to_string(number)).substr(0, length);
}

std::string fake_time(const Clock& clock) {
    return format_rfc3339_micro(clock.wall_now());
}

int exit_code_of(const Json& command, const Json& args) {
    for (const Json* words : {&command, &args}) {
        if (!words->is_array()) continue;
        for (const Json& word : *words) {
            const std::string text = word.get<std::string>();
            if (text.starts_with("exit ")) return std::stoi(text.substr(5));
            if (text == "false" || text == "/bin/false") return 1;
        }
    }
    return -1;
}

}  // namespace atl::fakes
