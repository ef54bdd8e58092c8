#include "operator/schema/cel/authorization.h"

#include "operator/schema/cel/function.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

Value next(Kind kind, RightsQuestion question) {
    return Value(RightsValue{kind, std::make_shared<const RightsQuestion>(std::move(question))});
}

const RightsQuestion& question_of(Args args) {
    return *args[0].as<RightsValue>()->question;
}

/// The question with one more part.
template <Kind kind, std::string RightsQuestion::* part>
Value with(Args args) {
    RightsQuestion question = question_of(args);
    question.*part = std::string(args[1].string());
    return next(kind, std::move(question));
}

Value service_account(Args args) {
    RightsQuestion question = question_of(args);
    question.service_account =
        "system:serviceaccount:" + std::string(args[1].string()) + ":" + std::string(args[2].string());
    return next(Kind::Authorizer, std::move(question));
}

Value check(Args args) {
    RightsQuestion question = question_of(args);
    question.verb = std::string(args[1].string());
    Result<bool> allowed = question.oracle->is_allowed(question);
    question.allowed = allowed.ok() && *allowed;
    if (!allowed.ok()) question.error = allowed.error().message();
    return next(Kind::Decision, std::move(question));
}

Value allowed(Args args) {
    return Value(question_of(args).allowed);
}

Value errored(Args args) {
    return Value(!question_of(args).error.empty());
}

Value error(Args args) {
    return Value::text(question_of(args).error);
}

Value reason(Args) {
    return Value::text("");
}

// clang-format off
constexpr FunctionRow kAuthorization[] = {
    {"path",           "authorizer.(string) path_check",               with<Kind::PathCheck, &RightsQuestion::path>},
    {"group",          "authorizer.(string) group_check",              with<Kind::GroupCheck, &RightsQuestion::group>},
    {"serviceAccount", "authorizer.(string, string) authorizer",       service_account},
    {"resource",       "group_check.(string) resource_check",          with<Kind::ResourceCheck, &RightsQuestion::resource>},
    {"subresource",    "resource_check.(string) resource_check",       with<Kind::ResourceCheck, &RightsQuestion::subresource>},
    {"namespace",      "resource_check.(string) resource_check",       with<Kind::ResourceCheck, &RightsQuestion::ns>},
    {"name",           "resource_check.(string) resource_check",       with<Kind::ResourceCheck, &RightsQuestion::name>},
    {"check",          "path_check.(string) decision",                 check},
    {"check",          "resource_check.(string) decision",             check},
    {"allowed",        "decision.() bool",                             allowed},
    {"errored",        "decision.() bool",                             errored},
    {"error",          "decision.() string",                           error},
    {"reason",         "decision.() string",                           reason},
};
// clang-format on

}  // namespace

Value make_authorizer(const RightsOracle& oracle) {
    RightsQuestion question;
    question.oracle = &oracle;
    return next(Kind::Authorizer, std::move(question));
}

std::span<const FunctionRow> authorization_functions() {
    return kAuthorization;
}

}  // namespace atl::schema::cel
