#include "operator/net/beast_transport.h"

#include <limits>
#include <list>
#include <map>
#include <utility>

#include "operator/base/deadline.h"
#include "operator/net/connection_pool.h"
#include "operator/net/http_codec.h"

namespace atl::net {

namespace {

constexpr std::size_t kTlsContexts = 64;
/// How long a server that broke off our request may take to show the response that it sent before.
constexpr Duration kEarlyResponse = std::chrono::milliseconds(500);

bool is_same(const TlsConfig& a, const TlsConfig& b) {
    return a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem &&
           a.server_name == b.server_name;
}

/// Whether sending the request again cannot have another effect.
bool may_repeat(const Request& request) {
    return request.method == "GET" || request.method == "HEAD";
}

/// Without the query, which may hold secrets.
std::string shown(const Request& request) {
    return request.method + " " + request.endpoint.to_string() + request.target.substr(0, request.target.find('?'));
}

}  // namespace

struct BeastTransport::State {
    State(EventLoop& loop_in, BeastTransportOptions options_in) : loop(loop_in), options(options_in) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { loop.cancel_timer(cleaning); }

    struct Trust {
        TlsConfig config;
        std::shared_ptr<TlsContext> context;
    };
    EventLoop& loop;
    BeastTransportOptions options;
    std::list<Trust> trusts;  // the last used first
    std::map<std::pair<std::string, const TlsContext*>, std::shared_ptr<ConnectionPool>> pools;
    Clock::TimerId cleaning = 0;

    Result<std::shared_ptr<TlsContext>> context_for(const Endpoint& endpoint);
    std::shared_ptr<ConnectionPool> pool_for(const Endpoint& endpoint, const TlsContext* context);
    Task<std::unique_ptr<Connection>> connect(Endpoint endpoint, std::shared_ptr<TlsContext> context);
    Task<std::unique_ptr<Connection>> connect_once(Endpoint endpoint, SocketAddress address,
                                                   std::shared_ptr<TlsContext> context);
    void clean();
};

namespace {

using State = BeastTransport::State;

/// A connection, the right to use it, and where it goes afterwards.
struct Line {
    std::shared_ptr<State> state;
    std::shared_ptr<ConnectionPool> pool;
    Slots::Permit permit;
    std::unique_ptr<Connection> connection;
    bool was_used = false;
    std::string inbox;

