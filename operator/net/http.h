#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::net {

/// HTTP header fields in the order they came. Names compare without case (RFC 9110, 5.1).
class Headers {
public:
    Headers() = default;
    Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

    /// The first value of the field.
    std::optional<std::string> find(std::string_view name) const;
    /// Replaces all values of the field.
    void set(std::string name, std::string value);
    /// Adds one more value.
    void add(std::string name, std::string value);
    void remove(std::string_view name);
    const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

/// How the peer is checked and who we say we are. All PEM, from memory. The peer's chain, name and dates are always
/// verified.
struct TlsConfig {
    /// Certificates that we trust; empty means those of the system.
    std::string ca_pem;
    /// Our own certificate chain and key, for mutual TLS; both or none.
    std::string certificate_pem;
    std::string key_pem;
    /// The name to verify instead of the endpoint's host, if not empty.
    std::string server_name;
};

enum class Scheme { Http, Https, Unix };

/// Where requests go.
struct Endpoint {
    Scheme scheme = Scheme::Http;
    /// Host name or address; for Unix, the path of the socket.
    std::string host;
    std::uint16_t port = 0;
    /// For Https; may be shared by many endpoints.
    std::shared_ptr<const TlsConfig> tls;

    /// "https://10.0.0.1:6443", "unix:///run/docker.sock": for messages and metrics.
    std::string to_string() const;
};

/// One HTTP request. `target` is the path with the query, already encoded.
struct Request {
    Endpoint endpoint;
    std::string method = "GET";
    std::string target = "/";
    Headers headers;
    std::string body;
};

/// One HTTP response with its whole body.
struct Response {
    int status = 0;
    Headers headers;
    std::string body;
};

/// Percent-encodes everything but the unreserved characters of RFC 3986 (a slash too).
std::string encode_component(std::string_view text);
/// Undoes percent-encoding; nullopt if the text is malformed or decodes to a NUL byte. `plus` says whether '+' is a
/// space.
enum class Plus { Literal, Space };
std::optional<std::string> decode_component(std::string_view text, Plus plus);
/// The parameters of a query ("a=1&b"), in order, decoded; malformed ones are left out.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace atl::net
