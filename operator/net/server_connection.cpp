#include "operator/net/server_connection.h"

#include <utility>

#include "operator/base/deadline.h"
#include "operator/net/http_codec.h"

namespace atl::net {

namespace {

/// So much may wait, unread, behind the request that is being answered.
constexpr std::size_t kReadAhead = 65536;
/// What a refused client may still send before it is cut off, so that it can read why: most clients send all of a body
/// first.
constexpr std::size_t kDrain = std::size_t{64} * 1024 * 1024;
constexpr Duration kDrainLimit = std::chrono::seconds(2);

/// Puts an answer on the wire.
class ConnectionWriter final : public ResponseWriter {
public:
    ConnectionWriter(Connection& connection, Duration stall, const RequestParser& parser, bool is_head)
        : connection_(connection),
          stall_(stall),
          streamed_(parser.is_http10() ? Framing::UntilClose : Framing::Chunks),
          is_head_(is_head) {}

    Task<> send(Response response) override {
        if (started_) co_await fail(already_started());
        started_ = true;
        const std::string head =
            response_head(response.status, response.headers, Framing::Length, response.body.size(), after_);
        co_await put({head, has_body(response.status) ? std::string_view(response.body) : std::string_view()});
        finished_ = true;
    }

    Task<> start(int status, Headers headers) override {
        if (started_) co_await fail(already_started());
        started_ = true;
        if (streamed_ == Framing::UntilClose) after_ = After::Close;
        const std::string head = response_head(status, headers, streamed_, 0, after_);
        co_await put({head});
    }

    Task<> write(std::shared_ptr<const std::string> piece) override {
        if (piece->empty() || is_head_) co_return;
        if (streamed_ == Framing::Chunks) {
            const std::string head = chunk_head(piece->size());
            co_await put({head, *piece, "\r\n"});
        } else {
            co_await put({*piece});
        }
    }

    Task<> finish() override {
        if (!is_head_ && streamed_ == Framing::Chunks) co_await put({"0\r\n\r\n"});
        finished_ = true;
    }

    /// The handler is dropped when the peer goes; until then there is nothing to tell.
    Task<> gone() override {
        std::function<Cancel(Callback<Unit>)> start = [](const Callback<Unit>&) -> Cancel { return {}; };
        co_await await_callback<Unit>(start);
    }

    bool started() const { return started_; }
    bool finished() const { return finished_; }
    /// Whether another answer may follow on this connection.
    bool is_clean() const { return finished_ && !writing_ && after_ == After::KeepAlive; }
    /// Whether a write failed or was given up half-way.
    bool is_broken() const { return writing_; }
    void close_after() { after_ = After::Close; }

private:
    static Error already_started() { return {ErrorClass::Invalid, "AnswerStarted", "the answer has already begun"}; }
    bool has_body(int status) const { return !is_head_ && status / 100 != 1 && status != 204 && status != 304; }

    Task<> put(std::vector<std::string_view> pieces) {
        writing_ = true;  // stays so if this is dropped or fails half-way
        co_await connection_.write(std::move(pieces), stall_);
        writing_ = false;
    }

    Connection& connection_;
    Duration stall_;
    Framing streamed_;
    bool is_head_;
    After after_ = After::KeepAlive;
    bool started_ = false;
    bool finished_ = false;
    bool writing_ = false;
};

class ServerConnection {
public:
    ServerConnection(std::shared_ptr<ServerShared> shared, std::unique_ptr<Connection> connection)
        : shared_(std::move(shared)), connection_(std::move(connection)) {
        ++shared_->open;
    }
    ServerConnection(const ServerConnection&) = delete;
    ServerConnection& operator=(const ServerConnection&) = delete;
    ~ServerConnection() {
        --shared_->open;
        if (shared_->on_close) shared_->on_close();
    }

    Task<> run() {
        if (shared_->tls) co_await start_tls();
        peer_ = connection_->peer();
        bool more = true;
        while (more && !shared_->stopping) {
            const bool arriving = co_await wait_for_request();
            if (!arriving) co_return;
            RequestParser parser(shared_->options.max_head, shared_->options.max_body);
            const Result<Unit> whole = co_await read_request(parser).attempt();
            if (!whole.ok()) {
                co_await refuse(whole.error());
                co_return;
            }
            more = co_await answer(parser);
        }
        connection_->end_output();
    }

private:
    Task<> start_tls() {
        auto session = std::make_unique<TlsSession>(shared_->tls, connection_->socket());
        const Instant limit = shared_->loop.now() + shared_->options.handshake_limit;
        co_await with_deadline(shared_->loop, limit, connection_->start_tls(std::move(session)), "shaking hands");
    }

    /// False if the client left, or the server stops.
    Task<bool> wait_for_request() {
        if (!inbox_.empty()) co_return true;
        shared_->idle.insert(connection_.get());
        const Result<std::size_t> count = co_await connection_->read(inbox_, shared_->options.idle_limit).attempt();
        shared_->idle.erase(connection_.get());
        co_return count.ok() && *count > 0;
    }

