#include "operator/net/http_codec.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace atl::net {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

namespace {

constexpr std::size_t kResponseHeadLimit = 65536;

/// Collects the body's bytes as they come, without reserving what a header promises.
struct PieceBody {
    using value_type = std::string;
    class reader {
    public:
        template <bool is_request, class Fields>
        reader(http::header<is_request, Fields>& /*head*/, value_type& body) : body_(body) {}
        void init(const boost::optional<std::uint64_t>& /*length*/, error_code& error) { error = {}; }
        template <class Buffers>
        std::size_t put(const Buffers& buffers, error_code& error) {
            error = {};
            std::size_t taken = 0;
            for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers);
                 ++at) {
                const boost::asio::const_buffer piece(*at);
                body_.append(static_cast<const char*>(piece.data()), piece.size());
                taken += piece.size();
            }
            return taken;
        }
        void finish(error_code& error) { error = {}; }

    private:
        value_type& body_;
    };
};

/// Feeds until the parser has all, or wants more.
template <class Parser>
error_code feed_parser(Parser& parser, std::string_view bytes, std::size_t& taken) {
    error_code error;
    while (!error && !parser.is_done() && taken < bytes.size()) {
        // Beast 1.74 forgets an error that the end of the head brought (a body that is too large) if it goes on.
        parser.eager(parser.is_header_done());
        const std::string_view rest = bytes.substr(taken);
        const std::size_t count = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
        taken += count;
        if (!error && count == 0) break;
    }
    if (error == http::error::need_more) error = {};
    return error;
}

template <class Message>
Headers headers_of(const Message& message) {
    Headers headers;
    for (const auto& field : message) headers.add(std::string(field.name_string()), std::string(field.value()));
    return headers;
}

bool is_token(std::string_view text) {
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return letter || kOthers.find(c) != std::string_view::npos;
    });
}

bool is_value(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

bool is_target(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > 0x20 && byte != 0x7f;
    });
}

/// Headers that follow from how the message is framed, and are written here only.
bool is_framing(const std::string& name) {
    const string_view shown(name.data(), name.size());
    return boost::beast::iequals(shown, "content-length") || boost::beast::iequals(shown, "transfer-encoding") ||
           boost::beast::iequals(shown, "connection");
}

void add_line(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
}

std::string host_of(const Endpoint& endpoint) {
    if (endpoint.scheme == Scheme::Unix) return "localhost";
    const bool is_v6 = endpoint.host.find(':') != std::string::npos;
    const std::string host = is_v6 ? "[" + endpoint.host + "]" : endpoint.host;
    const std::uint16_t usual = endpoint.scheme == Scheme::Https ? 443 : 80;
    return endpoint.port == usual ? host : host + ":" + std::to_string(endpoint.port);
}

}  // namespace

struct RequestParser::State {
    http::request_parser<PieceBody> parser;
};

RequestParser::RequestParser(std::size_t head_limit, std::size_t body_limit) : state_(std::make_unique<State>()) {
    state_->parser.header_limit(static_cast<std::uint32_t>(head_limit));
    state_->parser.body_limit(std::uint64_t{body_limit});
}

RequestParser::~RequestParser() = default;

Result<std::size_t> RequestParser::feed(std::string_view bytes) {
    std::size_t taken = 0;
    const error_code error = feed_parser(state_->parser, bytes, taken);
    if (!error && has_head()) {
        // Beast takes a body of another coding for none, and would read it as the next request.
        const auto& coding = state_->parser.get()[http::field::transfer_encoding];
        if (coding.empty() || boost::beast::iequals(coding, "chunked")) return taken;
        return invalid("Malformed", "the request is not HTTP: bad Transfer-Encoding").with_status(400);
    }
    if (!error) return taken;
    if (error == http::error::header_limit) return invalid("HeadTooLarge", "the head is too large").with_status(431);
    if (error == http::error::body_limit) return invalid("BodyTooLarge", "the body is too large").with_status(413);
    return invalid("Malformed", "the request is not HTTP: " + error.message()).with_status(400);
}

bool RequestParser::has_head() const {
    return state_->parser.is_header_done();
}

bool RequestParser::is_done() const {
    return state_->parser.is_done();
}

bool RequestParser::expects_continue() const {
    return boost::beast::iequals(state_->parser.get()[http::field::expect], "100-continue");
}

namespace {

/// A target in absolute form, as clients of proxies send it ("GET http://host/path"): its path becomes the target and
/// its authority the Host, whatever that header said (RFC 9112, 3.2.2).
void to_origin_form(ServerRequest& request) {
    const std::string_view target = request.target;
    const std::size_t scheme = target.find("://");
    if (target.starts_with('/') || scheme == std::string_view::npos) return;
    const boost::beast::string_view name(target.data(), scheme);
    if (!boost::beast::iequals(name, "http") && !boost::beast::iequals(name, "https")) return;
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
    const std::string host(rest.substr(0, path));
    if (host.empty()) return;
    std::string origin = (path < rest.size() && rest[path] == '/' ? "" : "/") + std::string(rest.substr(path));
    request.headers.set("Host", host);
    request.target = std::move(origin);
}

}  // namespace

