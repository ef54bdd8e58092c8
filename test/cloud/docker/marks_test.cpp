#include "cloud/docker/marks.h"

#include <gtest/gtest.h>

namespace atl::cloud::docker {
namespace {

const Owner kOwner{"i1", "o1", "Stack", "default", "shop"};

TEST(Marks, AreOfOneOwnerOfOneInstallation) {
    const Labels labels = marks_of(kOwner, "web");
    EXPECT_TRUE(is_owned(labels, kOwner));
    Owner other = kOwner;
    other.installation = "i2";
    EXPECT_FALSE(is_owned(labels, other));
    other = kOwner;
    other.id = "o2";
    EXPECT_FALSE(is_owned(labels, other));
    EXPECT_FALSE(is_owned({}, kOwner));
    EXPECT_FALSE(is_owned({}, Owner{}));
}

TEST(Marks, NamesArePureFunctionsThatAnEngineTakes) {
    const std::string name = name_on_engine(kOwner, {"swarm/service", "web"});
    EXPECT_EQ(name, name_on_engine(kOwner, {"swarm/service", "web"}));
    EXPECT_TRUE(name.starts_with("web-")) << name;
    EXPECT_NE(name, name_on_engine(kOwner, {"swarm/secret", "web"}));
    Owner other = kOwner;
    other.id = "o2";
    EXPECT_NE(name, name_on_engine(other, {"swarm/service", "web"}));
    for (const std::string& odd : {std::string(300, 'A'), std::string("--x--"), std::string("web/etc/app.conf@12"),
                                   std::string("\xff"), std::string()}) {
        const std::string made = name_on_engine(kOwner, {"k", odd});
        EXPECT_LE(made.size(), 63U);
        EXPECT_EQ(made.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << made;
        EXPECT_NE(made.front(), '-');
    }
}

}  // namespace
}  // namespace atl::cloud::docker
