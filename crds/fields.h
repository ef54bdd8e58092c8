#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "crds/meta.h"

/// How structs and JSON become each other: shapes.h says once for each struct which fields it has (`fields`), and the
/// visitors here read, write or list them. Only for crds/*.cpp and their tests.
namespace atl::crds {

enum class Presence { Optional, Required };

/// The names of an enum's values in the API; the first is the default.
template <class E>
struct EnumNames;
template <class E>
using EnumRow = std::pair<E, std::string_view>;

/// A struct as a visitor sees it: constant for those that only look.
template <class Visitor, class T>
using Seen = std::conditional_t<Visitor::kLooks, const T&, T&>;

/// Reads a JSON object into a struct. Stops at the first field of a wrong type and keeps that error.
class Reader {
public:
    static constexpr bool kLooks = false;
    Reader(const nlohmann::json& object, std::string path, std::optional<Error>& error)
        : object_(object), path_(std::move(path)), error_(error) {}

    template <class T>
    void field(std::string_view name, T& target, Presence presence = Presence::Optional) {
        if (error_) return;
        std::string path = path_.empty() ? std::string(name) : path_ + "." + std::string(name);
        auto found = object_.find(name);
        if (found == object_.end() || found->is_null()) {
            if (presence == Presence::Required) refuse(path, "is required");
            return;
        }
        read(*found, target, path);
    }

private:
    void refuse(const std::string& path, const std::string& what);
    void refuse_type(const std::string& path, const nlohmann::json& value, std::string_view wanted);

    void read(const nlohmann::json& value, std::string& target, const std::string& path);
    void read(const nlohmann::json& value, std::int64_t& target, const std::string& path);
    void read(const nlohmann::json& value, bool& target, const std::string& path);
    void read(const nlohmann::json& value, IntOrString& target, const std::string& path);
    void read(const nlohmann::json& value, std::map<std::string, std::string>& target, const std::string& path);

    template <class T>
    void read(const nlohmann::json& value, std::optional<T>& target, const std::string& path) {
        read(value, target.emplace(), path);
    }

    template <class T>
    void read(const nlohmann::json& value, std::vector<T>& target, const std::string& path) {
        if (!value.is_array()) return refuse_type(path, value, "a list");
        target.clear();
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (error_) return;
            read(value[i], target.emplace_back(), path + "[" + std::to_string(i) + "]");
        }
    }

    template <class E>
        requires std::is_enum_v<E>
    void read(const nlohmann::json& value, E& target, const std::string& path) {
        if (!value.is_string()) return refuse_type(path, value, "a text");
        std::string allowed;
        for (const auto& [row, name] : EnumNames<E>::kRows) {
            if (value.get_ref<const std::string&>() == name) {
                target = row;
                return;
            }
            allowed += (allowed.empty() ? "\"" : ", \"") + std::string(name) + "\"";
        }
        refuse(path, "has the unsupported value " + value.dump() + "; supported: " + allowed);
    }

    template <class T>
        requires std::is_class_v<T>
    void read(const nlohmann::json& value, T& target, const std::string& path) {
        if (!value.is_object()) return refuse_type(path, value, "an object");
        Reader reader(value, path, error_);
        fields(reader, target);
    }

    const nlohmann::json& object_;
    std::string path_;
    std::optional<Error>& error_;
};

/// Writes a struct as a JSON object. Left out: unset optionals, empty texts, lists, maps and objects that are not
/// required, false, and enums at their default.
class Writer {
public:
    static constexpr bool kLooks = true;

    template <class T>
    void field(std::string_view name, const T& value, Presence presence = Presence::Optional) {
        nlohmann::json written = write(value);
        if (presence == Presence::Optional && is_nothing(written, value)) return;
        object_[std::string(name)] = std::move(written);
    }
    nlohmann::json take() { return std::move(object_); }

    static nlohmann::json write(const std::string& value) { return value; }
    static nlohmann::json write(std::int64_t value) { return value; }
    static nlohmann::json write(bool value) { return value; }
    static nlohmann::json write(const IntOrString& value);
    static nlohmann::json write(const std::map<std::string, std::string>& value) { return value; }

    template <class T>
    static nlohmann::json write(const std::optional<T>& value) {
        return value ? write(*value) : nlohmann::json();
    }

    template <class T>
    static nlohmann::json write(const std::vector<T>& value) {
        nlohmann::json list = nlohmann::json::array();
        for (const T& item : value) list.push_back(write(item));
        return list;
    }

    template <class E>
        requires std::is_enum_v<E>
    static nlohmann::json write(const E& value) {
        for (const auto& [row, name] : EnumNames<E>::kRows)
            if (row == value) return name;
        return nlohmann::json();
    }

    template <class T>
        requires std::is_class_v<T>
    static nlohmann::json write(const T& value) {
        Writer writer;
        fields(writer, value);
        return writer.take();
    }

private:
    template <class T>
    static bool is_nothing(const nlohmann::json& written, const T& value) {
        if constexpr (std::is_enum_v<T>) return value == EnumNames<T>::kRows[0].first;
        if constexpr (std::is_same_v<T, bool>) return !value;
        if constexpr (is_optional<T>) return !value;
        if constexpr (std::is_same_v<T, std::string>) return value.empty();
        return written.is_structured() && written.empty();
    }
    template <class T>
    static constexpr bool is_optional = false;
    template <class T>
    static constexpr bool is_optional<std::optional<T>> = true;

    nlohmann::json object_ = nlohmann::json::object();
};

/// Reads a whole struct at a path ("" is the object itself, "spec" its member).
template <class T>
Result<T> read_object(const nlohmann::json& object) {
    if (!object.is_object())
        return invalid("InvalidObject", "expected an object, got " + std::string(object.type_name()));
    std::optional<Error> error;
    T target;
    Reader reader(object, "", error);
    fields(reader, target);
    if (error) return *std::move(error);
    return target;
}

}  // namespace atl::crds
