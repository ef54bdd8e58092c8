#include "controllers/environment_values.h"

#include <gtest/gtest.h>

namespace atl::controllers {
namespace {

crds::EnvVar value(std::string name, std::string text) {
    crds::EnvVar variable;
    variable.name = std::move(name);
    variable.value = std::move(text);
    return variable;
}

crds::EnvVar from_secret(std::string name, std::string object, std::string key) {
    crds::EnvVar variable;
    variable.name = std::move(name);
    variable.value_from.emplace();
    variable.value_from->secret_key_ref = crds::KeySelector{std::move(object), std::move(key), false};
    return variable;
}

std::string shown(const EnvironmentValues& environment) {
    std::string text;
    for (const cloud::EnvVar& variable : environment.shown) text += variable.name + "=" + variable.value + " ";
    return text;
}

TEST(EnvironmentValues, AreSortedAndTheLaterOneWins) {
    crds::Container container;
    container.env = {value("B", "1"), value("A", "2"), value("B", "3")};
    EXPECT_EQ(shown(environment_of(container, {}).value()), "A=2 B=3 ");
}

TEST(EnvironmentValues, ExpandEarlierVariablesAndKeepUnknownOnes) {
    crds::Container container;
    container.env = {value("HOST", "db"), value("URL", "http://$(HOST):1/$(NOPE)/$$(HOST)")};
    EXPECT_EQ(shown(environment_of(container, {}).value()), "HOST=db URL=http://db:1/$(NOPE)/$(HOST) ");
}

TEST(EnvironmentValues, WhatDrawsOnASecretIsSecret) {
    crds::Container container;
    container.env = {from_secret("PASSWORD", "login", "password"), value("URL", "pg://$(PASSWORD)@db"),
                     value("X", "y")};
    Content content;
    content.secrets["login"]["password"] = "canary";
    const auto environment = environment_of(container, content).value();
    EXPECT_EQ(shown(environment), "X=y ");
    ASSERT_EQ(environment.secret.size(), 2U);
    EXPECT_EQ(environment.secret[1].value, "pg://canary@db");
}

TEST(EnvironmentValues, TakeAllKeysWithAPrefix) {
    crds::Container container;
    container.env_from.resize(1);
    container.env_from[0].prefix = "APP_";
    container.env_from[0].config_map_ref = crds::ObjectSelector{"settings", false};
    Content content;
    content.config_maps["settings"] = {{"color", "blue"}, {"size", "1"}};
    EXPECT_EQ(shown(environment_of(container, content).value()), "APP_color=blue APP_size=1 ");
}

TEST(EnvironmentValues, NameWhatIsMissing) {
    crds::Container container;
    container.env = {from_secret("PASSWORD", "login", "password")};
    Content content;
    const auto no_object = environment_of(container, content);
    ASSERT_FALSE(no_object.ok());
    EXPECT_TRUE(no_object.error().is_waiting());
    EXPECT_NE(no_object.error().message().find("Secret \"login\" does not exist"), std::string::npos);
    content.secrets["login"]["user"] = "x";
    const auto no_key = environment_of(container, content);
    EXPECT_NE(no_key.error().message().find("key \"password\" of Secret \"login\""), std::string::npos);
}

TEST(EnvironmentValues, LeaveOutWhatIsOptionalAndMissing) {
    crds::Container container;
    container.env = {from_secret("PASSWORD", "login", "password")};
    container.env[0].value_from->secret_key_ref->optional = true;
    const auto environment = environment_of(container, {});
    ASSERT_TRUE(environment.ok());
    EXPECT_TRUE(environment->shown.empty());
    EXPECT_TRUE(environment->secret.empty());
}

}  // namespace
}  // namespace atl::controllers
