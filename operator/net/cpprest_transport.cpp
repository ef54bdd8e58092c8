// The only file with cpprestsdk.
#include "operator/net/cpprest_transport.h"

#include <list>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <cpprest/containerstream.h>
#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <openssl/ssl.h>
#include <pplx/threadpool.h>

#include "operator/base/deadline.h"
#include "operator/net/connection_pool.h"
#include "operator/net/tls.h"

namespace atl::net {

namespace {

namespace http = web::http;
using http::client::http_client;
using http::client::http_client_config;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kClients = 64;
constexpr std::size_t kReadBlock = 65536;

/// Carries results from cpprestsdk's threads to the loop; from none once the loop may be gone.
class Gate {
public:
    explicit Gate(Executor& executor) : executor_(&executor) {}
    void post(std::function<void()> callback) {
        const std::lock_guard lock(mutex_);
        if (executor_ != nullptr) executor_->post(std::move(callback));
    }
    void close() {
        const std::lock_guard lock(mutex_);
        executor_ = nullptr;
    }

private:
    std::mutex mutex_;
    Executor* executor_;
};

/// Why the last certificate was not accepted: cpprestsdk only says that the handshake failed.
class Verdict {
public:
    void set(std::string why) {
        const std::lock_guard lock(mutex_);
        why_ = std::move(why);
    }
    std::string get() const {
        const std::lock_guard lock(mutex_);
        return why_;
    }

private:
    mutable std::mutex mutex_;
    std::string why_;
};

/// OpenSSL asks this instead of X509_verify_cert, which does the work.
int verify_and_note(X509_STORE_CTX* chain, void* verdict) {
    const int accepted = X509_verify_cert(chain);
    const int code = X509_STORE_CTX_get_error(chain);
    std::string why;
    // A name that does not match is found by cpprestsdk, which leaves no code.
    const bool is_name = code == X509_V_OK || code == X509_V_ERR_UNSPECIFIED;
    if (accepted != 1) why = is_name ? "host name or address mismatch" : X509_verify_cert_error_string(code);
    static_cast<Verdict*>(verdict)->set(std::move(why));
    return accepted;
}

void prepare_tls(boost::asio::ssl::context& context, const TlsConfig& config, Verdict& verdict) {
    SSL_CTX* native = context.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_cert_verify_callback(native, verify_and_note, &verdict);
    if (!config.ca_pem.empty()) {
        // cpprestsdk has loaded the system's trust already; only ours counts.
        SSL_CTX_set_cert_store(native, X509_STORE_new());
        context.add_certificate_authority(boost::asio::buffer(config.ca_pem));
        X509_STORE_set_flags(SSL_CTX_get_cert_store(native), X509_V_FLAG_PARTIAL_CHAIN);
    }
    if (!config.certificate_pem.empty()) {
        context.use_certificate_chain(boost::asio::buffer(config.certificate_pem));
        context.use_private_key(boost::asio::buffer(config.key_pem), boost::asio::ssl::context::pem);
    }
}

std::string authority_of(const Endpoint& endpoint) {
    const std::string url = endpoint.to_string();
    return url.substr(url.find("://") + 3);
}

bool may_repeat(const std::string& method) {
    return method == "GET" || method == "HEAD";
}

}  // namespace

/// One endpoint with one TlsConfig.
struct CpprestClient {
    std::string url;
    TlsConfig tls;
    std::shared_ptr<Verdict> verdict = std::make_shared<Verdict>();
    std::shared_ptr<Slots> slots;
    std::unique_ptr<http_client> native;
    /// Whether a connection may be at rest in its pool.
    bool was_used = false;
};

struct CpprestTransport::State {
    Executor& executor;
    Clock& clock;
    CpprestTransportOptions options;
    std::shared_ptr<Gate> gate;
    std::list<std::shared_ptr<CpprestClient>> clients;  // the last used first

    Result<std::shared_ptr<CpprestClient>> client_for(const Endpoint& endpoint);
};

namespace {

/// One exchange under way, on cpprestsdk's threads. The last one to let go of it is never the loop's concern.
struct Call {
    std::shared_ptr<CpprestClient> client;
    std::shared_ptr<Gate> gate;
    Callback<Response> callback;
    std::size_t max_body;
    pplx::cancellation_token_source cancel;
    http::http_response native;
    Response response;
    Concurrency::streams::container_buffer<std::string> block;

