#include "operator/kube/credentials.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "operator/base/files.h"
#include "operator/kube/kubeconfig.h"

namespace atl::kube {

namespace {

constexpr Duration kReadAgain = std::chrono::minutes(1);

struct Place {
    net::Scheme scheme = net::Scheme::Https;
    std::string host;
    std::uint16_t port = 443;
};

Result<std::uint16_t> read_port(std::string_view text) {
    unsigned port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, port);
    if (failure != std::errc() || stop != end || port == 0 || port > 65535) {
        return invalid("InvalidKubeconfig",
                       "the server's port \"" + std::string(text) + "\" is not a number from 1 to 65535");
    }
    return static_cast<std::uint16_t>(port);
}

/// "https://[::1]:6443/" and the like; a path is refused, since requests would lose it.
Result<Place> read_url(const std::string& url) {
    Place place;
    std::string_view rest = url;
    if (rest.starts_with("https://")) {
        rest.remove_prefix(8);
    } else if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
        place.scheme = net::Scheme::Http;
        place.port = 80;
    } else {
        return invalid("InvalidKubeconfig", "the server \"" + url + "\" does not begin with https:// or http://");
    }
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find('/') != std::string_view::npos) {
        return unsupported("UnsupportedKubeconfig", "the server \"" + url + "\" has a path, which is not supported");
    }
    const std::size_t bracket = rest.find(']');
    const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) return invalid("InvalidKubeconfig", "the server \"" + url + "\" has no host");
    place.host = std::string(host);
    if (colon == std::string_view::npos) return place;
    const Result<std::uint16_t> port = read_port(rest.substr(colon + 1));
    if (!port.ok()) return port.error();
    place.port = *port;
    return place;
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
    return text;
}

/// Reads what the config names, and again when a minute has passed or the server has refused.
class ConfigCredentials final : public CredentialSource {
public:
    ConfigCredentials(ClientConfig config, Place place, Files& files, const Clock& clock)
        : config_(std::move(config)), place_(std::move(place)), files_(files), clock_(clock) {}

    Result<Access> current() override {
        if (access_ && (!has_files() || clock_.now() - read_at_ < kReadAgain)) return *access_;
        Result<Access> fresh = read();
        // A file that is being replaced just now: what we had may still be good.
        if (!fresh.ok() && access_ && !refused_) return *access_;
        if (!fresh.ok()) return fresh;
        read_at_ = clock_.now();
        refused_ = false;
        access_ = *fresh;
        return fresh;
    }
    void refused() override {
        if (!has_files()) return;
        refused_ = true;
        read_at_ = Instant() - kReadAgain;
    }

private:
    bool has_files() const {
        return !config_.token_file.empty() || !config_.certificate_authority.file.empty() ||
               !config_.certificate.file.empty() || !config_.key.file.empty();
    }
    Result<std::string> pem(const PemSource& source) {
        if (source.file.empty()) return source.data;
        return files_.read(source.file);
    }
    Result<Access> read() {
        Access access;
        access.endpoint.scheme = place_.scheme;
        access.endpoint.host = place_.host;
        access.endpoint.port = place_.port;
        net::TlsConfig tls;
        tls.server_name = config_.server_name;
        struct Part {
            const PemSource& source;
            std::string& pem;
        };
        for (const Part& part : {Part{config_.certificate_authority, tls.ca_pem},
                                 Part{config_.certificate, tls.certificate_pem}, Part{config_.key, tls.key_pem}}) {
            Result<std::string> text = pem(part.source);
            if (!text.ok()) return unreadable(text.error());
            part.pem = std::move(text).value();
        }
        std::string token = config_.token;
        if (!config_.token_file.empty()) {
            Result<std::string> text = files_.read(config_.token_file);
            if (!text.ok()) return unreadable(text.error());
            token = trimmed(std::move(text).value());
        }
        if (!token.empty()) access.authorization = "Bearer " + token;
        if (place_.scheme == net::Scheme::Https)
            access.endpoint.tls = std::make_shared<const net::TlsConfig>(std::move(tls));
        return access;
    }
    static Error unreadable(const Error& error) {
        return Error(ErrorClass::Credentials, error.reason(),
                     "reading credentials of the API server: " + error.message());
    }

    ClientConfig config_;
    Place place_;
    Files& files_;
    const Clock& clock_;
    std::optional<Access> access_;
    Instant read_at_{};
    bool refused_ = false;
};

bool is_set(const PemSource& source) {
    return !source.data.empty() || !source.file.empty();
}

}  // namespace

Result<std::shared_ptr<CredentialSource>> make_credentials(ClientConfig config, Files& files, const Clock& clock) {
    Result<Place> place = read_url(config.server);
    if (!place.ok()) return place.error();
    if (is_set(config.certificate) != is_set(config.key)) {
        return invalid("InvalidKubeconfig",
                       "a client certificate needs its key, and a key its certificate; one is missing");
    }
    const bool secret = !config.token.empty() || !config.token_file.empty();
    if (place->scheme == net::Scheme::Http && secret) {
        return invalid("InvalidKubeconfig",
                       "the server \"" + config.server + "\" is not https: the token would go in the clear");
    }
    return std::shared_ptr<CredentialSource>(
        std::make_shared<ConfigCredentials>(std::move(config), std::move(place).value(), files, clock));
}

Result<ClientConfig> in_cluster_config(Files& files, const std::string& directory, const std::string& host,
                                       const std::string& port) {
    if (host.empty() || port.empty()) {
        return Error(
            ErrorClass::Credentials, "NotInCluster",
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is no pod; give a kubeconfig");
    }
    ClientConfig config;
    const bool is_v6 = host.find(':') != std::string::npos;
    config.server = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port;
    config.certificate_authority.file = directory + "/ca.crt";
    config.token_file = directory + "/token";
    if (!files.exists(config.token_file)) {
        return Error(ErrorClass::Credentials, "NotInCluster",
                     "\"" + config.token_file + "\" is not there: the pod has no service account token");
    }
    const Result<std::string> ns = files.read(directory + "/namespace");
    if (ns.ok() && !trimmed(*ns).empty()) config.default_namespace = trimmed(*ns);
    return config;
}

}  // namespace atl::kube
