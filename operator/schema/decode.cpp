#include "operator/schema/decode.h"

#include <cmath>
#include <set>

#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestProblem = 200;

/// Builds the tree without recursion and minds depth and duplicate keys.
class Reader : public nlohmann::json_sax<Json> {
public:
    Json root;
    std::vector<std::string> duplicates;
    std::string error;

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(std::int64_t value) override { return put(value); }
    bool number_unsigned(std::uint64_t value) override {
        // As Go does: what does not fit int64 is a float.
        if (value > static_cast<std::uint64_t>(INT64_MAX)) return put(static_cast<double>(value));
        return put(static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string&) override {
        // Go writes 2.0 as 2; so a whole number is kept as one.
        bool whole = std::trunc(value) == value && std::fabs(value) < 1e15 && !std::signbit(value);
        return whole ? put(static_cast<std::int64_t>(value)) : put(value);
    }
    bool string(std::string& value) override { return put(std::move(value)); }
    bool binary(Json::binary_t&) override { return refuse("binary values are not JSON"); }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string& name) override {
        Frame& frame = frames_.back();
        if (frame.node->contains(name) && frame.repeated.insert(name).second) {
            duplicates.push_back("duplicate field " + go_quote(path_to(name)));
        }
        frame.key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …", and what was read last.
        std::string text = problem.what();
        text = text.substr(text.find("] ") + 2);
        auto colon = text.find(": ");
        if (text.starts_with("parse error") && colon != std::string::npos) text = text.substr(colon + 2);
        if (text.size() > kLongestProblem) text = text.substr(0, kLongestProblem) + "...";
        if (error.empty()) error = "not JSON, at byte " + std::to_string(position) + ": " + text;
        return false;
    }

private:
    struct Frame {
        Json* node;
        std::string key;
        std::set<std::string> repeated;
    };

    bool refuse(std::string why) {
        if (error.empty()) error = std::move(why);
        return false;
    }

    Json* place(Json value) {
        if (frames_.empty()) {
            root = std::move(value);
            return &root;
        }
        Frame& frame = frames_.back();
        if (frame.node->is_array()) return &frame.node->emplace_back(std::move(value));
        Json& slot = (*frame.node)[frame.key];
        slot = std::move(value);
        return &slot;
    }

    bool put(Json value) {
        place(std::move(value));
        return true;
    }

    bool open(Json container) {
        if (frames_.size() >= static_cast<std::size_t>(kMaxDepth)) {
            return refuse("nested deeper than " + std::to_string(kMaxDepth) + " levels");
        }
        frames_.push_back({place(std::move(container)), "", {}});
        return true;
    }

    bool close() {
        frames_.pop_back();
        return true;
    }

    std::string path_to(const std::string& name) const {
        std::string path;
        for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
            const Frame& frame = frames_[i];
            if (frame.node->is_array()) {
                path += "[" + std::to_string(frame.node->size() - 1) + "]";
            } else {
                path += (path.empty() ? "" : ".") + frame.key;
            }
        }
        return path + (path.empty() ? "" : ".") + name;
    }

    std::vector<Frame> frames_;
};

}  // namespace

Result<Decoded> decode_json(std::string_view text) {
    Reader reader;
    bool complete = Json::sax_parse(text.begin(), text.end(), &reader);
    if (!complete) return invalid("BadJson", reader.error.empty() ? "not JSON" : reader.error);
    return Decoded{std::move(reader.root), std::move(reader.duplicates)};
}

bool within_depth(const Json& value) {
    struct Level {
        const Json* node;
        Json::const_iterator next;
    };
    std::vector<Level> levels;
    if (!value.is_structured()) return true;
    levels.push_back({&value, value.cbegin()});
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == level.node->cend()) {
            levels.pop_back();
            continue;
        }
        const Json& child = *level.next++;
        if (!child.is_structured()) continue;
        if (levels.size() >= static_cast<std::size_t>(kMaxDepth)) return false;
        levels.push_back({&child, child.cbegin()});
    }
    return true;
}

}  // namespace atl::schema