    void finish(Result<Response> result) {
        auto shared = std::make_shared<Result<Response>>(std::move(result));
        gate->post([callback = callback, shared] { callback.resolve(std::move(*shared)); });
    }
};

Error error_of(const Call& call, const std::string& what) {
    const std::string message = call.client->url + ": " + what;
    const auto says = [&](const char* text) { return what.find(text) != std::string::npos; };
    const std::string verdict = call.client->verdict->get();
    if (says("SSL handshake") && !verdict.empty()) {
        return {ErrorClass::Credentials, "TlsVerificationFailed",
                "the certificate of " + call.client->url + " is not accepted: " + verdict};
    }
    if (says("SSL handshake") || says("connect to any") || says("resolv")) return transient("ConnectFailed", message);
    return transient("ConnectionLost", message);
}

/// What a task-based continuation finds: nothing, or the error. Every task of cpprestsdk must be looked at, or the
/// process ends.
template <class T>
std::optional<T> value_of(const pplx::task<T>& task, const std::shared_ptr<Call>& call) {
    try {
        return task.get();
    } catch (const std::exception& error) {
        call->finish(error_of(*call, error.what()));
    } catch (...) {
        call->finish(error_of(*call, "unknown failure"));
    }
    return std::nullopt;
}

void take_head(Call& call) {
    call.response.status = call.native.status_code();
    for (const auto& [name, value] : call.native.headers()) call.response.headers.add(name, value);
}

void check_end(const std::shared_ptr<Call>& call) {
    call->native.content_ready().then([call](const pplx::task<http::http_response>& ready) {
        const auto whole = value_of(ready, call);
        if (whole) call->finish(std::move(call->response));
    });
}

/// Reads the body block by block, so that it can be cut off.
void read_body(const std::shared_ptr<Call>& call) {
    call->block = Concurrency::streams::container_buffer<std::string>();
    call->native.body().read(call->block, kReadBlock).then([call](const pplx::task<std::size_t>& read) {
        const auto count = value_of(read, call);
        if (!count) return;
        call->response.body.append(call->block.collection(), 0, *count);
        if (call->response.body.size() > call->max_body) {
            call->cancel.cancel();
            call->finish(invalid("BodyTooLarge", "the body of the response is larger than " +
                                                     std::to_string(call->max_body) + " bytes"));
        } else if (*count == 0) {
            check_end(call);
        } else {
            read_body(call);
        }
    });
}

/// A body that cpprestsdk cannot rewind, and so cannot send twice.
Concurrency::streams::istream once(const std::string& body) {
    Concurrency::streams::producer_consumer_buffer<std::uint8_t> buffer;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(body.data());
    // Both are done when they return; looked at all the same.
    if (!body.empty()) buffer.putn_nocopy(bytes, body.size()).get();
    buffer.close(std::ios_base::out).get();
    return buffer.create_istream();
}

Result<http::http_request> to_native(const Request& request) {
    try {
        http::http_request native(request.method);
        native.set_request_uri(web::uri(request.target));
        for (const auto& [name, value] : request.headers.fields()) native.headers().add(name, value);
        if (!may_repeat(request.method) || !request.body.empty()) {
            const bool typed = native.headers().has("Content-Type");
            native.set_body(once(request.body), request.body.size());
            if (!typed) native.headers().remove("Content-Type");
        }
        return native;
    } catch (const std::exception& error) {
        return invalid("MalformedRequest", error.what());
    }
}

Result<Unit> check(const Request& request) {
    if (request.endpoint.scheme == Scheme::Unix) return unsupported("Unsupported", "no unix sockets over cpprestsdk");
    if (request.endpoint.tls && !request.endpoint.tls->server_name.empty()) {
        return unsupported("Unsupported", "no other server name over cpprestsdk");
    }
    const auto host = request.headers.find("Host");
    // It would decide which name the certificate must have.
    if (host && *host != authority_of(request.endpoint) && *host != request.endpoint.host) {
        return unsupported("Unsupported", "the Host header \"" + *host + "\" is not the endpoint's");
    }
    for (const auto& [name, value] : request.headers.fields()) {
        if (name.empty() || (name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
            return invalid("MalformedRequest", "the header \"" + name + "\" has a character that is not allowed");
        }
    }
    return ok();
}

Task<Response> attempt_once(std::shared_ptr<CpprestTransport::State> state, std::shared_ptr<CpprestClient> client,
                            const Request& request, std::size_t max_body) {
    http::http_request native = co_await to_native(request);
    const bool is_head = request.method == "HEAD";
    std::function<Cancel(Callback<Response>)> start = [&](Callback<Response> callback) -> Cancel {
        auto call = std::make_shared<Call>(Call{client, state->gate, callback, max_body, {}, {}, {}, {}});
        client->native->request(native, call->cancel.get_token())
            .then([call, is_head](const pplx::task<http::http_response>& answered) {
                auto response = value_of(answered, call);
                if (!response) return;
                call->native = *response;
                take_head(*call);
                is_head ? check_end(call) : read_body(call);
            });
        return [cancel = call->cancel] { cancel.cancel(); };
    };
    Response response = co_await await_callback<Response>(start);
    co_return response;
}

Task<Response> exchange(std::shared_ptr<CpprestTransport::State> state, Request request, std::size_t max_body) {
    co_await check(request);
    const std::shared_ptr<CpprestClient> client = co_await state->client_for(request.endpoint);
    const Slots::Permit permit = co_await client->slots->acquire();
    const bool may_rest = client->was_used;
    Result<Response> outcome = co_await attempt_once(state, client, request, max_body).attempt();
    // A connection at rest that was reset; cpprestsdk only sees through one that was closed.
    const bool is_lost = !outcome.ok() && outcome.error().reason() == "ConnectionLost";
    if (is_lost && may_rest && may_repeat(request.method)) {
        outcome = co_await attempt_once(state, client, request, max_body).attempt();
    }
    if (!outcome.ok()) co_return std::move(outcome).error();
    client->was_used = true;
    co_return std::move(*outcome);
}

}  // namespace

Result<std::shared_ptr<CpprestClient>> CpprestTransport::State::client_for(const Endpoint& endpoint) {
    const TlsConfig tls = endpoint.tls ? *endpoint.tls : TlsConfig();
    const std::string url = endpoint.to_string();
    for (auto client = clients.begin(); client != clients.end(); ++client) {
        const TlsConfig& known = (*client)->tls;
        if ((*client)->url != url || known.ca_pem != tls.ca_pem || known.certificate_pem != tls.certificate_pem ||
            known.key_pem != tls.key_pem) {
            continue;
        }
        clients.splice(clients.begin(), clients, client);
        return clients.front();
    }
    if (endpoint.scheme == Scheme::Https) {
        // Says in words what is wrong with it; cpprestsdk would throw in the middle of a connection.
        const auto usable = TlsContext::for_client(tls);
        if (!usable.ok()) return usable.error();
    }
    auto client = std::make_shared<CpprestClient>();
    client->url = url;
    client->tls = tls;
    client->slots = std::make_shared<Slots>(executor, options.exchanges);
    http_client_config config;
    config.set_timeout(options.idle);
    config.set_max_redirects(0);
    config.set_validate_certificates(true);
    config.set_ssl_context_callback(
        [tls, verdict = client->verdict](boost::asio::ssl::context& context) { prepare_tls(context, tls, *verdict); });
    try {
        client->native = std::make_unique<http_client>(web::uri(url), config);
    } catch (const std::exception& error) {
        return invalid("MalformedRequest", url + ": " + error.what());
    }
    clients.push_front(client);
    if (clients.size() > kClients) clients.pop_back();
    return client;
}

CpprestTransport::CpprestTransport(Executor& executor, Clock& clock, CpprestTransportOptions options)
    : state_(std::make_shared<State>(State{executor, clock, options, std::make_shared<Gate>(executor), {}})) {
    static std::once_flag started;
    std::call_once(started, [] {
        try {
            crossplat::threadpool::initialize_with_threads(kThreads);
        } catch (const std::runtime_error&) {
            // Somebody used cpprestsdk before: its forty threads are slower, not wrong.
        }
    });
}

CpprestTransport::~CpprestTransport() {
    state_->gate->close();
}

Task<Response> CpprestTransport::send(Request request, Limits limits) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string doing = "sending " + request.method + " " + request.endpoint.to_string() + path;
    return with_deadline(state_->clock, limits.deadline, exchange(state_, std::move(request), limits.max_body), doing);
}

Task<StreamResponse> CpprestTransport::open(Request /*request*/, Limits /*limits*/) {
    co_return unsupported("Unsupported", "no streams over cpprestsdk");
}

}  // namespace atl::net
