#include <gtest/gtest.h>

#include "operator/kube/controller.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/lease.h"
#include "test/operator/kube/given_controller.h"

namespace atl::kube {
namespace {

TEST_F(ControllerTest, LooksAtTheOwnerWhenAChildChangesOrGoes) {
    put("a");
    start();
    const std::string uid = stored()["metadata"]["uid"];
    json child = {{"metadata", {{"namespace", "shop"}, {"name", "c"}, {"ownerReferences", json::array()}}}};
    child["metadata"]["ownerReferences"].push_back(
        {{"apiVersion", "example.dev/v1"}, {"kind", "Widget"}, {"name", "a"}, {"uid", uid}, {"controller", true}});
    given.api.put(kGadgets, child);
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 2);
    given.api.erase(kGadgets, ObjectKey("shop", "c"));
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 3);
}

TEST_F(ControllerTest, AMapperSeesTheStateBeforeToo) {
    put("a");
    put("b");
    controller = std::make_unique<Controller>(process.runtime(), options(), reconciler);
    controller->watch(kGadgets, [](const Object& gadget) -> std::vector<ObjectKey> {
        return {ObjectKey("shop", gadget.member("spec").value("for", ""))};
    });
    controller->start();
    given.loop.run_for(1s);
    json gadget = {{"metadata", {{"namespace", "shop"}, {"name", "g"}}}, {"spec", {{"for", "a"}}}};
    given.api.put(kGadgets, gadget);
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes_of["shop/a"], 2);
    gadget["spec"]["for"] = "b";
    given.api.put(kGadgets, gadget);
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes_of["shop/a"], 3) << "it was for a before";
    EXPECT_EQ(reconciler.passes_of["shop/b"], 2);
}

TEST_F(ControllerTest, LeavesAPausedObjectAloneAndSaysSo) {
    put("a", {{"paused", true}});
    start();
    EXPECT_EQ(reconciler.passes, 0);
    EXPECT_EQ(status_of("Paused"), "True/Paused");
    EXPECT_EQ(event_reasons(), std::vector<std::string>{"Paused"});
    const std::uint64_t writes = given.api.writes;
    given.loop.run_for(1h);
    EXPECT_EQ(given.api.writes, writes);
    put("a", {{"paused", false}});
    given.loop.run_for(1s);
    EXPECT_EQ(reconciler.passes, 1);
    EXPECT_EQ(status_of("Paused"), "False/NotPaused");
}

/// Starting a container on a port that is taken makes events of the engine, which lead to the next attempt.
TEST_F(ControllerTest, APassThatFailsAndIsHintedAtByItsOwnEffectsDoesNotRunHot) {
    bool fail = true;
    reconciler.script = [&](Pass& pass) -> Result<Recheck> {
        controller->hint(pass.key());
        if (fail) return Error(ErrorClass::Conflict, "PortTaken", "port 8080 is taken");
        return Recheck(1h);
    };
    put("a");
    start();
    given.loop.run_for(10min);
    EXPECT_LT(reconciler.passes, 60);
    EXPECT_GT(reconciler.passes, 20) << "news from outside is still looked at before the back-off ends";
    fail = false;
    given.loop.run_for(16s);
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    reconciler.script = [&](Pass&) -> Result<Recheck> { return Recheck(1h); };
    given.loop.run_for(1s);
    const int before = reconciler.passes;
    controller->hint(ObjectKey("shop", "a"));
    given.loop.run_for(10ms);
    EXPECT_EQ(reconciler.passes, before + 1) << "a hint to an object that is well is looked at at once";
}

TEST_F(ControllerTest, SendsAnEventOncePerChange) {
    bool fail = false;
    reconciler.script = [&](Pass& pass) -> Result<Recheck> {
        if (fail) return Error(ErrorClass::Quota, "VcpuLimitExceeded", "limit of 32 vCPUs");
        if (pass.object().meta().generation == 1) pass.event(EventType::Normal, "Created", "Created network \"a\"");
        return Recheck(1min);
    };
    put("a");
    start();
    EXPECT_EQ(event_reasons().size(), 2U);
    fail = true;
    given.loop.run_for(1h);
    EXPECT_EQ(status_of("Stalled"), "True/VcpuLimitExceeded");
    EXPECT_EQ(event_reasons().size(), 3U);
}

/// Passes on a stale view are the classic way to do things twice.
TEST_F(ControllerTest, NoPassIsMadeOnAViewOlderThanItsOwnWrite) {
    given.api.watch_lag = 3s;
    Finalizers finalizers(*process.client, "example.dev/widget");
    struct Ensuring final : Reconciler {
        Finalizers& finalizers;
        std::vector<bool> had;
        explicit Ensuring(Finalizers& f) : finalizers(f) {}
        Task<Recheck> run(Pass& pass) override {
            had.push_back(finalizers.is_on(pass.object()));
            co_await finalizers.ensure(pass);
            co_return Recheck(100ms);
        }
    } ensuring(finalizers);
    put("a");
    controller = std::make_unique<Controller>(process.runtime(), options(), ensuring);
    controller->start();
    given.loop.run_for(4s);
    controller->hint(ObjectKey("shop", "a"));
    given.loop.run_for(30s);
    ASSERT_GT(ensuring.had.size(), 2U);
    EXPECT_FALSE(ensuring.had[0]);
    for (std::size_t i = 1; i < ensuring.had.size(); ++i) EXPECT_TRUE(ensuring.had[i]) << i;
}