    /// The connection is fit for another exchange.
    void put_to_rest() {
        if (inbox.empty()) pool->resting.push_back({std::move(connection), state->loop.now()});
    }
};

}  // namespace

Result<std::shared_ptr<TlsContext>> State::context_for(const Endpoint& endpoint) {
    if (endpoint.scheme != Scheme::Https) return std::shared_ptr<TlsContext>();
    const TlsConfig config = endpoint.tls ? *endpoint.tls : TlsConfig();
    for (auto trust = trusts.begin(); trust != trusts.end(); ++trust) {
        if (!is_same(trust->config, config)) continue;
        trusts.splice(trusts.begin(), trusts, trust);
        return trusts.front().context;
    }
    auto context = TlsContext::for_client(config);
    if (!context.ok()) return std::move(context).error();
    trusts.push_front({config, *context});
    if (trusts.size() > kTlsContexts) {
        // Pools are told apart by the context's address, so they go before it does.
        const TlsContext* leaving = trusts.back().context.get();
        std::erase_if(pools, [leaving](const auto& pool) { return pool.first.second == leaving; });
        trusts.pop_back();
    }
    return context;
}

std::shared_ptr<ConnectionPool> State::pool_for(const Endpoint& endpoint, const TlsContext* context) {
    auto& pool = pools[std::pair(endpoint.to_string(), context)];
    if (!pool) {
        pool = std::make_shared<ConnectionPool>();
        pool->exchanges = std::make_shared<Slots>(loop, options.exchanges);
        pool->streams = std::make_shared<Slots>(loop, options.streams);
    }
    if (cleaning == 0) cleaning = loop.call_at(loop.now() + options.resting_limit / 4, [this] { clean(); });
    return pool;
}

/// Closes what rested too long and forgets pools that nobody uses, as long as there are any.
void State::clean() {
    cleaning = 0;
    for (auto& [key, pool] : pools) pool->close_older(loop.now() - options.resting_limit);
    std::erase_if(pools, [](const auto& pool) { return pool.second.use_count() == 1 && pool.second->resting.empty(); });
    if (!pools.empty()) cleaning = loop.call_at(loop.now() + options.resting_limit / 4, [this] { clean(); });
}

Task<std::unique_ptr<Connection>> State::connect_once(Endpoint endpoint, SocketAddress address,
                                                      std::shared_ptr<TlsContext> context) {
    auto connection = co_await connect_tcp(loop, std::move(address), endpoint.to_string(), options.connect_limit);
    if (context) {
        auto session = std::make_unique<TlsSession>(context, connection->socket(), endpoint.host);
        co_await connection->start_tls(std::move(session));
    }
    co_return connection;
}

Task<std::unique_ptr<Connection>> State::connect(Endpoint endpoint, std::shared_ptr<TlsContext> context) {
    if (endpoint.scheme == Scheme::Unix) {
        auto connection = co_await connect_unix(loop, endpoint.host, options.connect_limit);
        co_return connection;
    }
    const auto addresses = co_await loop.resolve(endpoint.host, endpoint.port);
    Error last = transient("ConnectFailed", "\"" + endpoint.host + "\" has no address");
    for (const SocketAddress& address : addresses) {
        const Instant limit = loop.now() + options.connect_limit;
        const std::string doing = "connecting to " + endpoint.to_string();
        auto outcome = co_await with_deadline(loop, limit, connect_once(endpoint, address, context), doing).attempt();
        if (outcome.ok()) co_return std::move(*outcome);
        last = std::move(outcome).error();
        if (last.error_class() == ErrorClass::Credentials) break;
    }
    if (last.reason() == "DeadlineExceeded") last = transient("ConnectFailed", last.message());
    co_return last;
}

namespace {

enum class Use { Exchange, Stream };

Task<Line> wait_for_line(std::shared_ptr<State> state, Endpoint endpoint, Use use) {
    const std::shared_ptr<TlsContext> context = co_await state->context_for(endpoint);
    Line line{state, state->pool_for(endpoint, context.get()), {}, nullptr, false, {}};
    const auto slots = use == Use::Stream ? line.pool->streams : line.pool->exchanges;
    line.permit = co_await slots->acquire();
    co_return line;
}

/// Gives the line a connection: one at rest, unless a fresh one is wanted, or a new one.
Task<> ensure_connection(Line& line, const Endpoint& endpoint, bool fresh) {
    line.inbox.clear();
    line.was_used = false;
    line.connection = fresh ? nullptr : line.pool->take_resting();
    if (line.connection) {
        line.was_used = true;
        co_return;
    }
    const std::shared_ptr<TlsContext> context = co_await line.state->context_for(endpoint);
    line.connection = co_await line.state->connect(endpoint, context);
}

/// Reads more, at least one byte, or the end.
Task<> read_more(Line& line, ResponseParser& parser, Duration patience) {
    const std::size_t count = co_await line.connection->read(line.inbox, patience);
    if (count == 0) {
        co_await parser.feed_end();
        co_return;
    }
    const std::size_t taken = co_await parser.feed(line.inbox);
    line.inbox.erase(0, taken);
}

Task<> read_head(Line& line, ResponseParser& parser, Duration patience) {
    while (!parser.has_head()) co_await read_more(line, parser, patience);
}

/// Sends the request and reads the head of the response.
Task<> converse(Line& line, const Request& request, const std::string& head, ResponseParser& parser) {
    const Result<Unit> sent = co_await line.connection->write({head, request.body}, kForever).attempt();
    if (!sent.ok()) {
        // A server may answer ("too large") and close before it has read all.
        const Result<Unit> early = co_await read_head(line, parser, kEarlyResponse).attempt();
        if (!early.ok())
            co_await fail(early.error().error_class() == ErrorClass::Credentials ? early.error() : sent.error());
        co_return;
    }
    co_await read_head(line, parser, kForever);
}

ResponseParser make_parser(const Request& request, std::size_t max_body) {
    const auto body = request.method == "HEAD" ? ResponseParser::Body::None : ResponseParser::Body::Expected;
    return {body, max_body};
}

/// Gets a connection and the head of the response over it. A request that cannot do harm twice is sent once more if a
/// connection that had been at rest turns out to be dead.
Task<Line> begin(std::shared_ptr<State> state, const Request& request, Use use, ResponseParser& parser) {
    const std::string head = co_await request_head(request);
    Line line = co_await wait_for_line(state, request.endpoint, use);
    co_await ensure_connection(line, request.endpoint, false);
    Result<Unit> outcome = co_await converse(line, request, head, parser).attempt();
    if (!outcome.ok() && line.was_used && may_repeat(request) && !parser.has_begun()) {
        co_await ensure_connection(line, request.endpoint, true);
        outcome = co_await converse(line, request, head, parser).attempt();
    }
    if (!outcome.ok()) co_return std::move(outcome).error();
    co_return line;
}

Task<Response> exchange(std::shared_ptr<State> state, Request request, std::size_t max_body) {
    ResponseParser parser = make_parser(request, max_body);
    Line line = co_await begin(std::move(state), request, Use::Exchange, parser);
    while (!parser.is_done()) co_await read_more(line, parser, kForever);
    Response response{parser.status(), parser.headers(), parser.take_body()};
    if (parser.keeps_alive()) line.put_to_rest();
    co_return response;
}

/// The body of a response that is read as it arrives.
class Stream final : public BodyStream {
public:
    Stream(Line line, ResponseParser parser, Duration idle)
        : line_(std::move(line)), parser_(std::move(parser)), idle_(idle) {}

