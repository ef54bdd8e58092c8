#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace atl::schema {

/// A string as Go's %q writes it: "a\tb". Texts of errors need it to be the same as kube-apiserver's.
std::string go_quote(std::string_view text);

/// A JSON value as Go's encoding/json writes it: sorted keys, no spaces, <, > and & as \u003c. Needs kMaxDepth to hold.
std::string go_json(const nlohmann::json& value);

/// A floating point number as Go's %v writes it: 0.5, 1e+06.
std::string go_float(double value);

/// How many code points a UTF-8 text has; broken bytes count one each.
std::size_t rune_count(std::string_view text);

/// The length of the UTF-8 sequence that starts at `at`, 1 if it is broken; and its code point (U+FFFD if broken).
std::size_t rune_at(std::string_view text, std::size_t at, char32_t& rune);

/// Appends a code point as UTF-8; what is none becomes U+FFFD.
void append_rune(std::string& out, char32_t rune);

}  // namespace atl::schema