    Task<> read_request(RequestParser& parser) {
        const Instant head_limit = shared_->loop.now() + shared_->options.head_limit;
        co_await with_deadline(shared_->loop, head_limit, read_head(parser), "reading the head");
        if (parser.is_done()) co_return;
        if (parser.expects_continue()) {
            co_await connection_->write({"HTTP/1.1 100 Continue\r\n\r\n"}, shared_->options.stall_limit);
        }
        const Instant body_limit = shared_->loop.now() + shared_->options.body_limit;
        co_await with_deadline(shared_->loop, body_limit, read_body(parser), "reading the body");
    }

    Task<> read_head(RequestParser& parser) {
        co_await feed(parser);
        while (!parser.has_head()) {
            co_await read_more();
            co_await feed(parser);
        }
    }

    Task<> read_body(RequestParser& parser) {
        while (!parser.is_done()) {
            co_await read_more();
            co_await feed(parser);
        }
    }

    Task<> read_more() {
        const std::size_t count = co_await connection_->read(inbox_, kForever);
        if (count == 0) co_await fail(transient("ConnectionLost", "the client left within a request"));
    }

    Result<Unit> feed(RequestParser& parser) {
        const Result<std::size_t> taken = parser.feed(inbox_);
        if (!taken.ok()) return taken.error();
        inbox_.erase(0, *taken);
        if (inbox_.empty()) inbox_.shrink_to_fit();
        return ok();
    }

    /// Says why, if it is the client's fault, and closes in such a way that the client can read it.
    Task<> refuse(const Error& error) {
        const int status = error.reason() == "DeadlineExceeded" ? 408 : error.status();
        if (status == 0) co_return;
        Response response;
        response.headers = Headers{{"Content-Type", "text/plain; charset=utf-8"}};
        response.body = error.message() + "\n";
        if (shared_->options.refusal) response = shared_->options.refusal(status, error.message());
        const std::string head =
            response_head(status, response.headers, Framing::Length, response.body.size(), After::Close);
        co_await connection_->write({head, response.body}, kDrainLimit);
        connection_->end_output();
        const Instant limit = shared_->loop.now() + kDrainLimit;
        const Result<Unit> drained = co_await with_deadline(shared_->loop, limit, drain(), "draining").attempt();
    }

    Task<> drain() {
        std::size_t total = 0;
        while (total < kDrain) {
            inbox_.clear();
            const std::size_t count = co_await connection_->read(inbox_, kForever);
            if (count == 0) co_return;
            total += count;
        }
    }

    /// Runs the handler; false if the connection must end after it.
    Task<bool> answer(RequestParser& parser) {
        ServerRequest request = parser.take();
        request.peer = peer_;
        ConnectionWriter writer(*connection_, shared_->options.stall_limit, parser, request.method == "HEAD");
        if (!parser.keeps_alive() || shared_->stopping) writer.close_after();
        const std::optional<Result<Unit>> result = co_await run_handler(request, writer);
        if (!result) co_return false;
        if (!result->ok() && writer.started() && !writer.finished()) co_return false;
        if (!writer.started()) {
            const std::string why = result->ok() ? "there was no answer" : result->error().message();
            const Headers headers{{"Content-Type", "text/plain; charset=utf-8"}};
            co_await writer.send({500, headers, why + "\n"});
        } else if (!writer.finished() && !writer.is_broken()) {
            co_await writer.finish();
        }
        co_return writer.is_clean() && !shared_->stopping;
    }

    /// What became of the handler; nullopt if the peer went away first.
    Task<std::optional<Result<Unit>>> run_handler(const ServerRequest& request, ConnectionWriter& writer) {
        using Outcome = std::optional<Result<Unit>>;
        std::unique_ptr<RootTask<void>> handler;
        std::unique_ptr<RootTask<void>> watch;
        std::function<Cancel(Callback<Outcome>)> start = [&](Callback<Outcome> over) -> Cancel {
            auto done = [this, over](const Result<Unit>& result, const std::exception_ptr& bug) {
                if (!result.ok() && shared_->options.on_failure) {
                    shared_->options.on_failure(result.error(), bug != nullptr);
                }
                over.resolve(Outcome(result));
            };
            auto left = [over](const Result<Unit>&, const std::exception_ptr&) { over.resolve(Outcome()); };
            handler = std::make_unique<RootTask<void>>(shared_->handler.serve(request, writer), done);
            watch = std::make_unique<RootTask<void>>(watch_peer(), left);
            handler->start();
            if (over.wanted()) watch->start();
            return {};
        };
        Outcome outcome = co_await await_callback<Outcome>(start);
        co_return outcome;
    }

    /// Ends when the peer has gone. What it sends meanwhile is kept for later.
    Task<> watch_peer() {
        while (inbox_.size() < kReadAhead) {
            const Result<std::size_t> count = co_await connection_->read(inbox_, kForever).attempt();
            if (!count.ok() || *count == 0) co_return;
        }
        std::function<Cancel(Callback<Unit>)> never = [](const Callback<Unit>&) -> Cancel { return {}; };
        co_await await_callback<Unit>(never);
    }

    std::shared_ptr<ServerShared> shared_;
    std::unique_ptr<Connection> connection_;
    Peer peer_;
    std::string inbox_;
};

}  // namespace

Task<> serve_connection(std::shared_ptr<ServerShared> shared, std::unique_ptr<Connection> connection) {
    ServerConnection served(std::move(shared), std::move(connection));
    // How one client misbehaves or leaves concerns nobody else.
    const Result<Unit> ended = co_await served.run().attempt();
}

}  // namespace atl::net
