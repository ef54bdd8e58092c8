#pragma once

#include <string>
#include <string_view>

namespace atl::schema {

/// A place in an object, as a chain on the stack: costs nothing until someone asks for its text. The names must outlive
/// it.
class FieldPath {
public:
    /// The object itself.
    FieldPath() = default;

    /// A declared field: ".name".
    FieldPath child(std::string_view name) const { return FieldPath(this, Kind::Child, name, 0); }
    /// An entry of a map: "[name]", or ".name" in the texts of value validation.
    FieldPath key(std::string_view name) const { return FieldPath(this, Kind::Key, name, 0); }
    /// An item of a list: "[3]".
    FieldPath index(std::size_t at) const { return FieldPath(this, Kind::Index, {}, at); }

    bool is_root() const { return parent_ == nullptr; }

    /// "spec.labels[app]", as field.Path of apimachinery; "<nil>" for the object itself.
    std::string text() const;
    /// "spec.labels.app", as value validation writes it; "" for the object itself.
    std::string dotted() const;

private:
    enum class Kind { Root, Child, Key, Index };
    FieldPath(const FieldPath* parent, Kind kind, std::string_view name, std::size_t index)
        : parent_(parent), kind_(kind), name_(name), index_(index) {}
    void append(std::string& out, bool dots) const;

    const FieldPath* parent_ = nullptr;
    Kind kind_ = Kind::Root;
    std::string_view name_;
    std::size_t index_ = 0;
};

}  // namespace atl::schema
