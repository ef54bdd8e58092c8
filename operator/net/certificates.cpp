#include "operator/net/certificates.h"

#include <ctime>
#include <memory>
#include <utility>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
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

Error failed(const std::string& doing) {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return invalid("CertificateFailed", doing + (reason != nullptr ? std::string(": ") + reason : std::string()));
}

/// Never asks on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) {
    return 0;
}

std::string text_of(BIO* bio) {
    char* start = nullptr;
    const long size = BIO_get_mem_data(bio, &start);
    return {start, static_cast<std::size_t>(size)};
}

Bio open_text(const std::string& text) {
    return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Certificate read_certificate(const std::string& pem) {
    const Bio text = open_text(pem);
    return Certificate(PEM_read_bio_X509(text.get(), nullptr, no_password, nullptr));
}

Result<Identity> to_identity(X509* certificate, EVP_PKEY* key) {
    const Bio certificate_text(BIO_new(BIO_s_mem()));
    const Bio key_text(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
        PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
        return failed("writing a certificate");
    }
    return Identity{text_of(certificate_text.get()), text_of(key_text.get())};
}

bool set_random_serial(X509* certificate) {
    const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_new());
    return BN_rand(number.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_name(X509_NAME* name, const char* field, const std::string& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_subject(X509* certificate, const CertificateSubject& subject) {
    X509_NAME* name = X509_get_subject_name(certificate);
    bool fine = true;
    for (const std::string& organization : subject.organizations) fine = fine && add_name(name, "O", organization);
    return fine && add_name(name, "CN", subject.common_name);
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    const bool fine = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return fine;
}

/// In the configuration language of OpenSSL; see is_plain.
std::string alternative_names(const CertificateSubject& subject) {
    std::string names;
    for (const std::string& name : subject.dns_names) names += (names.empty() ? "DNS:" : ",DNS:") + name;
    for (const std::string& address : subject.addresses) names += (names.empty() ? "IP:" : ",IP:") + address;
    return names;
}

/// Whether no name would break that language apart.
bool is_plain(const CertificateSubject& subject) {
    for (const auto* names : {&subject.dns_names, &subject.addresses}) {
        for (const std::string& name : *names) {
            if (name.empty() || name.find_first_of(",;\r\n @") != std::string::npos) return false;
        }
    }
    return true;
}

/// A certificate without issuer, extensions and signature.
Certificate draft(const CertificateSubject& subject, EVP_PKEY* key) {
    Certificate certificate(X509_new());
    const std::time_t from = std::chrono::system_clock::to_time_t(subject.from);
    const std::time_t until = std::chrono::system_clock::to_time_t(subject.until);
    const bool fine = X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                      set_random_serial(certificate.get()) && set_subject(certificate.get(), subject) &&
                      X509_set_pubkey(certificate.get(), key) == 1 &&
                      ASN1_TIME_set(X509_getm_notBefore(certificate.get()), from) != nullptr &&
                      ASN1_TIME_set(X509_getm_notAfter(certificate.get()), until) != nullptr;
    return fine ? std::move(certificate) : nullptr;
}

}  // namespace

Result<Identity> make_ca(const CertificateSubject& subject) {
    if (!is_plain(subject)) return failed("a name of \"" + subject.common_name + "\" is neither DNS nor IP");
    const Key key(EVP_EC_gen("P-256"));
    if (!key) return failed("making a key");
    const Certificate certificate = draft(subject, key.get());
    X509* raw = certificate.get();
    const std::string names = alternative_names(subject);
    const bool fine = raw != nullptr && X509_set_issuer_name(raw, X509_get_subject_name(raw)) == 1 &&
                      add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE") &&
                      add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature") &&
                      add_extension(raw, raw, NID_subject_key_identifier, "hash") &&
                      (names.empty() || add_extension(raw, raw, NID_subject_alt_name, names)) &&
                      X509_sign(raw, key.get(), EVP_sha256()) > 0;
    if (!fine) return failed("making the CA \"" + subject.common_name + "\"");
    return to_identity(raw, key.get());
}

Result<Identity> issue_certificate(const Identity& ca, const CertificateSubject& subject, CertificateUse use) {
    const Certificate issuer = read_certificate(ca.certificate_pem);
    const Bio text = open_text(ca.key_pem);
    const Key issuer_key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr));
    if (!issuer || !issuer_key) return failed("reading the CA");
    if (!is_plain(subject)) return failed("a name of \"" + subject.common_name + "\" is neither DNS nor IP");
    const Key key(EVP_EC_gen("P-256"));
    if (!key) return failed("making a key");
    const Certificate certificate = draft(subject, key.get());
    X509* raw = certificate.get();
    const std::string names = alternative_names(subject);
    const char* purpose = use == CertificateUse::Server ? "serverAuth" : "clientAuth";
    const bool fine = raw != nullptr && X509_set_issuer_name(raw, X509_get_subject_name(issuer.get())) == 1 &&
                      add_extension(raw, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                      add_extension(raw, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                      add_extension(raw, issuer.get(), NID_ext_key_usage, purpose) &&
                      add_extension(raw, issuer.get(), NID_authority_key_identifier, "keyid") &&
                      (names.empty() || add_extension(raw, issuer.get(), NID_subject_alt_name, names)) &&
                      X509_sign(raw, issuer_key.get(), EVP_sha256()) > 0;
    if (!fine) return failed("making the certificate \"" + subject.common_name + "\"");
    return to_identity(raw, key.get());
}

Result<WallTime> certificate_end(const std::string& certificate_pem) {
    const Certificate certificate = read_certificate(certificate_pem);
    std::tm time{};
    if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &time) != 1) {
        return failed("reading a certificate");
    }
    return std::chrono::system_clock::from_time_t(::timegm(&time));
}

}  // namespace atl::net