bool RequestParser::keeps_alive() const {
    return state_->parser.keep_alive();
}

bool RequestParser::is_http10() const {
    return state_->parser.get().version() < 11;
}

ServerRequest RequestParser::take() {
    auto message = state_->parser.release();
    ServerRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.headers = headers_of(message);
    request.body = std::move(message.body());
    to_origin_form(request);
    return request;
}

struct ResponseParser::State {
    Body body;
    std::size_t body_limit;
    std::optional<http::response_parser<PieceBody>> parser;
    bool has_begun = false;

    void restart() {
        parser.emplace();
        parser->header_limit(kResponseHeadLimit);
        // Not boost::none: Beast 1.74 takes "no limit" for a limit below every Content-Length.
        parser->body_limit(std::uint64_t{body_limit});
        parser->skip(body == Body::None);
    }
    bool is_interim() const {
        const unsigned status = parser->is_header_done() ? parser->get().result_int() : 0;
        return status / 100 == 1 && status != 101;
    }
};

ResponseParser::ResponseParser(Body body, std::size_t body_limit) : state_(std::make_unique<State>()) {
    state_->body = body;
    state_->body_limit = body_limit;
    state_->restart();
}

ResponseParser::ResponseParser(ResponseParser&& other) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&& other) noexcept = default;
ResponseParser::~ResponseParser() = default;

Result<std::size_t> ResponseParser::feed(std::string_view bytes) {
    std::size_t taken = 0;
    state_->has_begun = state_->has_begun || !bytes.empty();
    error_code error = feed_parser(*state_->parser, bytes, taken);
    while (!error && state_->is_interim()) {
        state_->restart();
        error = feed_parser(*state_->parser, bytes, taken);
    }
    if (!error) return taken;
    if (error == http::error::body_limit) {
        return invalid("BodyTooLarge",
                       "the body of the response is larger than " + std::to_string(state_->body_limit) + " bytes");
    }
    return transient("ConnectionLost", "the response is not HTTP: " + error.message());
}

Result<Unit> ResponseParser::feed_end() {
    error_code error;
    if (!state_->has_begun) return transient("ConnectionLost", "closed by the peer before any response");
    if (!state_->parser->is_done()) state_->parser->put_eof(error);
    if (error) return transient("ConnectionLost", "closed by the peer in the middle of the response");
    return ok();
}

bool ResponseParser::has_begun() const {
    return state_->has_begun;
}

bool ResponseParser::has_head() const {
    return state_->parser->is_header_done();
}

bool ResponseParser::is_done() const {
    return state_->parser->is_done();
}

bool ResponseParser::keeps_alive() const {
    return state_->parser->keep_alive() && !state_->parser->upgrade();
}

int ResponseParser::status() const {
    return static_cast<int>(state_->parser->get().result_int());
}

Headers ResponseParser::headers() const {
    return headers_of(state_->parser->get());
}

std::string ResponseParser::take_body() {
    return std::exchange(state_->parser->get().body(), {});
}

Result<std::string> request_head(const Request& request) {
    if (!is_token(request.method)) return invalid("MalformedRequest", "the method \"" + request.method + "\" is none");
    if (!is_target(request.target)) {
        return invalid("MalformedRequest", "the target has a space or control character, or is empty");
    }
    std::string head = request.method + " " + request.target + " HTTP/1.1\r\n";
    if (!request.headers.find("host")) add_line(head, "Host", host_of(request.endpoint));
    for (const auto& [name, value] : request.headers.fields()) {
        if (!is_token(name) || !is_value(value)) {
            return invalid("MalformedRequest", "the header \"" + name + "\" has a character that is not allowed");
        }
        if (!is_framing(name)) add_line(head, name, value);
    }
    const bool usual = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (usual || !request.body.empty()) add_line(head, "Content-Length", std::to_string(request.body.size()));
    return head + "\r\n";
}

std::string response_head(int status, const Headers& headers, Framing framing, std::size_t length, After after) {
    std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
    head.append(status_phrase(status)).append("\r\n");
    for (const auto& [name, value] : headers.fields()) {
        if (is_token(name) && is_value(value) && !is_framing(name)) add_line(head, name, value);
    }
    const bool has_body = status / 100 != 1 && status != 204 && status != 304;
    if (framing == Framing::Chunks) add_line(head, "Transfer-Encoding", "chunked");
    if (framing == Framing::Length && has_body) add_line(head, "Content-Length", std::to_string(length));
    if (after == After::Close) add_line(head, "Connection", "close");
    return head + "\r\n";
}

std::string_view status_phrase(int status) {
    const auto known = http::int_to_status(static_cast<unsigned>(status));
    const string_view phrase = http::obsolete_reason(known);
    return {phrase.data(), phrase.size()};
}

std::string chunk_head(std::size_t size) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string digits;
    for (std::size_t rest = size; rest > 0; rest /= 16) digits.push_back(kHex[rest % 16]);
    std::reverse(digits.begin(), digits.end());
    return digits + "\r\n";
}

}  // namespace atl::net
