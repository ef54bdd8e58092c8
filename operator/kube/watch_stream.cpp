#include "operator/kube/watch_stream.h"

#include "operator/kube/object_reader.h"

namespace atl::kube {

WatchStream::WatchStream(std::unique_ptr<net::BodyStream> body, std::size_t max_event)
    : body_(std::move(body)), max_event_(max_event), reader_(std::make_unique<ObjectReader>()) {}

WatchStream::~WatchStream() = default;

std::optional<std::string_view> WatchStream::next_line() {
    const std::size_t newline = buffer_.find('\n', scanned_to_);
    if (newline == std::string::npos) {
        scanned_to_ = buffer_.size();
        return std::nullopt;
    }
    const std::string_view line = std::string_view(buffer_).substr(read_to_, newline - read_to_);
    read_to_ = scanned_to_ = newline + 1;
    return line;
}

Error WatchStream::too_large() const {
    return invalid("EventTooLarge", "an event of the watch is longer than " + std::to_string(max_event_) + " bytes");
}

Task<std::optional<WatchEvent>> WatchStream::next() {
    for (;;) {
        while (const std::optional<std::string_view> line = next_line()) {
            if (line->size() > max_event_) co_return too_large();
            if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
            co_return reader_->read_watch_event(*line);
        }
        buffer_.erase(0, read_to_);
        scanned_to_ -= read_to_;
        read_to_ = 0;
        if (buffer_.size() > max_event_) {
            co_return too_large();
        }
        const std::optional<std::string> piece = co_await body_->next();
        if (!piece) co_return std::nullopt;
        buffer_ += *piece;
    }
}

}  // namespace atl::kube
