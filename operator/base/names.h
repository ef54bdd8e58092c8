#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// Longest DNS label, and so the longest name of an object whose name becomes a label or a host name.
inline constexpr std::size_t kMaxLabel = 63;
/// Longest DNS subdomain: the longest name of an object.
inline constexpr std::size_t kMaxSubdomain = 253;

/// What is wrong with the name, in the words of k8s.io/apimachinery/pkg/util/validation; empty if nothing is.
/// RFC 1123 label: "web-1".
std::vector<std::string> dns_label_errors(std::string_view name);
/// RFC 1123 subdomain: "web-1.example".
std::vector<std::string> dns_subdomain_errors(std::string_view name);
/// The value of a label: empty, or "My_value.1".
std::vector<std::string> label_value_errors(std::string_view value);
/// The key of a label or an annotation, a finalizer: "name" or "example.com/name".
std::vector<std::string> qualified_name_errors(std::string_view name);
/// The name of a port (IANA service name): at most 15 characters, with a letter.
std::vector<std::string> port_name_errors(std::string_view name);

/// The parts joined by '-'. If that is longer than `limit`, it is cut and ends in '-' and 10 characters of a hash over
/// all parts, so that different parts give different names. A pure function: the same parts give the same name forever.
/// `limit` is at least 12.
std::string bounded_name(const std::vector<std::string>& parts, std::size_t limit = kMaxLabel);

/// The name of the candidates that is nearest to the word (Levenshtein distance of at most a third of its length, two
/// at least): for "did you mean". nullopt if none is near.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// True if both are equal; takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);
/// A short hash for names: `length` (at most 32) characters of a-z, 2-7.
std::string short_hash(std::string_view text, std::size_t length = 10);

}  // namespace atl
