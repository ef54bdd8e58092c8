#include "operator/commands/serving_certificate.h"

#include "operator/net/certificates.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;
constexpr auto kYear = std::chrono::hours(24 * 365);

Result<net::Identity> read_pair(Files& files, const std::string& path) {
    const auto certificate = files.read(path + ".crt");
    if (!certificate.ok()) return certificate.error();
    const auto key = files.read(path + ".key");
    if (!key.ok()) return key.error();
    return net::Identity{*certificate, *key};
}

Result<Unit> write_pair(Files& files, const std::string& path, const net::Identity& pair) {
    const auto key = files.write(path + ".key", pair.key_pem);
    if (!key.ok()) return key.error();
    return files.write(path + ".crt", pair.certificate_pem);
}

Result<net::Identity> find_or_make_ca(Files& files, const Clock& clock, const std::string& directory) {
    if (files.exists(directory + "/ca.crt")) return read_pair(files, directory + "/ca");
    net::CertificateSubject subject;
    subject.common_name = "atoll";
    subject.from = clock.wall_now() - 1h;
    subject.until = clock.wall_now() + 10 * kYear;
    auto ca = net::make_ca(subject);
    if (!ca.ok()) return ca.error();
    const auto written = write_pair(files, directory + "/ca", *ca);
    if (!written.ok()) return written.error();
    return ca;
}

/// The server's pair, if it is there, good for long enough and for these addresses.
std::optional<net::Identity> usable(Files& files, const Clock& clock, const std::string& directory,
                                    const std::string& names) {
    const auto made_for = files.read(directory + "/server.names");
    auto pair = read_pair(files, directory + "/server");
    if (!pair.ok() || !made_for.ok() || *made_for != names) return std::nullopt;
    const auto end = net::certificate_end(pair->certificate_pem);
    if (!end.ok() || *end < clock.wall_now() + std::chrono::hours(24 * 30)) return std::nullopt;
    return std::move(*pair);
}

}  // namespace

Result<ServingCertificate> find_or_make_certificate(Files& files, const Clock& clock, const std::string& directory,
                                                    const std::vector<std::string>& addresses) {
    const auto ca = find_or_make_ca(files, clock, directory);
    if (!ca.ok()) return ca.error();
    std::string names;
    for (const std::string& address : addresses) names += address + "\n";
    if (const auto present = usable(files, clock, directory, names)) {
        return ServingCertificate{ca->certificate_pem, present->certificate_pem, present->key_pem};
    }
    net::CertificateSubject subject;
    subject.common_name = "atoll-apiserver";
    subject.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
    subject.addresses = addresses;
    subject.from = clock.wall_now() - 1h;
    subject.until = clock.wall_now() + kYear;
    const auto made = net::issue_certificate(*ca, subject, net::CertificateUse::Server);
    if (!made.ok()) return made.error();
    for (const auto& written :
         {write_pair(files, directory + "/server", *made), files.write(directory + "/server.names", names)}) {
        if (!written.ok()) return written.error();
    }
    return ServingCertificate{ca->certificate_pem, made->certificate_pem, made->key_pem};
}

}  // namespace atl::commands
