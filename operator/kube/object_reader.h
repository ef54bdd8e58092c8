#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "operator/kube/client.h"
#include "operator/kube/object.h"
#include "operator/kube/watch_stream.h"

namespace atl::kube {

/// Reads what an API server sends, in one forward scan: no tree is built, whatever the size of a list.
class ObjectReader {
public:
    ObjectReader();
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;
    ~ObjectReader();

    /// One object; see Object::parse().
    Result<Object> read_object(std::string_view text);
    /// A list ({"metadata":…,"items":[…]}). A Transient error (MalformedAnswer) if the list itself is broken.
    Result<ListPage> read_list(std::string_view text);
    /// One line of a watch.
    WatchEvent read_watch_event(std::string_view line);
    /// The text of a member of the JSON object in `text`; nullopt if it is not there. `text` must be an Object's, or
    /// within one: memory behind it is looked at.
    std::optional<std::string_view> find_member(std::string_view text, std::string_view name);

private:
    struct Scanner;
    std::unique_ptr<Scanner> scanner_;
};

}  // namespace atl::kube
