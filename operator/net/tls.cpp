#include "operator/net/tls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace atl::net {

namespace {

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

constexpr unsigned char kAlpn[] = "\x08http/1.1";

Error unusable(const std::string& what) {
    ERR_clear_error();
    return {ErrorClass::Credentials, "TlsConfigInvalid", what};
}

Bio open_text(const std::string& text) {
    return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), 1U << 30U))));
}

/// Never asks on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) {
    return 0;
}

std::vector<Certificate> read_certificates(const std::string& pem) {
    std::vector<Certificate> certificates;
    const Bio text = open_text(pem);
    while (X509* certificate = PEM_read_bio_X509(text.get(), nullptr, no_password, nullptr)) {
        certificates.emplace_back(certificate);
    }
    ERR_clear_error();
    return certificates;
}

Result<Unit> use_identity(SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem) {
    const auto chain = read_certificates(certificate_pem);
    if (chain.empty()) return unusable("the certificate is not a PEM certificate");
    const Bio text = open_text(key_pem);
    const Key key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr));
    if (!key) return unusable("the private key is not an unencrypted PEM key");
    if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) return unusable("the certificate cannot be used");
    for (std::size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].get());
    if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
        return unusable("the private key does not belong to the certificate");
    }
    return ok();
}

Result<Unit> trust(SSL_CTX* context, const std::string& ca_pem) {
    const auto certificates = read_certificates(ca_pem);
    if (certificates.empty()) return unusable("the CA is not a PEM certificate");
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    for (const auto& certificate : certificates) X509_STORE_add_cert(store, certificate.get());
    // A certificate that is named as trusted is, also if it is not self-signed.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    ERR_clear_error();
    return ok();
}

// NOLINTNEXTLINE(readability-function-size): OpenSSL says what it is called with.
int choose_protocol(SSL* /*session*/, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned int offered_size, void* /*context*/) {
    unsigned char* out = nullptr;
    const int found = SSL_select_next_proto(&out, size, kAlpn, sizeof(kAlpn) - 1, offered, offered_size);
    *chosen = out;
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

Context make_context(const SSL_METHOD* method) {
    Context context(SSL_CTX_new(method));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // Idle connections then hold no buffers; a write may be continued from another place in memory.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context.get(), 0);
    return context;
}

bool is_address(const std::string& host) {
    ASN1_OCTET_STRING* parsed = a2i_IPADDRESS(host.c_str());
    ASN1_OCTET_STRING_free(parsed);
    ERR_clear_error();
    return parsed != nullptr;
}

std::vector<std::string> subject_entries(const X509* certificate, int kind) {
    std::vector<std::string> entries;
    const X509_NAME* subject = X509_get_subject_name(certificate);
    int at = X509_NAME_get_index_by_NID(subject, kind, -1);
    while (at >= 0) {
        unsigned char* text = nullptr;
        const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
        if (size >= 0) entries.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
        OPENSSL_free(text);
        at = X509_NAME_get_index_by_NID(subject, kind, at);
    }
    return entries;
}

/// Whether the peer sent an alert that is about certificates.
bool refuses_certificate(unsigned long code) {
    constexpr std::array kAlerts = {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,     SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
                                    SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
                                    SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
                                    SSL_R_TLSV1_ALERT_ACCESS_DENIED,       SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED};
    return std::find(kAlerts.begin(), kAlerts.end(), ERR_GET_REASON(code)) != kAlerts.end();
}

}  // namespace

struct TlsContext::State {
    Context native;
    std::string server_name;
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::for_client(const TlsConfig& config) {
    Context context = make_context(TLS_client_method());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_alpn_protos(context.get(), kAlpn, sizeof(kAlpn) - 1);
    if (config.ca_pem.empty()) {
        SSL_CTX_set_default_verify_paths(context.get());
    } else {
        Result<Unit> trusted = trust(context.get(), config.ca_pem);
        if (!trusted.ok()) return std::move(trusted).error();
    }
    if (!config.certificate_pem.empty() || !config.key_pem.empty()) {
        Result<Unit> used = use_identity(context.get(), config.certificate_pem, config.key_pem);
        if (!used.ok()) return std::move(used).error();
    }
    return std::make_shared<TlsContext>(std::make_unique<State>(State{std::move(context), config.server_name}));
}

Result<std::shared_ptr<TlsContext>> TlsContext::for_server(const ServerTls& config) {
    Context context = make_context(TLS_server_method());
    SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
    Result<Unit> used = use_identity(context.get(), config.certificate_pem, config.key_pem);
    if (!used.ok()) return std::move(used).error();
    if (!config.client_ca_pem.empty()) {
        Result<Unit> trusted = trust(context.get(), config.client_ca_pem);
        if (!trusted.ok()) return std::move(trusted).error();
        for (const auto& ca : read_certificates(config.client_ca_pem)) SSL_CTX_add_client_CA(context.get(), ca.get());
        const bool required = config.client_certificate == ClientCertificate::Required;
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
    }
    return std::make_shared<TlsContext>(std::make_unique<State>(State{std::move(context), {}}));
}

struct TlsSession::State {
    std::shared_ptr<TlsContext> context;
    std::unique_ptr<SSL, Freed<SSL_free>> native;
    std::string host;
    bool established = false;

