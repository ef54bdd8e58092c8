#include "cloud/docker/errors.h"

#include <gtest/gtest.h>

namespace atl::cloud::docker {
namespace {

struct Case {
    int status;
    const char* message;
    ErrorClass error_class;
    const char* reason;
    const char* why;
};

TEST(Errors, AreClassifiedByStatusAndText) {
    for (const Case& c : {
             Case{500, "rpc error: code = Unknown desc = update out of sequence", ErrorClass::Conflict, "OutOfSequence",
                  "a stale version is a 500"},
             Case{500, "rpc error: code = Unknown desc = constraint expected one operator from ==, !=",
                  ErrorClass::Invalid, "BadConstraint", "a bad constraint is a 500 too"},
             Case{400, "rpc error: code = InvalidArgument desc = secret 's' is in use by the following service: web",
                  ErrorClass::Conflict, "InUse", "in use is a 400"},
             Case{400, "rpc error: code = FailedPrecondition desc = network n is in use by service s",
                  ErrorClass::Conflict, "InUse", "networks say it in other words"},
             Case{403, "error while removing network: network n id 1 has active endpoints", ErrorClass::Conflict,
                  "InUse", "a bridge in use is a 403"},
             Case{409, "remove data: volume is in use - [1a2b]", ErrorClass::Conflict, "InUse", "volumes"},
             Case{409, "network with name n already exists", ErrorClass::Conflict, "Conflict", "a name that is taken"},
             Case{503, "This node is not a swarm manager. Use \"docker swarm init\"", ErrorClass::Conflict,
                  "NotASwarmManager", "the next manager may know"},
             Case{503, "This node is already part of a swarm.", ErrorClass::Conflict, "EngineInUse", "init"},
             Case{500, "driver failed: Bind for 0.0.0.0:80 failed: port is already allocated", ErrorClass::Conflict,
                  "PortTaken", "a port that is taken"},
             Case{501, "rpc error: code = Unimplemented desc = renaming services is not supported",
                  ErrorClass::Unsupported, "NotImplemented", "what Swarm cannot do"},
             Case{400, "client version 1.99 is too new. Maximum supported API version is 1.41", ErrorClass::Transient,
                  "ApiVersion", "the version is asked again"},
             Case{400, "rpc error: code = InvalidArgument desc = only updates to Labels are allowed",
                  ErrorClass::Invalid, "Refused", "any other 400"},
             Case{404, "service web not found", ErrorClass::Transient, "NotFound", "a 404 where none was expected"},
             Case{500, "something else", ErrorClass::Transient, "EngineError", "any other 500"},
             Case{500, "", ErrorClass::Transient, "EngineError", "no text at all"},
         }) {
        const Error error = classify(c.status, c.message);
        EXPECT_EQ(error.error_class(), c.error_class) << c.why;
        EXPECT_EQ(error.reason(), c.reason) << c.why;
        EXPECT_EQ(error.status(), c.status);
    }
}

TEST(Errors, SpeakInOneLineWithoutTheTransportsWords) {
    EXPECT_EQ(classify(500, "rpc error: code = Unknown desc = update out\nof sequence.\n").message(),
              "the engine says 500: update out of sequence");
    EXPECT_LT(classify(500, std::string(100'000, 'x')).message().size(), 1'100U);
}

TEST(Errors, SayTheSameOfTheSameTroubleThoughTheEngineMakesAnIdForEachAttempt) {
    const std::string start = "driver failed programming external connectivity on endpoint web-0-caae (";
    const std::string end = "): Error starting userland proxy: listen tcp4 0.0.0.0:80: bind: address already in use";
    const Error first = classify(500, start + std::string(64, 'a') + end);
    const Error second = classify(500, start + std::string(64, 'b') + end);
    EXPECT_EQ(first.message(), second.message());
    EXPECT_EQ(first.reason(), "PortTaken");
    EXPECT_NE(first.message().find("endpoint web-0-caae: Error starting userland proxy"), std::string::npos)
        << first.message();
    EXPECT_EQ(steady_text("a (b) (" + std::string(63, 'a') + ") (c"), "a (b) (" + std::string(63, 'a') + ") (c");
}

}  // namespace
}  // namespace atl::cloud::docker
