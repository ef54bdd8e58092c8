#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "operator/base/result.h"
#include "operator/net/http.h"
#include "operator/net/server.h"

namespace atl::net {

/// Reads one HTTP/1.1 request out of bytes as they come.
class RequestParser {
public:
    RequestParser(std::size_t head_limit, std::size_t body_limit);
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;
    ~RequestParser();

    /// Takes what it can use from the front of `bytes` and says how much that was; the rest must come again, with more
    /// behind it. Errors (Invalid, with the HTTP status to answer): HeadTooLarge 431, BodyTooLarge 413, Malformed 400.
    Result<std::size_t> feed(std::string_view bytes);
    bool has_head() const;
    bool is_done() const;
    /// Whether the client waits for "100 Continue" before it sends the body. Once has_head().
    bool expects_continue() const;
    /// Whether the connection may carry another request after this one.
    bool keeps_alive() const;
    /// Whether the client speaks HTTP/1.0, which has no chunks.
    bool is_http10() const;
    /// Moves the request out; once is_done().
    ServerRequest take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Reads one HTTP/1.1 response out of bytes as they come; interim responses (1xx) are passed over.
class ResponseParser {
public:
    enum class Body { Expected, None };  ///< None: the answer to a HEAD

    ResponseParser(Body body, std::size_t body_limit);
    ResponseParser(ResponseParser&& other) noexcept;
    ResponseParser& operator=(ResponseParser&& other) noexcept;
    ~ResponseParser();

    /// As RequestParser::feed. Errors: Invalid with BodyTooLarge, Transient with ConnectionLost if it is not HTTP.
    Result<std::size_t> feed(std::string_view bytes);
    /// The peer ended the stream. Fails with ConnectionLost if the response is not whole.
    Result<Unit> feed_end();
    /// Whether any byte of a response has come.
    bool has_begun() const;
    bool has_head() const;
    bool is_done() const;
    bool keeps_alive() const;
    int status() const;
    Headers headers() const;
    /// Moves out what has come of the body since the last time.
    std::string take_body();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The head of a request, with Host and Content-Length. Fails (Invalid, MalformedRequest) if a part of it would break
/// the message apart (a line break in a header).
Result<std::string> request_head(const Request& request);

/// How the end of a response's body is marked.
enum class Framing { Length, Chunks, UntilClose };
enum class After { KeepAlive, Close };

/// The head of a response. Headers that would break the message apart, or contradict the framing, are left out.
std::string response_head(int status, const Headers& headers, Framing framing, std::size_t length, After after);
/// The standard phrase for a status ("Not Found").
std::string_view status_phrase(int status);
/// What stands before a chunk of so many bytes.
std::string chunk_head(std::size_t size);

}  // namespace atl::net
