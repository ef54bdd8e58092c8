#include "operator/kube/controller.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "operator/kube/finalizers.h"
#include "test/operator/kube/given_controller.h"

namespace atl::kube {
namespace {

TEST_F(ControllerTest, MakesAPassForEachObjectAndSaysReady) {
    put("a");
    put("b");
    start();
    EXPECT_EQ(reconciler.passes, 2);
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    EXPECT_EQ(status_of("Paused"), "False/NotPaused");
    EXPECT_EQ(status_of("Deleting"), "False/NotDeleting");
    EXPECT_EQ(status_of("Reconciling"), "") << "present only while True";
    EXPECT_EQ(status_of("Stalled"), "");
    EXPECT_EQ(stored()["status"]["observedGeneration"], 1);
    EXPECT_EQ(metric("controller_runtime_reconcile_total", {"widget", "success"}), 2);
}

TEST_F(ControllerTest, AtRestItDoesNothing) {
    put("a");
    start();
    const auto calls = given.transports[0]->calls();
    const int passes = reconciler.passes;
    const std::uint64_t writes = given.api.writes;
    given.loop.run_for(4min);
    EXPECT_EQ(reconciler.passes, passes);
    EXPECT_EQ(given.api.writes, writes);
    EXPECT_LE(given.transports[0]->calls(), calls + 2) << "the watches may have ended once";
    EXPECT_TRUE(controller->at_rest());
}

TEST_F(ControllerTest, ItsOwnStatusWritesCauseNoPassEditsDo) {
    put("a");
    start();
    EXPECT_EQ(reconciler.passes, 1);
    put("a", {{"size", 2}});
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 2);
    EXPECT_EQ(stored()["status"]["observedGeneration"], 2);
    json labelled = stored();
    labelled["metadata"]["labels"]["x"] = "y";
    given.api.put(kWidgets, labelled);
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 3);
    labelled = stored();
    labelled["metadata"]["annotations"]["note"] = "y";
    given.api.put(kWidgets, labelled);
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 4);
}

TEST_F(ControllerTest, AnUnchangedStatusIsNotWritten) {
    reconciler.script = [](Pass& pass) -> Result<Recheck> {
        pass.status() = {{"url", "http://x"}, {"nothing", nullptr}};
        return Recheck(1min);
    };
    put("a");
    start();
    const std::uint64_t writes = given.api.writes;
    given.loop.run_for(10min);
    EXPECT_GT(reconciler.passes, 8);
    EXPECT_EQ(given.api.writes, writes);
    EXPECT_EQ(stored()["status"]["url"], "http://x");
}

TEST_F(ControllerTest, WhatTheReconcilerTakesOutOfTheStatusGoes) {
    bool with_url = true;
    reconciler.script = [&](Pass& pass) -> Result<Recheck> {
        if (with_url)
            pass.status()["url"] = "x";
        else
            pass.status().erase("url");
        return Recheck::never();
    };
    put("a");
    start();
    EXPECT_TRUE(stored()["status"].contains("url"));
    with_url = false;
    controller->hint(ObjectKey("shop", "a"));
    given.loop.run_for(1s);
    EXPECT_FALSE(stored()["status"].contains("url"));
}

TEST_F(ControllerTest, WaitingIsSaidButNeitherCountedNorLogged) {
    bool there = false;
    reconciler.script = [&](Pass&) -> Result<Recheck> {
        if (there) return Recheck::never();
        return Error::waiting("MachinesStarting", "2 of 3 machines are up, since 10:00", 20s);
    };
    put("a");
    start();
    EXPECT_EQ(status_of("Ready"), "False/MachinesStarting");
    EXPECT_EQ(status_of("Reconciling"), "True/MachinesStarting");
    EXPECT_EQ(condition("Reconciling")["message"], "2 of 3 machines are up, since 10:00");
    EXPECT_EQ(metric("controller_runtime_reconcile_errors_total", {"widget"}), 0);
    for (const std::string& line : process.lines) EXPECT_EQ(line.find("error\""), std::string::npos) << line;
    there = true;
    given.loop.run_for(18s);
    EXPECT_EQ(reconciler.passes, 1);
    given.loop.run_for(2s);
    EXPECT_EQ(reconciler.passes, 2) << "at the hint";
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    EXPECT_EQ(status_of("Reconciling"), "");
}

