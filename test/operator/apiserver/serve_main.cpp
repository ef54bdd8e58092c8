// apiserver_serve DATA_DIRECTORY KUBECONFIG: serves until SIGTERM.
#include <fstream>
#include <iostream>

#include "operator/apiserver/output.h"
#include "operator/apiserver/server.h"
#include "operator/net/certificates.h"
#include "operator/net/event_loop.h"
#include "operator/net/http_server.h"
#include "operator/net/system_files.h"
#include "operator/net/system_random.h"

namespace {

using namespace atl;  // NOLINT(google-build-using-namespace): a program of one file

template <class T>
T or_exit(Result<T> result) {
    if (result.ok()) return std::move(*result);
    std::cerr << result.error().message() << "\n";
    std::exit(1);
}

net::ServerTls make_tls(const net::Identity& ca, WallTime now) {
    net::CertificateSubject subject;
    subject.common_name = "apiserver";
    subject.dns_names = {"localhost"};
    subject.addresses = {"127.0.0.1"};
    subject.from = now - std::chrono::hours(1);
    subject.until = now + std::chrono::hours(24);
    const auto identity = or_exit(net::issue_certificate(ca, subject, net::CertificateUse::Server));
    net::ServerTls tls;
    tls.certificate_pem = identity.certificate_pem;
    tls.key_pem = identity.key_pem;
    tls.client_ca_pem = ca.certificate_pem;
    return tls;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    net::EventLoop loop;
    net::SystemRandom random;
    net::SystemFiles files;
    const Log log(loop, LogLevel::Info, [](const std::string& line) { std::cerr << line << "\n"; });
    apiserver::ServerOptions options;
    options.data_directory = arguments[1];
    auto server = or_exit(apiserver::Server::open(options, {loop, random, loop, files, log}));
    net::CertificateSubject subject;
    subject.common_name = "apiserver-ca";
    subject.from = loop.wall_now() - std::chrono::hours(1);
    subject.until = loop.wall_now() + std::chrono::hours(24);
    const auto ca = or_exit(net::make_ca(subject));
    net::HttpServerOptions http;
    http.refusal = apiserver::refusal;
    http.tls = make_tls(ca, loop.wall_now());
    http.on_failure = [](const Error& error, bool bug) {
        if (bug) std::cerr << "bug: " << error.message() << "\n";
    };
    auto listener = or_exit(net::HttpServer::listen(loop, server->handler(), http));
    apiserver::KubeconfigParts parts;
    parts.server = "https://127.0.0.1:" + std::to_string(listener->port());
    parts.ca_pem = ca.certificate_pem;
    parts.token = server->admin_token();
    Spawner spawner(loop, [](const std::string& name, const Error& error, bool) {
        std::cerr << name << ": " << error.message() << "\n";
        std::exit(1);
    });
    RootTask<void> start(server->start(), [&](const Result<Unit>& started, const std::exception_ptr&) {
        if (!started.ok()) std::cerr << started.error().message() << "\n";
        if (!started.ok()) std::exit(1);
        std::ofstream(arguments[2]) << apiserver::make_kubeconfig(parts);
    });
    start.start();
    loop.on_stop_signal([&](int) { loop.stop(); });
    loop.run();
    listener.reset();
    return 0;
}
