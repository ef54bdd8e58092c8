#include "operator/base/names.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Names, AcceptsLabelsUpToTheirLimit) {
    for (const std::string& name : {std::string("a"), std::string("0"), std::string("web-1"), std::string(63, 'a')})
        EXPECT_TRUE(dns_label_errors(name).empty()) << name;
    for (const std::string& name :
         {std::string(), std::string("-a"), std::string("a-"), std::string("A"), std::string("a.b"), std::string("a_b"),
          std::string("é"), std::string("a b"), std::string("a\n"), std::string(64, 'a')})
        EXPECT_FALSE(dns_label_errors(name).empty()) << name;
}

TEST(Names, SpeaksTheWordsOfKubernetes) {
    EXPECT_EQ(
        dns_label_errors("Web"),
        (std::vector<std::string>{"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
                                  "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
                                  "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"}));
    EXPECT_EQ(dns_label_errors(std::string(64, 'a')), std::vector<std::string>{"must be no more than 63 characters"});
    EXPECT_EQ(dns_subdomain_errors(std::string(254, 'a')),
              std::vector<std::string>{"must be no more than 253 characters"});
    EXPECT_EQ(port_name_errors("0123"), std::vector<std::string>{"must contain at least one letter (a-z)"});
    EXPECT_EQ(port_name_errors("a--b"), std::vector<std::string>{"must not contain consecutive hyphens"});
    EXPECT_EQ(
        qualified_name_errors("a/"),
        (std::vector<std::string>{"name part must be non-empty",
                                  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start "
                                  "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                                  "'123-abc', regex used for validation is "
                                  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"}));
}

TEST(Names, ChecksSubdomainsLabelsAndQualifiedNames) {
    EXPECT_TRUE(dns_subdomain_errors("a.b-c.1").empty());
    EXPECT_FALSE(dns_subdomain_errors("a..b").empty());
    EXPECT_FALSE(dns_subdomain_errors("a.").empty());
    EXPECT_TRUE(label_value_errors("").empty());
    EXPECT_TRUE(label_value_errors("My_value.1").empty());
    EXPECT_FALSE(label_value_errors("-x").empty());
    EXPECT_FALSE(label_value_errors(std::string(64, 'x')).empty());
    EXPECT_TRUE(qualified_name_errors("atoll.dev/owner-id").empty());
    EXPECT_FALSE(qualified_name_errors("/x").empty());
    EXPECT_FALSE(qualified_name_errors("a/b/c").empty());
}

TEST(Names, BoundsNamesWithoutMakingTwoEqual) {
    EXPECT_EQ(bounded_name({"shop", "web"}), "shop-web");
    EXPECT_EQ(bounded_name({std::string(31, 'a'), std::string(31, 'b')}).size(), 63u);
    std::string a = bounded_name({std::string(60, 'a'), "web-db"});
    std::string b = bounded_name({std::string(60, 'a') + "-web", "db"});
    EXPECT_LE(a.size(), kMaxLabel);
    EXPECT_TRUE(dns_label_errors(a).empty()) << a;
    EXPECT_NE(a, b) << "the same text from other parts";
    EXPECT_EQ(a, bounded_name({std::string(60, 'a'), "web-db"})) << "a pure function";
    std::string dashes = bounded_name({std::string(50, 'a') + std::string(10, '-'), "web"});
    EXPECT_TRUE(dns_label_errors(dashes).empty()) << dashes;
}

TEST(Names, KeepsTheNamesThatAreOutInTheWorld) {
    // These names are marks of things that exist: a change of the function would orphan them.
    EXPECT_EQ(short_hash("atoll", 10), "r2fjlstppg");
}

TEST(Names, ComparesKeysInConstantTime) {
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Names, FindsTheNearestName) {
    std::vector<std::string> names{"metrics-address", "kubeconfig", "namespace"};
    EXPECT_EQ(nearest_name("metric-address", names), "metrics-address");
    EXPECT_EQ(nearest_name("kubconfg", names), "kubeconfig");
    EXPECT_EQ(nearest_name("zzzzzzzz", names), std::nullopt);
    EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

}  // namespace
}  // namespace atl
