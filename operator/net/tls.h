#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/result.h"
#include "operator/net/http.h"

namespace atl::net {

/// Whether a server insists that its clients show a certificate. One that is shown is always verified.
enum class ClientCertificate { Optional, Required };

/// How a server proves itself, and whom it trusts. All PEM, from memory.
struct ServerTls {
    std::string certificate_pem;
    std::string key_pem;
    /// Client certificates are asked for, and verified against these; empty means that none is asked for.
    std::string client_ca_pem;
    ClientCertificate client_certificate = ClientCertificate::Optional;
};

/// Keys, certificates and trust, parsed once and shared by many connections. TLS 1.2 or newer, ALPN "http/1.1".
class TlsContext {
public:
    struct State;
    /// Verifies the peer's chain, name and dates, always. Fails (Credentials, TlsConfigInvalid) if a PEM text cannot be
    /// used.
    static Result<std::shared_ptr<TlsContext>> for_client(const TlsConfig& config);
    /// Fails as for_client does.
    static Result<std::shared_ptr<TlsContext>> for_server(const ServerTls& config);

    explicit TlsContext(std::unique_ptr<State> state);
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;
    ~TlsContext();
    const State& state() const { return *state_; }

private:
    std::unique_ptr<State> state_;
};

/// What became of one non-blocking step on a connection.
struct Step {
    /// What to do next.
    enum class Kind {
        Done,       ///< `bytes` were moved
        WantRead,   ///< again once the descriptor can be read
        WantWrite,  ///< again once it can be written
        End,        ///< the peer ended the stream in order
        Broken,     ///< see `error`
    };
    Kind kind = Kind::Done;
    std::size_t bytes = 0;
    std::optional<Error> error;
};

/// One TLS connection on a connected, non-blocking socket, which the caller owns. Nothing here waits.
class TlsSession {
public:
    /// The client's end; `host` is the name or address that the peer's certificate must have.
    TlsSession(std::shared_ptr<TlsContext> context, int socket, const std::string& host);
    /// The server's end.
    TlsSession(std::shared_ptr<TlsContext> context, int socket);
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;
    ~TlsSession();

    /// Until Done. Broken: Credentials with TlsVerificationFailed, which says why, or Transient with ConnectFailed.
    Step handshake();
    /// Broken: Transient with ConnectionLost; Credentials with TlsVerificationFailed if the peer refuses our
    /// certificate.
    Step read(char* into, std::size_t room);
    Step write(std::string_view bytes);
    /// Tells the peer that no more comes, if that is possible at once.
    void close();
    /// The subject of the peer's verified certificate; empty if it showed none.
    std::string peer_common_name() const;
    std::vector<std::string> peer_organizations() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace atl::net
