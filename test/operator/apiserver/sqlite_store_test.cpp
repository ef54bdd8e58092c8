#include "operator/apiserver/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/sim/lossy_disk.h"
#include "test/sim/sim_loop.h"

namespace atl::apiserver {
namespace {

using ::testing::ElementsAre;

/// A store on a lossy disk, that can crash and come back.
class SqliteStoreTest : public ::testing::Test {
protected:
    void SetUp() override { open(); }

    void open() {
        SqliteStoreOptions options;
        options.path = "store.db";
        options.vfs = disk.name();
        options.keys = keys;
        options.retention = retention;
        auto opened = SqliteStore::open(options, {loop, loop.random(), worker});
        ASSERT_TRUE(opened.ok()) << opened.error().message();
        store = std::move(*opened);
    }
    void crash() {
        disk.crash();
        store.reset();
        open();
    }
    static Key key(const std::string& name) { return {"things", "a", name}; }
    static ObjectText text(const std::string& value) {
        const std::string head = "{\"metadata\":{\"resourceVersion\":\"";
        return {head + "\"},\"value\":\"" + value + "\"}", head.size()};
    }
    Result<Revision> put(const Key& at, Revision expected, const std::string& value) {
        return sim::run(loop, store->put(at, expected, text(value)));
    }
    std::vector<std::string> names(const Range& range) {
        auto page = store->list(range);
        std::vector<std::string> list;
        if (!page.ok()) return {page.error().reason()};
        for (const Stored& stored : page->objects) list.push_back(stored.key.name);
        return list;
    }

