#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "operator/base/task.h"
#include "operator/kube/object.h"
#include "operator/net/transport.h"

namespace atl::kube {

/// What a line of a watch says.
struct WatchEvent {
    enum class Kind {
        Added,
        Modified,
        Deleted,      ///< object: its last state
        Bookmark,     ///< only resource_version means something
        Undecodable,  ///< an object that cannot be read; error says which and why. Others go on
        Failed,       ///< the server ends the watch: error has its class, reason and Retry-After
    };
    Kind kind = Kind::Bookmark;
    std::optional<Object> object;     ///< for Added, Modified, Deleted
    std::optional<Error> error;       ///< for Undecodable, Failed
    std::string resource_version;     ///< of the object or bookmark; empty if unknown
    bool initial_events_end = false;  ///< this bookmark ends the present state of a WatchList
};

class ObjectReader;

/// The changes of a collection, as they come. Dropping it ends the watch.
class WatchStream {
public:
    WatchStream(std::unique_ptr<net::BodyStream> body, std::size_t max_event);
    ~WatchStream();
    /// The next event; nullopt at the clean end. A line longer than the limit is an Invalid error (EventTooLarge); a
    /// connection that breaks is Transient. A last line without its newline is dropped: it was cut.
    Task<std::optional<WatchEvent>> next();

private:
    std::optional<std::string_view> next_line();
    Error too_large() const;

    std::unique_ptr<net::BodyStream> body_;
    std::size_t max_event_;
    std::unique_ptr<ObjectReader> reader_;
    std::string buffer_;
    std::size_t read_to_ = 0;     ///< start of the first line that was not given out
    std::size_t scanned_to_ = 0;  ///< no newline before this
};

}  // namespace atl::kube
