#include "controllers/content_users.h"

#include <gtest/gtest.h>

namespace atl::controllers {
namespace {

using Keys = std::vector<kube::ObjectKey>;

const kube::ObjectKey kWeb("shop", "web");
const kube::ObjectKey kStore("shop", "store");
const kube::ObjectKey kPassword("shop", "password");
const kube::ObjectKey kPage("shop", "page");

TEST(ContentUsers, FindsAllWhoReferToAnObjectInTheirNamespace) {
    ContentUsers users;
    users.refer(kWeb, {{"page"}, {"password"}});
    users.refer(kStore, {{}, {"password"}});
    EXPECT_EQ(users.users_of_secret(kPassword), (Keys{kStore, kWeb}));
    EXPECT_EQ(users.users_of_config_map(kPage), Keys{kWeb});
    EXPECT_TRUE(users.users_of_secret(kube::ObjectKey("other", "password")).empty());
    EXPECT_TRUE(users.users_of_secret(kPage).empty()) << "a Secret is no ConfigMap";
}

TEST(ContentUsers, WhatIsNoLongerReferredToWakesNobody) {
    ContentUsers users;
    users.refer(kWeb, {{"page"}, {"password"}});
    users.refer(kWeb, {{"page"}, {}});
    EXPECT_TRUE(users.users_of_secret(kPassword).empty());
    users.forget(kWeb);
    users.forget(kWeb);
    EXPECT_TRUE(users.users_of_config_map(kPage).empty());
}

TEST(ContentUsers, TheLastGoodRevisionCountsBesideTheWantedOne) {
    ContentUsers users;
    users.refer(kWeb, {{}, {"password"}});
    users.refer_also(kWeb, {{"page"}, {}});
    EXPECT_EQ(users.users_of_secret(kPassword), Keys{kWeb});
    EXPECT_EQ(users.users_of_config_map(kPage), Keys{kWeb});
}

}  // namespace
}  // namespace atl::controllers
