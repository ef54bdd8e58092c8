#include "operator/commands/control_plane.h"

#include "operator/apiserver/output.h"
#include "operator/commands/serving_certificate.h"
#include "operator/commands/spec_admission.h"

namespace atl::commands {

namespace {

/// The port of the last time, so that kubeconfigs stay good; 0 if there was none.
std::uint16_t last_port(Files& files, const std::string& path) {
    const auto text = files.read(path);
    if (!text.ok() || text->empty() || text->size() > 5) return 0;
    const int port = std::atoi(text->c_str());
    return port > 0 && port < 65536 ? static_cast<std::uint16_t>(port) : std::uint16_t{0};
}

}  // namespace

Result<std::unique_ptr<ControlPlane>> ControlPlane::open(const UpOptions& options, Outside outside) {
    std::unique_ptr<ControlPlane> plane(new ControlPlane(outside));
    plane->host_ = options.address;
    const auto made = outside.files.make_private_directory(options.data_dir);
    if (!made.ok()) return made.error();
    apiserver::ServerOptions server_options;
    server_options.data_directory = options.data_dir;
    server_options.check = [told = outside.on_admitted](const apiserver::AdmissionRequest& request) -> Result<Unit> {
        auto checked = check_spec(request);
        if (checked.ok() && told) told(request);
        return checked;
    };
    auto server = apiserver::Server::open(std::move(server_options),
                                          {outside.loop, outside.random, outside.loop, outside.files, outside.log});
    if (!server.ok()) return server.error();
    plane->server_ = std::move(*server);
    const auto listening = plane->listen(options);
    if (!listening.ok()) return listening.error();
    plane->kubeconfig_ = options.kubeconfig;
    return plane;
}

Result<Unit> ControlPlane::listen(const UpOptions& options) {
    const auto certificate =
        find_or_make_certificate(outside_.files, outside_.loop, options.data_dir, {"127.0.0.1", options.address});
    if (!certificate.ok()) return certificate.error();
    ca_pem_ = certificate->ca_pem;
    net::HttpServerOptions http;
    http.address = options.address;
    http.refusal = apiserver::refusal;
    http.port = options.port != 0 ? options.port : last_port(outside_.files, options.data_dir + "/port");
    http.tls = net::ServerTls{certificate->certificate_pem, certificate->key_pem, certificate->ca_pem};
    auto listening = net::HttpServer::listen(outside_.loop, server_->handler(), http);
    if (!listening.ok() && options.port == 0 && http.port != 0) {
        http.port = 0;  // somebody else has the port of the last time
        listening = net::HttpServer::listen(outside_.loop, server_->handler(), http);
    }
    if (!listening.ok()) return listening.error();
    http_ = std::move(*listening);
    return outside_.files.write(options.data_dir + "/port", std::to_string(http_->port()));
}

std::string ControlPlane::url() const {
    return "https://" + host_ + ":" + std::to_string(http_->port());
}

std::shared_ptr<kube::CredentialSource> ControlPlane::credentials() const {
    kube::Access access;
    access.endpoint.scheme = net::Scheme::Https;
    access.endpoint.host = host_;
    access.endpoint.port = http_->port();
    net::TlsConfig tls;
    tls.ca_pem = ca_pem_;
    access.endpoint.tls = std::make_shared<const net::TlsConfig>(std::move(tls));
    access.authorization = "Bearer " + server_->admin_token();
    return std::make_shared<kube::FixedCredentials>(std::move(access));
}

Result<Unit> ControlPlane::write_kubeconfig() {
    apiserver::KubeconfigParts parts;
    parts.server = url();
    parts.ca_pem = ca_pem_;
    parts.token = server_->admin_token();
    return outside_.files.write(kubeconfig_, apiserver::make_kubeconfig(parts));
}

Task<> ControlPlane::start() {
    co_await server_->start();
    co_await write_kubeconfig();
}

Task<> ControlPlane::stop(Duration grace) {
    co_await http_->stop(grace);
    server_->stop();
}

}  // namespace atl::commands