    sim::SimLoop loop{1};
    sim::LossyDisk disk{"store-test", loop.random()};
    LoopWorker worker{loop};
    KeyRing keys = KeyRing::make(loop.random());
    Retention retention;
    std::unique_ptr<SqliteStore> store;
};

TEST_F(SqliteStoreTest, AnObjectIsReadBackWithItsRevisionInIt) {
    const auto revision = put(key("x"), 0, "one");
    ASSERT_TRUE(revision.ok());
    const auto found = store->find(key("x"));
    ASSERT_TRUE(found.ok() && *found);
    EXPECT_EQ((*found)->revision, *revision);
    EXPECT_EQ((*found)->text,
              "{\"metadata\":{\"resourceVersion\":\"" + std::to_string(*revision) + "\"},\"value\":\"one\"}");
}

TEST_F(SqliteStoreTest, AWriteWhoseConditionDoesNotHoldFails) {
    const Revision first = *put(key("x"), 0, "one");
    EXPECT_EQ(put(key("x"), 0, "two").error().reason(), "AlreadyExists");
    EXPECT_EQ(put(key("x"), first + 7, "two").error().reason(), "Modified");
    EXPECT_EQ(put(key("y"), first, "two").error().reason(), "NotFound");
    EXPECT_TRUE(put(key("x"), first, "two").ok());
    EXPECT_EQ(sim::run(loop, store->remove(key("x"), first)).error().reason(), "Modified");
}

TEST_F(SqliteStoreTest, RevisionsRiseByOneOverAllResources) {
    const Revision first = *put(key("x"), 0, "one");
    EXPECT_EQ(*put({"others", "", "y"}, 0, "one"), first + 1);
    EXPECT_EQ(*sim::run(loop, store->remove(key("x"), first)), first + 2);
    EXPECT_EQ(store->revision(), first + 2);
}

TEST_F(SqliteStoreTest, AListIsSortedAndCanBeContinued) {
    for (const char* name : {"b", "a", "a-1", "c"}) ASSERT_TRUE(put(key(name), 0, "v").ok());
    Range range{"things", {}, {}, {}, 2, 0};
    const auto page = store->list(range);
    EXPECT_EQ(page->remaining, 2U);
    EXPECT_THAT(names(range), ElementsAre("a", "a-1"));
    range.after = page->objects.back().key;
    EXPECT_THAT(names(range), ElementsAre("b", "c"));
}

TEST_F(SqliteStoreTest, AListCanBeOfAnEarlierMoment) {
    const Revision a = *put(key("a"), 0, "v");
    const Revision b = *put(key("b"), 0, "old");
    ASSERT_TRUE(put(key("b"), b, "new").ok());
    ASSERT_TRUE(put(key("c"), 0, "v").ok());
    ASSERT_TRUE(sim::run(loop, store->remove(key("a"), a)).ok());
    const auto page = store->list({"things", {}, {}, {}, SIZE_MAX, b});
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->objects.size(), 2U);
    EXPECT_EQ(page->objects[0].key.name, "a");
    EXPECT_THAT(page->objects[1].text, ::testing::HasSubstr("old"));
    EXPECT_THAT(names({"things", {}, {}, {}, 1, b}), ElementsAre("a"));
    EXPECT_EQ(store->list({"things", {}, {}, {}, 1, b})->remaining, 1U);
}

TEST_F(SqliteStoreTest, ChangesAreToldInOrderBeforeTheWriterIs) {
    std::vector<std::string> order;
    store->on_change([&](const std::vector<Change>& changes) {
        for (const Change& change : changes) order.push_back("change " + change.key.name);
    });
    ASSERT_TRUE(put(key("x"), 0, "one").ok());
    order.emplace_back("acknowledged");
    EXPECT_THAT(order, ElementsAre("change x", "acknowledged"));
}

TEST_F(SqliteStoreTest, ADeletionIsLoggedWithTheLastStateAndItsOwnRevision) {
    const Revision first = *put(key("x"), 0, "one");
    const Revision second = *sim::run(loop, store->remove(key("x"), first));
    const auto changes = store->changes("things", 0 + 1, 10);
    ASSERT_TRUE(changes.ok());
    ASSERT_EQ(changes->size(), 2U);
    EXPECT_EQ(changes->back().type, ChangeType::Deleted);
    EXPECT_EQ(changes->back().revision, second);
    EXPECT_THAT(changes->back().text, ::testing::HasSubstr("\"" + std::to_string(second) + "\"},\"value\":\"one\""));
}

TEST_F(SqliteStoreTest, ManyWritersShareASync) {
    ASSERT_TRUE(put(key("warm"), 0, "v").ok());
    const std::uint64_t before = disk.syncs();
    std::vector<Task<Revision>> writes;
    for (int i = 0; i < 64; ++i) writes.push_back(store->put(key("n" + std::to_string(i)), 0, text("v")));
    const auto results = sim::run(loop, all(std::move(writes)));
    ASSERT_TRUE(results.ok());
    for (const auto& result : *results) EXPECT_TRUE(result.ok());
    EXPECT_LE(disk.syncs() - before, 4U);
}

TEST_F(SqliteStoreTest, OldChangesAreDroppedAndAskingForThemIsExpired) {
    retention = {100, 10, 3600};
    store.reset();
    open();
    Revision last = *put(key("x"), 0, "v");
    for (int i = 0; i < 1200; ++i) last = *put(key("x"), last, std::to_string(i));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_GT(store->compacted(), last - 700);
    EXPECT_EQ(store->changes("things", 1, 10).error().reason(), "Expired");
    EXPECT_EQ(names({"things", {}, {}, {}, 10, 2}), std::vector<std::string>{"Expired"});
    EXPECT_TRUE(store->changes("things", last - 5, 10).ok());
}

TEST_F(SqliteStoreTest, AFailingDiskFailsTheWriteAndKeepsTheOldState) {
    const Revision first = *put(key("x"), 0, "one");
    disk.fails = [](const std::string&) { return true; };
    EXPECT_EQ(put(key("x"), first, "two").error().reason(), "StoreFailed");
    disk.fails = nullptr;
    const auto again = put(key("x"), first, "three");
    EXPECT_TRUE(again.ok()) << again.error().message();
}

TEST_F(SqliteStoreTest, SecretsAreUnreadableOnTheDisk) {
    ASSERT_TRUE(put({"secrets", "a", "s"}, 0, "canary-4711").ok());
    const Revision revision = store->revision();
    ASSERT_TRUE(put({"secrets", "a", "s"}, revision, "canary-4712").ok());
    ASSERT_TRUE(put({"configmaps", "a", "c"}, 0, "visible-4711").ok());
    std::string whole;
    for (const char* path : {"store.db", "store.db-wal"}) whole += disk.read(path).ok() ? *disk.read(path) : "";
    EXPECT_THAT(whole, ::testing::HasSubstr("visible-4711"));
    EXPECT_EQ(whole.find("canary"), std::string::npos);
    EXPECT_THAT((*store->find({"secrets", "a", "s"}))->text, ::testing::HasSubstr("canary-4712"));
}

TEST_F(SqliteStoreTest, ARotatedKeySealsEverythingAnewAndTheOldOneMayGo) {
    ASSERT_TRUE(put({"secrets", "a", "s"}, 0, "canary").ok());
    const std::string old_line = keys.text();
    keys.rotate(loop.random());
    store.reset();
    open();
    store.reset();
    auto only_new = KeyRing::parse(keys.text().substr(0, keys.text().find('\n') + 1));
    ASSERT_TRUE(only_new.ok());
    keys = *only_new;
    open();
    EXPECT_THAT((*store->find({"secrets", "a", "s"}))->text, ::testing::HasSubstr("canary"));
    EXPECT_TRUE(store->changes("secrets", 1, 10).ok());
}

TEST_F(SqliteStoreTest, AWrongKeyIsToldWithoutAValue) {
    ASSERT_TRUE(put({"secrets", "a", "s"}, 0, "canary").ok());
    store.reset();
    SqliteStoreOptions options;
    options.path = "store.db";
    options.vfs = disk.name();
    options.keys = KeyRing::make(loop.random());
    const auto opened = SqliteStore::open(options, {loop, loop.random(), worker});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().reason(), "UnknownKey");
    EXPECT_EQ(opened.error().message().find("canary"), std::string::npos);
}

