#include "operator/kube/cache.h"

#include <gtest/gtest.h>

#include "test/operator/kube/small_api.h"

namespace atl::kube {
namespace {

Object object(const std::string& name, const std::string& version, const std::string& uid = "u",
              const std::string& ns = "shop") {
    nlohmann::json tree = widget(ns, name);
    tree["metadata"]["resourceVersion"] = version;
    tree["metadata"]["uid"] = uid;
    tree["metadata"]["labels"] = {{"app", name}};
    tree["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"}, {"kind", "Stack"}, {"name", "s"}, {"uid", "owner"}}};
    return Object::from_json(tree).value();
}

struct CacheTest : testing::Test {
    Cache cache{Scope(kWidgets)};
    std::vector<std::string> seen;

    void listen() {
        cache.subscribe([this](const Change& change) {
            const char* kind[] = {"added ", "updated ", "deleted "};
            seen.push_back((change.initial ? "initial " : "") + std::string(kind[static_cast<int>(change.kind)]) +
                           change.object().key().name);
        });
    }
};

using Strings = std::vector<std::string>;

TEST_F(CacheTest, TellsWhatAReplacementChanges) {
    listen();
    cache.replace({object("a", "1"), object("b", "2")}, "2");
    EXPECT_EQ(seen, (Strings{"initial added a", "initial added b"}));
    seen.clear();
    cache.replace({object("b", "3"), object("c", "4")}, "5");
    EXPECT_EQ(seen, (Strings{"deleted a", "updated b", "added c"}));
    seen.clear();
    cache.replace({object("b", "3"), object("c", "4")}, "6");
    EXPECT_TRUE(seen.empty()) << "the same state is no change";
}

TEST_F(CacheTest, AScopeOfMetadataKeepsNothingElse) {
    Scope scope(kWidgets);
    scope.extent = Extent::Metadata;
    Cache metadata(scope);
    nlohmann::json tree = object("a", "1").json();
    tree["metadata"]["annotations"] = {{"last-applied", "hunter2"}};
    tree["data"] = {{"password", "hunter2"}};
    metadata.replace({Object::from_json(tree).value()}, "1");
    const Object kept = metadata.find(ObjectKey("shop", "a")).value();
    EXPECT_EQ(kept.meta().resource_version, "1");
    EXPECT_EQ(kept.meta().labels.find("app"), "a");
    EXPECT_EQ(kept.text(), "{}");
    EXPECT_TRUE(kept.member("data").is_null());
    EXPECT_EQ(kept.annotation("last-applied"), std::nullopt);
}

TEST_F(CacheTest, ARecreatedObjectIsDeletedAndAdded) {
    listen();
    cache.replace({object("a", "1", "u1")}, "1");
    seen.clear();
    cache.put(object("a", "5", "u2"));
    EXPECT_EQ(seen, (Strings{"deleted a", "added a"}));
    seen.clear();
    cache.erase(object("a", "6", "u1"));
    EXPECT_TRUE(seen.empty()) << "a late word on the earlier bearer of the name";
    EXPECT_TRUE(cache.find(ObjectKey("shop", "a")));
    cache.replace({object("a", "9", "u3")}, "9");
    EXPECT_EQ(seen, (Strings{"deleted a", "added a"}));
}

TEST_F(CacheTest, GivesTheStateBeforeAChange) {
    cache.replace({object("a", "1")}, "1");
    std::string before;
    std::string last;
    cache.subscribe([&](const Change& change) {
        if (change.before) before = change.before->meta().resource_version;
        if (change.kind == Change::Kind::Deleted) last = change.object().meta().resource_version;
    });
    cache.put(object("a", "2"));
    EXPECT_EQ(before, "1");
    cache.erase(object("a", "3"));
    EXPECT_EQ(last, "3");
}

TEST_F(CacheTest, FindsByNamespaceLabelAndOwner) {
    cache.index_label("app");
    cache.replace({object("a", "1"), object("b", "1", "u", "other"), object("c", "1")}, "1");
    EXPECT_EQ(cache.in_namespace("shop").size(), 2U);
    EXPECT_EQ(cache.in_namespace("other").size(), 1U);
    EXPECT_EQ(cache.with_label("app", "b").size(), 1U);
    EXPECT_EQ(cache.owned_by("owner").size(), 3U);
    cache.erase(object("a", "2"));
    EXPECT_EQ(cache.owned_by("owner").size(), 2U);
    EXPECT_TRUE(cache.with_label("app", "a").empty());
    EXPECT_TRUE(cache.owned_by("nobody").empty());
    EXPECT_TRUE(cache.with_label("tier", "x").empty()) << "not indexed: a scan";
}

TEST_F(CacheTest, KnowsWhetherItHasCaughtUpWithAWrite) {
    cache.replace({object("a", "10")}, "12");
    EXPECT_TRUE(cache.has_seen(ObjectKey("shop", "a"), "10"));
    EXPECT_FALSE(cache.has_seen(ObjectKey("shop", "a"), "13"));
    cache.reached("13");
    EXPECT_TRUE(cache.has_seen(ObjectKey("shop", "a"), "13"))
        << "the collection is past it: the object was deleted since";
    EXPECT_FALSE(cache.has_seen(ObjectKey("shop", "a"), "opaque"));
}

TEST_F(CacheTest, ReplaysToALateListener) {
    cache.replace({object("a", "1")}, "1");
    listen();
    EXPECT_EQ(seen, (Strings{"initial added a"}));
}

TEST_F(CacheTest, SaysOnceWhenTheFirstListIsComplete) {
    int synced = 0;
    cache.when_synced([&] { ++synced; });
    EXPECT_EQ(synced, 0);
    cache.replace({}, "1");
    cache.replace({}, "2");
    EXPECT_EQ(synced, 1);
    cache.when_synced([&] { ++synced; });
    EXPECT_EQ(synced, 2);
}

TEST_F(CacheTest, TenThousandObjectsCostLittleMoreThanTheirText) {
    std::vector<Object> objects;
    std::size_t text = 0;
    for (int i = 0; i < 10000; ++i) {
        nlohmann::json tree = widget("shop", "web-" + std::to_string(i));
        tree["metadata"]["resourceVersion"] = std::to_string(i);
        tree["metadata"]["uid"] = "0b54e7a5-3f53-4b43-a6f7-" + std::to_string(100000000000 + i);
        tree["metadata"]["labels"] = {{"app", "web"}};
        tree["metadata"]["managedFields"] = std::string(2000, 'm');
        tree["spec"]["text"] = std::string(1500, 'x');
        objects.push_back(Object::from_json(tree).value());
        text += objects.back().text().size();
    }
    cache.replace(std::move(objects), "10000");
    EXPECT_LT(text, 10000U * 2000U) << "managed fields are dropped";
    EXPECT_LT(cache.memory(), text + 10000U * 1100U);
}

}  // namespace
}  // namespace atl::kube