TEST_F(ControllerTest, AStatusOfAnObjectThatWasReplacedMeanwhileIsNotWritten) {
    put("a");
    bool first = true;
    reconciler.script = [&](Pass& pass) -> Result<Recheck> {
        pass.status()["uid"] = pass.object().meta().uid;
        if (std::exchange(first, false)) {
            given.api.erase(kWidgets, ObjectKey("shop", "a"));
            put("a");
        }
        return Recheck::never();
    };
    start();
    given.loop.run_for(10s);
    EXPECT_EQ(stored()["status"]["uid"], stored()["metadata"]["uid"]);
}

TEST_F(ControllerTest, FinalizersAreWrittenBeforeAndTakenOffAfterTheWork) {
    Finalizers finalizers(*process.client, "example.dev/widget");
    struct Owning final : Reconciler {
        Finalizers& finalizers;
        int dismantled = 0;
        explicit Owning(Finalizers& f) : finalizers(f) {}
        Task<Recheck> run(Pass& pass) override {
            if (pass.being_deleted()) {
                if (++dismantled < 3) co_await fail(Error::waiting("MachinesStopping", "2 machines to stop", 1s));
                co_await finalizers.release(pass);
                co_return Recheck::never();
            }
            StringMap annotations;
            annotations.set("atoll.dev/owner-id", "id");
            co_await finalizers.ensure(pass, annotations);
            co_return Recheck::never();
        }
    } owning(finalizers);
    json object = widget("shop", "a");
    object["metadata"]["finalizers"] = {"others/keep"};
    given.api.put(kWidgets, object);
    controller = std::make_unique<Controller>(process.runtime(), options(), owning);
    controller->start();
    given.loop.run_for(1s);
    EXPECT_EQ(stored()["metadata"]["finalizers"], json({"others/keep", "example.dev/widget"}));
    EXPECT_EQ(stored()["metadata"]["annotations"]["atoll.dev/owner-id"], "id");
    EXPECT_EQ(status_of("Ready"), "True/Ready");
    given.api.erase(kWidgets, ObjectKey("shop", "a"));
    given.loop.run_for(500ms);
    EXPECT_EQ(status_of("Deleting"), "True/MachinesStopping");
    EXPECT_EQ(status_of("Ready"), "False/MachinesStopping");
    given.loop.run_for(5s);
    EXPECT_EQ(stored()["metadata"]["finalizers"], json({"others/keep"})) << "ours is gone, others' stays";
}

TEST_F(ControllerTest, WaitsForAllItsCachesBeforeTheFirstPass) {
    put("a");
    bool gadgets_known = false;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (gadgets_known || request.target.find("gadgets") == std::string::npos) return std::nullopt;
        return status_answer(503, "ServiceUnavailable", "not yet");
    };
    start();
    EXPECT_EQ(reconciler.passes, 0);
    EXPECT_FALSE(controller->synced());
    EXPECT_NE(process.caches.trouble().find("gadgets.example.dev"), std::string::npos);
    gadgets_known = true;
    given.loop.run_for(1min);
    EXPECT_EQ(reconciler.passes, 1);
    EXPECT_EQ(process.caches.trouble(), "");
}

TEST_F(ControllerTest, MakesNoPassWithoutAValidLease) {
    LeaseGuard guard(given.loop);
    put("a");
    Runtime runtime = process.runtime();
    runtime.guard = &guard;
    controller = std::make_unique<Controller>(runtime, options(), reconciler);
    controller->start();
    given.loop.run_for(10s);
    EXPECT_EQ(reconciler.passes, 0);
}

TEST_F(ControllerTest, StopsWithoutNewPasses) {
    put("a");
    start();
    controller->stop();
    put("b");
    given.loop.run_for(10s);
    EXPECT_EQ(reconciler.passes, 1);
    EXPECT_TRUE(controller->at_rest());
}

TEST_F(ControllerTest, ACrashInTheMiddleOfAPassLeavesNothingBehindInTheProcess) {
    reconciler.duration = 10s;
    put("a");
    start();
    EXPECT_EQ(reconciler.at_once, 1);
    process.crash();
    EXPECT_EQ(reconciler.at_once, 0);
    given.loop.run_for(1min);
    EXPECT_EQ(reconciler.passes, 1);
}

}  // namespace
}  // namespace atl::kube