    Task<std::optional<std::string>> next() override {
        while (true) {
            std::string piece = parser_.take_body();
            if (!piece.empty()) co_return piece;
            if (parser_.is_done()) {
                if (line_.connection && parser_.keeps_alive()) line_.put_to_rest();
                line_.connection.reset();
                line_.permit = {};
                co_return std::nullopt;
            }
            if (!line_.connection) co_return transient("ConnectionLost", "the stream is over");
            const Result<Unit> more = co_await read_more(line_, parser_, idle_).attempt();
            if (more.ok()) continue;
            // What came before the break is handed out first; the break comes with the next call.
            piece = parser_.take_body();
            line_.connection.reset();
            if (piece.empty()) co_return more.error();
            co_return piece;
        }
    }

private:
    Line line_;
    ResponseParser parser_;
    Duration idle_;
};

Task<StreamResponse> open_stream(std::shared_ptr<State> state, Request request, Duration idle) {
    ResponseParser parser = make_parser(request, std::numeric_limits<std::size_t>::max());
    Line line = co_await begin(std::move(state), request, Use::Stream, parser);
    StreamResponse response{parser.status(), parser.headers(), nullptr};
    response.body = std::make_unique<Stream>(std::move(line), std::move(parser), idle);
    co_return response;
}

}  // namespace

BeastTransport::BeastTransport(EventLoop& loop, BeastTransportOptions options)
    : state_(std::make_shared<State>(loop, options)) {}

BeastTransport::~BeastTransport() = default;

Task<Response> BeastTransport::send(Request request, Limits limits) {
    const std::string doing = "sending " + shown(request);
    return with_deadline(state_->loop, limits.deadline, exchange(state_, std::move(request), limits.max_body), doing);
}

Task<StreamResponse> BeastTransport::open(Request request, Limits limits) {
    const std::string doing = "opening " + shown(request);
    return with_deadline(state_->loop, limits.deadline, open_stream(state_, std::move(request), limits.idle), doing);
}

}  // namespace atl::net
