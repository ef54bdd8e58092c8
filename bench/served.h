#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "operator/apiserver/server.h"
#include "operator/net/beast_transport.h"
#include "operator/net/event_loop.h"
#include "operator/net/http_server.h"
#include "operator/net/system_files.h"
#include "operator/net/system_random.h"

namespace atl::bench {

template <class T>
T or_exit(Result<T> result) {
    if (result.ok()) return std::move(*result);
    std::cerr << result.error().message() << "\n";
    std::exit(1);
}

/// A folder of its own below the current one, gone with it.
class Folder {
public:
    Folder() : path_(std::filesystem::absolute("bench-data-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) std::exit(1);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Takes an answer that stays in the process.
class Kept final : public net::ResponseWriter {
public:
    /// Told of each piece of a streamed answer.
    std::function<void(const std::string&)> on_piece;
    net::Response response;

    Task<> send(net::Response sent) override {
        response = std::move(sent);
        co_return;
    }
    Task<> start(int status, net::Headers) override {
        response.status = status;
        co_return;
    }
    Task<> write(std::shared_ptr<const std::string> piece) override {
        if (on_piece) on_piece(*piece);
        co_return;
    }
    Task<> finish() override { co_return; }
    Task<> gone() override {
        CallbackAwaiter<Unit>::Start never = [](const Callback<Unit>&) -> Cancel { return {}; };
        co_await await_callback<Unit>(never);
    }
};

/// A way to the server: straight to its handler, or over HTTP.
class Way {
public:
    virtual ~Way() = default;
    virtual Task<net::Response> call(std::string method, std::string target, std::string body) = 0;
    /// Reads the stream until it is dropped; tells of each end of a line.
    virtual Task<> watch(std::string target, std::function<void()> on_line) = 0;
};

/// The embedded API server as `atoll up` runs it (SQLite in WAL mode, synchronous=FULL, a writer thread) on a folder of
/// its own, behind plain HTTP on loopback; and both ways to it.
class Served {
public:
    Served() {
        apiserver::ServerOptions options;
        options.data_directory = folder_.path() + "/data";
        server_ = or_exit(apiserver::Server::open(options, {loop, random, loop, files_, Log::none()}));
        http_ = or_exit(net::HttpServer::listen(loop, server_->handler(), {}));
        endpoint_.host = "127.0.0.1";
        endpoint_.port = http_->port();
        authorization_ = "Bearer " + server_->admin_token();
    }

    /// Runs the task to its end on the loop, the server being ready.
    void run(Task<> task) {
        RootTask<void> root(begin_with(std::move(task)), [&](Result<Unit> ended, std::exception_ptr bug) {
            if (bug) std::rethrow_exception(bug);
            or_exit(std::move(ended));
            loop.stop();
        });
        root.start();
        loop.run();
        http_.reset();
    }

    net::EventLoop loop;
    net::SystemRandom random;

    class InProcess final : public Way {
    public:
        explicit InProcess(Served& served) : served_(served) {}
        Task<net::Response> call(std::string method, std::string target, std::string body) override {
            Kept kept;
            const net::ServerRequest request = served_.server_request(method, target, std::move(body));
            co_await served_.server_->handler().serve(request, kept);
            co_return std::move(kept.response);
        }
        Task<> watch(std::string target, std::function<void()> on_line) override {
            Kept kept;
            kept.on_piece = [&on_line](const std::string&) { on_line(); };
            const net::ServerRequest request = served_.server_request("GET", target, "");
            co_await served_.server_->handler().serve(request, kept);
        }

    private:
        Served& served_;
    };

    class OverHttp final : public Way {
    public:
        explicit OverHttp(Served& served) : served_(served) {}
        Task<net::Response> call(std::string method, std::string target, std::string body) override {
            net::Request request = served_.request(method, target, std::move(body));
            net::Response response = co_await transport_.send(std::move(request), served_.limits());
            co_return response;
        }
        Task<> watch(std::string target, std::function<void()> on_line) override {
            net::Request request = served_.request("GET", target, "");
            net::StreamResponse stream = co_await transport_.open(std::move(request), served_.limits());
            while (auto piece = co_await stream.body->next()) {
                for (const char character : *piece) {
                    if (character == '\n') on_line();
                }
            }
        }

    private:
        static net::BeastTransportOptions wide() {
            net::BeastTransportOptions options;
            options.exchanges = 64;
            options.streams = 1024;
            return options;
        }
        Served& served_;
        net::BeastTransport transport_{served_.loop, wide()};
    };

private:
    Task<> begin_with(Task<> task) {
        co_await server_->start();
        co_await std::move(task);
    }

    net::ServerRequest server_request(const std::string& method, const std::string& target, std::string body) const {
        net::ServerRequest request;
        request.method = method;
        request.target = target;
        request.headers = headers();
        request.body = std::move(body);
        return request;
    }
    net::Request request(const std::string& method, const std::string& target, std::string body) const {
        net::Request request;
        request.endpoint = endpoint_;
        request.method = method;
        request.target = target;
        request.headers = headers();
        request.body = std::move(body);
        return request;
    }
    net::Headers headers() const {
        return {{"Authorization", authorization_}, {"Content-Type", "application/json"}, {"User-Agent", "bench/1"}};
    }
    net::Limits limits() const {
        net::Limits limits;
        limits.deadline = loop.now() + std::chrono::seconds(60);
        limits.idle = std::chrono::seconds(600);
        return limits;
    }

    Folder folder_;
    net::SystemFiles files_;
    std::unique_ptr<apiserver::Server> server_;
    std::unique_ptr<net::HttpServer> http_;
    net::Endpoint endpoint_;
    std::string authorization_;
};

}  // namespace atl::bench
