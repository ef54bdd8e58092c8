#include "operator/base/error.h"

#include <set>

#include <gtest/gtest.h>

namespace atl {
namespace {

using namespace std::chrono_literals;

constexpr ErrorClass kAll[] = {ErrorClass::Throttled,     ErrorClass::Capacity,    ErrorClass::Quota,
                               ErrorClass::NotYetVisible, ErrorClass::Credentials, ErrorClass::Invalid,
                               ErrorClass::Unsupported,   ErrorClass::Conflict,    ErrorClass::Transient,
                               ErrorClass::Waiting};

TEST(Errors, OnlyWhatCanNeverWorkAsItIsWrittenStops) {
    for (const ErrorClass error_class : kAll) {
        const bool stops = error_class == ErrorClass::Invalid || error_class == ErrorClass::Unsupported;
        EXPECT_EQ(reaction(error_class) == Reaction::Stop, stops) << to_string(error_class);
    }
    EXPECT_EQ(reaction(ErrorClass::Quota), Reaction::Wait) << "a person must do something: no back-off";
    EXPECT_EQ(reaction(ErrorClass::Conflict), Reaction::Retry);
}

TEST(Errors, HaveAWordForEachClass) {
    std::set<std::string_view> words;
    for (const ErrorClass error_class : kAll) words.insert(to_string(error_class));
    EXPECT_EQ(words.size(), std::size(kAll));
}

TEST(Errors, ContextComesBeforeTheMessageAndKeepsTheRest) {
    const Error error = invalid("NameTaken", "the name is taken")
                            .at_field("spec.name")
                            .with_status(409)
                            .with_retry_after(3s)
                            .during("creating network \"a\"")
                            .during("service \"web\"");
    EXPECT_EQ(error.message(), "service \"web\": creating network \"a\": the name is taken");
    EXPECT_EQ(error.reason(), "NameTaken");
    EXPECT_EQ(error.field(), "spec.name");
    EXPECT_EQ(error.status(), 409);
    EXPECT_EQ(error.retry_after(), 3000ms);
}

TEST(Errors, WaitingIsAClassOfItsOwnWithAHint) {
    const Error waiting = Error::waiting("SwarmNotFormed", "the swarm is not formed yet", 1s);
    EXPECT_TRUE(waiting.is_waiting());
    EXPECT_EQ(waiting.retry_after(), 1000ms);
    EXPECT_FALSE(transient("Reset", "reset").is_waiting());
}

}  // namespace
}  // namespace atl
