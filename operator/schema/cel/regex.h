#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/result.h"

namespace re2 {
class RE2;
}

namespace atl::schema::cel {

/// A compiled regular expression, RE2 syntax, which is Go's: linear time, no back references.
class Regex {
public:
    static constexpr std::size_t kMaxLength = 10000;

    /// Errors: class Invalid, in the words of Go's regexp: "error parsing regexp: missing closing ): `(`".
    static Result<Regex> compile(std::string_view pattern);

    /// Whether it matches anywhere in the text.
    bool search(std::string_view text) const;
    /// The first match, "" if none.
    std::string find(std::string_view text) const;
    /// All matches that do not overlap, at most `limit` (negative: all).
    std::vector<std::string> find_all(std::string_view text, std::int64_t limit) const;

private:
    explicit Regex(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}
    std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace atl::schema::cel
