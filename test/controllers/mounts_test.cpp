#include "controllers/mounts.h"

#include <gtest/gtest.h>

namespace atl::controllers {
namespace {

crds::StackSpec stack_with(crds::Volume volume) {
    crds::StackSpec stack;
    stack.volumes.push_back(std::move(volume));
    return stack;
}

crds::Container mounting(std::string volume, std::string path, std::string sub_path = "") {
    crds::Container container;
    container.volume_mounts.push_back({std::move(volume), std::move(path), std::move(sub_path), false});
    return container;
}

crds::Volume settings() {
    crds::Volume volume;
    volume.name = "settings";
    volume.config_map = crds::ConfigMapVolume{"app", {}, 0644};
    return volume;
}

TEST(Mounts, EachKeyOfAConfigMapIsAFile) {
    const auto stack = stack_with(settings());
    Content content;
    content.config_maps["app"] = {{"a.conf", "A"}, {"b.conf", "B"}};
    const auto mounts = mounts_of(mounting("settings", "/etc/app"), {stack, "web", content}).value();
    ASSERT_EQ(mounts.files.size(), 2U);
    EXPECT_EQ(mounts.files[0].path, "/etc/app/a.conf");
    EXPECT_EQ(mounts.files[1].content, "B");
    EXPECT_FALSE(mounts.files[0].secret);
    EXPECT_EQ(mounts.files[0].mode, 0644U);
}

TEST(Mounts, ASubPathIsOneFileAtTheMountPath) {
    const auto stack = stack_with(settings());
    Content content;
    content.config_maps["app"] = {{"a.conf", "A"}, {"b.conf", "B"}};
    const auto mounts = mounts_of(mounting("settings", "/etc/b", "b.conf"), {stack, "web", content}).value();
    ASSERT_EQ(mounts.files.size(), 1U);
    EXPECT_EQ(mounts.files[0].path, "/etc/b");
    EXPECT_EQ(mounts.files[0].content, "B");
}

TEST(Mounts, ASecretIsMarkedSo) {
    crds::Volume volume;
    volume.name = "keys";
    volume.secret = crds::SecretVolume{"tls", {{"key.pem", "private/key"}}, 0400};
    const auto stack = stack_with(volume);
    Content content;
    content.secrets["tls"] = {{"key.pem", "canary"}, {"other", "x"}};
    const auto mounts = mounts_of(mounting("keys", "/keys/"), {stack, "web", content}).value();
    ASSERT_EQ(mounts.files.size(), 1U);
    EXPECT_EQ(mounts.files[0].path, "/keys/private/key");
    EXPECT_TRUE(mounts.files[0].secret);
    EXPECT_EQ(mounts.files[0].mode, 0400U);
}

TEST(Mounts, WhatIsMissingIsNamed) {
    const auto stack = stack_with(settings());
    const auto mounts = mounts_of(mounting("settings", "/etc"), {stack, "web", {}});
    ASSERT_FALSE(mounts.ok());
    EXPECT_TRUE(mounts.error().is_waiting());
    EXPECT_NE(mounts.error().message().find("ConfigMap \"app\""), std::string::npos);
}

TEST(Mounts, TwoInstancesDoNotShareAVolume) {
    crds::Volume volume;
    volume.name = "data";
    volume.persistent = crds::PersistentVolume{std::nullopt, true};
    const auto stack = stack_with(volume);
    const auto one = mounts_of(mounting("data", "/data"), {stack, "shop-store", {}}).value();
    const auto other = mounts_of(mounting("data", "/data"), {stack, "second", {}}).value();
    EXPECT_EQ(one.volumes[0].volume, "shop-store-data");
    EXPECT_NE(one.volumes[0].volume, other.volumes[0].volume);
    EXPECT_TRUE(one.volumes[0].retain);
    EXPECT_EQ(one.volumes[0].kind, cloud::VolumeMount::Kind::Persistent);
}

TEST(Mounts, ASizeThatIsNoQuantityIsRefusedWithItsField) {
    crds::Volume volume;
    volume.name = "data";
    volume.persistent.emplace();
    volume.persistent->size = crds::IntOrString{std::string("1 pound")};
    const auto stack = stack_with(volume);
    const auto mounts = mounts_of(mounting("data", "/data"), {stack, "web", {}});
    ASSERT_FALSE(mounts.ok());
    EXPECT_EQ(mounts.error().field(), "spec.volumes[data].persistent.size");
}

}  // namespace
}  // namespace atl::controllers