TEST_F(SqliteStoreTest, WhatWasAcknowledgedSurvivesACrash) {
    std::map<std::string, std::string> acknowledged;
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> done;
        // A few writes at once, and a crash at a random step of the loop.
        std::vector<std::unique_ptr<RootTask<Revision>>> running;
        for (int i = 0; i < 5; ++i) {
            const std::string name = "n" + std::to_string(loop.random().below(8));
            const auto found = store->find(key(name));
            const Revision expected = *found ? (*found)->revision : 0;
            const std::string value = "v" + std::to_string(round) + "-" + std::to_string(i);
            running.push_back(std::make_unique<RootTask<Revision>>(
                store->put(key(name), expected, text(value)),
                [&acknowledged, name, value](const Result<Revision>& result, const std::exception_ptr&) {
                    if (result.ok()) acknowledged[name] = value;
                }));
        }
        for (auto& task : running) task->start();
        const std::uint64_t steps = loop.random().below(6);
        for (std::uint64_t step = 0; step < steps; ++step) loop.step();
        running.clear();
        crash();
        loop.run_for(std::chrono::milliseconds(1));
        for (const auto& [name, value] : acknowledged) {
            const auto found = store->find(key(name));
            ASSERT_TRUE(found.ok() && *found) << name << " is lost in round " << round;
            const bool is_newer = (*found)->text.find("v" + std::to_string(round) + "-") != std::string::npos;
            EXPECT_TRUE(is_newer || (*found)->text.find("\"" + value + "\"") != std::string::npos)
                << name << ": expected " << value << ", got " << (*found)->text;
            // A write of this round that was not acknowledged may have happened.
            if (is_newer) acknowledged[name] = (*found)->text.substr((*found)->text.find("value\":\"") + 8);
            if (is_newer) acknowledged[name].resize(acknowledged[name].size() - 2);
        }
    }
    EXPECT_GE(acknowledged.size(), 4U);
}

}  // namespace
}  // namespace atl::apiserver
