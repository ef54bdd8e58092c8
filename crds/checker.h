#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crds/container.h"
#include "crds/stack.h"
#include "operator/base/quantity.h"

/// Shared by the check() functions of crds/; not for others.
namespace atl::crds {

/// Collects what is wrong with the fields of one object.
class Checker {
public:
    void required(std::string field, std::string detail);
    void invalid(std::string field, std::string_view value, std::string detail);
    void invalid(std::string field, std::int64_t value, std::string detail);
    void duplicate(std::string field, std::string_view value, std::string detail = "");
    /// Names what there is instead, and the nearest of it.
    void not_found(std::string field, std::string_view value, const std::string& what, std::vector<std::string> known);
    void forbidden(std::string field, std::string detail);
    void not_supported(std::string field, std::string_view value, std::string detail);

    /// Each name of a list once, and a DNS label.
    template <class T>
    void names(const std::string& field, const std::vector<T>& list) {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < list.size(); ++i)
            name(field + "[" + std::to_string(i) + "].name", list[i].name, seen);
    }
    void name(const std::string& field, const std::string& value, std::set<std::string>& seen);
    void port(const std::string& field, std::int64_t number);
    /// No program can be given a text with U+0000 in it. The value is not shown: it may be a secret.
    void printable(const std::string& field, const std::string& text);

    FieldErrors take() { return std::move(errors_); }

private:
    void add(FieldError::Kind kind, std::string field, std::string value, std::string detail);
    FieldErrors errors_;
};

template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
    std::vector<std::string> names;
    for (const T& item : list) names.push_back(item.name);
    return names;
}

/// "field[3]".
std::string at(std::string_view field, std::size_t index);

/// The amount, if it is sound: a quantity that is not negative, below 2^63.
std::optional<Quantity> check_quantity(Checker& checker, const std::string& field, const IntOrString& amount);
void check_env(Checker& checker, const std::string& field, const std::vector<EnvVar>& env);
void check_mounts(Checker& checker, const std::string& field, const std::vector<VolumeMount>& mounts,
                  const StackSpec& stack);
void check_container(Checker& checker, const std::string& field, const Container& container, const StackSpec& stack);
/// Links and composites: ends, encapsulation, cycles.
void check_composition(Checker& checker, const StackSpec& spec);
/// That everything consumed is supplied, and composites do not grow without end. Only once the references are sound.
void check_supplies(Checker& checker, const StackSpec& spec);

}  // namespace atl::crds