    Step step(int result, std::size_t bytes);
    Error failure(int saved_errno, bool eof);
};

TlsSession::TlsSession(std::shared_ptr<TlsContext> context, int socket, const std::string& host)
    : TlsSession(std::move(context), socket) {
    const std::string& fixed = state_->context->state().server_name;
    state_->host = fixed.empty() ? host : fixed;
    SSL* native = state_->native.get();
    SSL_set_connect_state(native);
    X509_VERIFY_PARAM* parameters = SSL_get0_param(native);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address(state_->host)) {
        X509_VERIFY_PARAM_set1_ip_asc(parameters, state_->host.c_str());
    } else {
        X509_VERIFY_PARAM_set1_host(parameters, state_->host.c_str(), state_->host.size());
        SSL_set_tlsext_host_name(native, state_->host.c_str());
    }
}

TlsSession::TlsSession(std::shared_ptr<TlsContext> context, int socket) : state_(std::make_unique<State>()) {
    state_->context = std::move(context);
    state_->native.reset(SSL_new(state_->context->state().native.get()));
    SSL_set_fd(state_->native.get(), socket);
    SSL_set_accept_state(state_->native.get());
}

TlsSession::~TlsSession() {
    ERR_clear_error();
}

/// Why the last call failed, in words.
Error TlsSession::State::failure(int saved_errno, bool eof) {
    const unsigned long code = ERR_peek_last_error();
    const char* words = ERR_reason_error_string(code);
    std::string why = words != nullptr ? words : "the peer closed the connection";
    if (code == 0 && saved_errno != 0) why = std::generic_category().message(saved_errno);
    const long verified = SSL_get_verify_result(native.get());
    ERR_clear_error();
    if (!established && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        return {ErrorClass::Credentials, "TlsVerificationFailed",
                "the certificate of \"" + host + "\" is not accepted: " + X509_verify_cert_error_string(verified)};
    }
    if (refuses_certificate(code)) {
        return {ErrorClass::Credentials, "TlsVerificationFailed", "\"" + host + "\" refuses our certificate: " + why};
    }
    if (eof) why = "the peer closed the connection without ending the TLS stream";
    return transient(established ? "ConnectionLost" : "ConnectFailed", "TLS: " + why);
}

Step TlsSession::State::step(int result, std::size_t bytes) {
    const int saved_errno = errno;
    if (result > 0) return {Step::Kind::Done, bytes, {}};
    switch (SSL_get_error(native.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return {Step::Kind::WantRead, 0, {}};
        case SSL_ERROR_WANT_WRITE:
            return {Step::Kind::WantWrite, 0, {}};
        case SSL_ERROR_ZERO_RETURN:
            return {Step::Kind::End, 0, {}};
        case SSL_ERROR_SYSCALL:
            return {Step::Kind::Broken, 0, failure(saved_errno, saved_errno == 0)};
        default:
            break;
    }
    const bool eof = ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    return {Step::Kind::Broken, 0, failure(0, eof)};
}

Step TlsSession::handshake() {
    ERR_clear_error();
    errno = 0;
    Step step = state_->step(SSL_do_handshake(state_->native.get()), 0);
    state_->established = step.kind == Step::Kind::Done;
    return step;
}

Step TlsSession::read(char* into, std::size_t room) {
    ERR_clear_error();
    errno = 0;
    std::size_t bytes = 0;
    const int result = SSL_read_ex(state_->native.get(), into, room, &bytes);
    return state_->step(result, bytes);
}

Step TlsSession::write(std::string_view bytes) {
    ERR_clear_error();
    errno = 0;
    std::size_t written = 0;
    const int result = SSL_write_ex(state_->native.get(), bytes.data(), bytes.size(), &written);
    return state_->step(result, written);
}

void TlsSession::close() {
    if (!state_->established) return;
    ERR_clear_error();
    SSL_shutdown(state_->native.get());
    ERR_clear_error();
}

std::string TlsSession::peer_common_name() const {
    const X509* certificate = SSL_get0_peer_certificate(state_->native.get());
    if (certificate == nullptr) return {};
    const auto names = subject_entries(certificate, NID_commonName);
    return names.empty() ? std::string() : names.back();
}

std::vector<std::string> TlsSession::peer_organizations() const {
    const X509* certificate = SSL_get0_peer_certificate(state_->native.get());
    return certificate == nullptr ? std::vector<std::string>() : subject_entries(certificate, NID_organizationName);
}

}  // namespace atl::net
