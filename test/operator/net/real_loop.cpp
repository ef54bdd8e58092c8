#include "test/operator/net/real_loop.h"

#include <cstdlib>

namespace atl::net {

namespace {

std::string parameter(const ServerRequest& request, const std::string& name) {
    const std::size_t question = request.target.find('?');
    if (question == std::string::npos) return {};
    for (const auto& [key, value] : parse_query(std::string_view(request.target).substr(question + 1))) {
        if (key == name) return value;
    }
    return {};
}

std::shared_ptr<const std::string> piece(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

Task<> never() {
    std::function<Cancel(Callback<Unit>)> start = [](const Callback<Unit>&) -> Cancel { return {}; };
    co_await await_callback<Unit>(start);
}

struct Counted {
    int& count;
    explicit Counted(int& counter) : count(counter) { ++count; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --count; }
};

}  // namespace

bool run_until(EventLoop& loop, const std::function<bool()>& predicate, Duration limit) {
    const Instant end = loop.now() + limit;
    std::function<void()> look;
    Clock::TimerId timer = 0;
    look = [&] {
        timer = 0;
        if (predicate() || loop.now() >= end) return loop.stop();
        timer = loop.call_at(loop.now() + std::chrono::milliseconds(1), look);
    };
    look();
    if (timer != 0) loop.run();
    loop.cancel_timer(timer);
    return predicate();
}

void run_for(EventLoop& loop, Duration duration) {
    const Instant end = loop.now() + duration;
    run_until(loop, [&] { return loop.now() >= end; }, duration);
}

Authority::Authority(WallTime now) {
    using std::chrono::hours;
    const WallTime from = now - hours(1);
    const WallTime until = now + hours(1);
    ca = make_ca({"test CA", {}, {}, {}, from, until}).value();
    const CertificateSubject host{"server", {}, {"localhost"}, {"127.0.0.1"}, from, until};
    server = issue_certificate(ca, host, CertificateUse::Server).value();
    client = issue_certificate(ca, {"alice", {"admins", "all"}, {}, {}, from, until}, CertificateUse::Client).value();
    CertificateSubject expired = host;
    expired.from = now - hours(3);
    expired.until = now - hours(2);
    expired_server = issue_certificate(ca, expired, CertificateUse::Server).value();
    CertificateSubject other = host;
    other.dns_names = {"elsewhere.example"};
    other.addresses = {"127.0.0.9"};
    other_host_server = issue_certificate(ca, other, CertificateUse::Server).value();
}

Task<> SampleHandler::serve(const ServerRequest& request, ResponseWriter& writer) {
    const auto counts = counts_;
    ++counts->arrived;
    const Counted counted(counts->running);
    co_await respond(request, writer);
}

Task<> SampleHandler::respond(const ServerRequest& request, ResponseWriter& writer) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/fail") co_await fail(invalid("Failed", "this handler fails"));
    if (path == "/silent") co_await never();
    if (path == "/stream" || path == "/quiet" || path == "/ticks") {
        co_await writer.start(200, {{"Content-Type", "text/plain"}});
        const long count = path == "/quiet"   ? 1
                           : path == "/ticks" ? 1000000
                                              : std::atol(parameter(request, "pieces").c_str());
        for (long i = 0; i < count; ++i) {
            co_await writer.write(piece(std::to_string(i) + "\n"));
            if (path == "/ticks") co_await sleep_for(clock_, std::chrono::milliseconds(50));
        }
        if (path == "/quiet") co_await never();
        co_await writer.finish();
        co_return;
    }
    Response response{200, {{"X-Sample", "yes"}}, request.method + " " + request.target + "\n" + request.body};
    if (path == "/who") response.body = request.peer.common_name;
    if (path == "/who")
        for (const auto& organization : request.peer.organizations) response.body += "," + organization;
    if (path == "/big")
        response.body = std::string(std::strtoul(parameter(request, "bytes").c_str(), nullptr, 10), 'x');
    if (path == "/status") response = {std::atoi(parameter(request, "code").c_str()), {}, ""};
    co_await writer.send(std::move(response));
}

}  // namespace atl::net
