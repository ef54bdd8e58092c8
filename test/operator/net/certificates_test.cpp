#include "operator/net/certificates.h"

#include <gtest/gtest.h>

namespace atl::net {
namespace {

using std::chrono::hours;

constexpr WallTime kFrom{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};

TEST(Certificates, EndWhenTheyAreToldTo) {
    const auto ca = make_ca({"ca", {}, {}, {}, kFrom, kFrom + hours(24)});
    ASSERT_TRUE(ca.ok()) << ca.error().message();
    EXPECT_EQ(*certificate_end(ca->certificate_pem), kFrom + hours(24));
    const auto server = issue_certificate(
        *ca, {"s", {}, {"a.example", "*.b.example"}, {"10.0.0.1", "fd00::1"}, kFrom, kFrom + hours(1)},
        CertificateUse::Server);
    ASSERT_TRUE(server.ok()) << server.error().message();
    EXPECT_EQ(*certificate_end(server->certificate_pem), kFrom + hours(1));
}

TEST(Certificates, AreNeverTwiceTheSame) {
    const CertificateSubject subject{"ca", {}, {}, {}, kFrom, kFrom + hours(24)};
    EXPECT_NE(make_ca(subject)->certificate_pem, make_ca(subject)->certificate_pem);
    EXPECT_NE(make_ca(subject)->key_pem, make_ca(subject)->key_pem);
}

TEST(Certificates, RefuseNamesThatWouldSayMoreThanOneThing) {
    const Identity ca = make_ca({"ca", {}, {}, {}, kFrom, kFrom + hours(24)}).value();
    for (const char* name : {"", "a,DNS:evil", "a b", "a\nb", "@section"}) {
        const auto issued =
            issue_certificate(ca, {"s", {}, {name}, {}, kFrom, kFrom + hours(1)}, CertificateUse::Server);
        ASSERT_FALSE(issued.ok()) << name;
        EXPECT_EQ(issued.error().reason(), "CertificateFailed");
    }
    EXPECT_FALSE(
        issue_certificate(ca, {"s", {}, {}, {"not an address"}, kFrom, kFrom + hours(1)}, CertificateUse::Server).ok());
}

TEST(Certificates, SayWhatCannotBeRead) {
    EXPECT_FALSE(certificate_end("nonsense").ok());
    EXPECT_FALSE(
        issue_certificate({"nonsense", "nonsense"}, {"s", {}, {}, {}, kFrom, kFrom}, CertificateUse::Client).ok());
}

}  // namespace
}  // namespace atl::net
