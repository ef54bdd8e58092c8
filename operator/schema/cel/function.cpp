#include "operator/schema/cel/function.h"

#include <map>

namespace atl::schema::cel {
namespace {

Function read(const FunctionRow& row) {
    Function function;
    function.name = row.name;
    function.call = row.call;
    std::string_view text = row.signature;
    if (text.front() != '(') {
        function.is_member = true;
        function.parameters.push_back(parse_type(text));
        text.remove_prefix(1);  // the point
    }
    text.remove_prefix(1);
    while (text.front() != ')') {
        function.parameters.push_back(parse_type(text));
        while (text.front() == ' ' || text.front() == ',') text.remove_prefix(1);
    }
    text.remove_prefix(1);
    function.result = parse_type(text);
    return function;
}

using Key = std::pair<std::string_view, bool>;

const std::map<Key, std::vector<Function>>& all_functions() {
    static const auto all = [] {
        std::map<Key, std::vector<Function>> functions;
        for (auto table : {operator_functions(), conversion_functions(), string_functions(), list_functions(),
                           time_functions(), network_functions(), optional_functions(), authorization_functions()}) {
            for (const FunctionRow& row : table) {
                Function function = read(row);
                functions[{row.name, function.is_member}].push_back(std::move(function));
            }
        }
        return functions;
    }();
    return all;
}

}  // namespace

std::vector<const Function*> find_functions(std::string_view name, bool is_member) {
    std::vector<const Function*> found;
    auto entry = all_functions().find({name, is_member});
    if (entry == all_functions().end()) return found;
    for (const Function& function : entry->second) found.push_back(&function);
    return found;
}

bool accepts(const Type& parameter, const Value& value) {
    Kind kind = parameter.kind;
    if (kind == Kind::Dyn || kind == Kind::Parameter) return true;
    if (kind == Kind::List) return is_list(value);
    if (kind == Kind::Map || kind == Kind::Object) return is_map(value);
    return value.kind() == kind;
}

}  // namespace atl::schema::cel