TEST_F(ControllerTest, TroubleThatPassesByItselfIsQuietForAMinuteWhereTheObjectIsReady) {
    bool down = false;
    reconciler.script = [&](Pass&) -> Result<Recheck> {
        if (down) return transient("ConnectFailed", "connection refused");
        return Recheck::never();
    };
    put("a");
    start();
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    down = true;
    const std::uint64_t writes = given.api.writes;
    controller->hint(ObjectKey("shop", "a"));
    given.loop.run_for(50s);
    EXPECT_EQ(given.api.writes, writes);
    EXPECT_GT(reconciler.passes, 5);
    given.loop.run_for(60s);
    EXPECT_EQ(status_of("Reconciling"), "True/ConnectFailed");
    EXPECT_EQ(status_of("Ready"), "True/Ready") << "it only could not be looked at";
    EXPECT_GT(metric("controller_runtime_reconcile_errors_total", {"widget"}), 5);
    put("a", {{"size", 2}});
    given.loop.run_for(1s);
    EXPECT_EQ(status_of("Ready"), "False/ConnectFailed") << "the new spec has never been Ready";
    down = false;
    given.loop.run_for(5min);
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    EXPECT_EQ(status_of("Reconciling"), "");
}

TEST_F(ControllerTest, WhatCanNeverWorkStallsUntilTheSpecChanges) {
    reconciler.script = [](Pass& pass) -> Result<Recheck> {
        if (pass.object().member("spec").contains("good")) return Recheck::never();
        return invalid("InvalidSpec", "\"x\" is not one of a, b").at_field("spec.kind");
    };
    put("a");
    start();
    EXPECT_EQ(status_of("Stalled"), "True/InvalidSpec");
    EXPECT_EQ(condition("Stalled")["message"], "spec.kind: \"x\" is not one of a, b");
    EXPECT_EQ(status_of("Ready"), "False/InvalidSpec");
    EXPECT_EQ(stored()["status"]["observedGeneration"], 1);
    given.loop.run_for(1h);
    EXPECT_EQ(reconciler.passes, 1);
    EXPECT_EQ(metric("controller_runtime_terminal_reconcile_errors_total", {"widget"}), 1);
    put("a", {{"good", true}});
    given.loop.run_for(1s);
    EXPECT_EQ(status_of("Stalled"), "");
    EXPECT_EQ(status_of("Ready"), "True/Ready");
}

TEST_F(ControllerTest, AnExceptionIsOneObjectsBugTheOthersGoOn) {
    reconciler.script = [](Pass& pass) -> Result<Recheck> {
        if (pass.key().name == "a") throw std::logic_error("oops");
        return Recheck::never();
    };
    put("a");
    put("b");
    start();
    EXPECT_EQ(condition("Ready", "b")["status"], "True");
    EXPECT_GT(metric("controller_runtime_reconcile_panics_total", {"widget"}), 1);
    given.loop.run_for(3min);
    EXPECT_EQ(status_of("Reconciling"), "True/InternalError");
}

TEST_F(ControllerTest, APassIsCutOffAtItsDeadline) {
    reconciler.duration = 10min;
    put("a");
    start();
    given.loop.run_for(31s);
    EXPECT_GE(metric("controller_runtime_reconcile_timeouts_total", {"widget"}), 1);
    EXPECT_EQ(reconciler.passes, 2) << "and tried again";
}

TEST_F(ControllerTest, OneObjectNeverHasTwoPassesAtOnceAndConcurrencyHolds) {
    ControllerOptions chosen = options();
    chosen.concurrency = 3;
    reconciler.duration = 100ms;
    reconciler.script = [&](Pass&) -> Result<Recheck> { return Recheck(10ms); };
    for (int i = 0; i < 20; ++i) put("w" + std::to_string(i));
    start(chosen);
    for (int i = 0; i < 50; ++i) {
        controller->hint(ObjectKey("shop", "w0"));
        given.loop.run_for(30ms);
    }
    EXPECT_EQ(reconciler.most_at_once, 3);
    EXPECT_EQ(reconciler.twice_at_once, 0);
}

TEST_F(ControllerTest, AChangeDuringAPassIsFollowedByAnother) {
    reconciler.duration = 1s;
    put("a");
    start();
    put("a", {{"size", 2}});
    put("a", {{"size", 3}});
    given.loop.run_for(10s);
    EXPECT_EQ(stored()["status"]["observedGeneration"], 3);
}

}  // namespace
}  // namespace atl::kube
