#include "test/fakes/fake_engine.h"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "test/sim/sim_network.h"

namespace atl::fakes {
namespace {

using namespace std::chrono_literals;

/// A fake engine behind a simulated wire.
class Wire {
public:
    explicit Wire(std::uint64_t seed = 0) : loop(seed) { network.serve("unix:///fake.sock", &engine); }
    net::Response send(const std::string& method, const std::string& target, const std::string& body = "") {
        net::Request request;
        request.endpoint.scheme = net::Scheme::Unix;
        request.endpoint.host = "/fake.sock";
        request.method = method;
        request.target = target;
        request.body = body;
        net::Limits limits;
        limits.deadline = loop.now() + 10s;
        return sim::run(loop, transport.send(std::move(request), limits)).value();
    }
    Json get(const std::string& target) { return Json::parse(send("GET", target).body, nullptr, false); }

    sim::SimLoop loop;
    sim::SimNetwork network{loop};
    FakeEngine engine{loop};
    sim::SimTransport transport{network};
};

/// Replays recorded exchanges: ids and versions are those of the run, everything else must be as it was recorded.
class Replay {
public:
    Replay() { wire_.send("POST", "/swarm/init", R"({"AdvertiseAddr": "127.0.0.1"})"); }

    /// Empty if the answer fits; else what differs.
    std::string run(const Json& exchange) {
        const Json& request = exchange["request"];
        const std::string method = request["method"];
        const std::string body = request["body"].is_null() ? "" : with_ids(request["body"].dump());
        const std::string path = with_ids(request["path"]);
        std::string difference;
        // What is read may need time to become so; what is written is written once.
        for (int attempt = 0; attempt < (method == "GET" ? 3000 : 1); ++attempt) {
            const auto response = wire_.send(method, target_of(path), body);
            difference = compare(exchange["response"], response);
            if (difference.empty()) return "";
            wire_.loop.run_for(20ms);
        }
        return difference;
    }

private:
    std::string with_ids(std::string text) const {
        for (const auto& [name, id] : ids_) text = std::regex_replace(text, std::regex("\\b" + name + "\\b"), id);
        return text;
    }
    /// The recorded version stands for the one that is current, except for 1, which is stale.
    std::string target_of(const std::string& path) {
        const auto version = path.find("?version=");
        if (version == std::string::npos || path.ends_with("?version=1")) return path;
        const std::string object = path.substr(0, path.find("/update"));
        return path.substr(0, version) + "?version=" + wire_.get(object)["Version"]["Index"].dump();
    }
    std::string compare(const Json& expected, const net::Response& response) {
        if (expected["status"] != response.status) {
            return "status " + std::to_string(response.status) + ": " + response.body;
        }
        if (expected["body"].is_null()) return response.body.empty() ? "" : "a body: " + response.body;
        auto ids = ids_;
        const std::string difference = differs(expected["body"], Json::parse(response.body), "body", ids);
        if (difference.empty()) ids_ = ids;
        return difference;
    }
    using Ids = std::map<std::string, std::string>;
    static bool is_ignored(const std::string& key) {
        static const std::set<std::string> kIgnored = {"Version",     "CreatedAt",   "UpdatedAt",   "Timestamp",
                                                       "StartedAt",   "CompletedAt", "PID",         "Addresses",
                                                       "DriverState", "IPAMOptions", "ContainerID", "Slot"};
        return kIgnored.contains(key);
    }
    static std::string differs(const Json& expected, const Json& found, const std::string& path, Ids& ids) {
        if (expected.is_string()) return differs_text(expected, found, path, ids);
        if (expected.is_array() && found.is_array()) return differs_list(expected, found, path, ids);
        if (!expected.is_object() || !found.is_object()) return expected == found ? "" : path + " is " + found.dump();
        for (const auto& member : found.items()) {
            if (!expected.contains(member.key())) return path + "." + member.key() + " is too much";
        }
        for (const auto& member : expected.items()) {
            if (is_ignored(member.key())) continue;
            if (!found.contains(member.key())) return path + "." + member.key() + " is missing";
            std::string difference = differs(member.value(), found[member.key()], path + "." + member.key(), ids);
            if (!difference.empty()) return difference;
        }
        return "";
    }
    static std::string differs_text(const Json& expected, const Json& found, const std::string& path, Ids& ids) {
        const std::string text = expected;
        if (!found.is_string()) return path + " is " + found.dump();
        if (std::regex_match(text, std::regex("(ID|CID|TASK|CONTAINER|NODE)\\d+"))) return "";
        if (std::regex_match(text, std::regex("(NET|SECRET|CONFIG|SERVICE)\\d+"))) {
            const auto known = ids.emplace(text, found).first;
            return known->second == found.get<std::string>() ? "" : path + " is another thing";
        }
        std::string wanted = text;
        for (const auto& [name, id] : ids) wanted = std::regex_replace(wanted, std::regex("\\b" + name + "\\b"), id);
        return wanted == found.get<std::string>() ? "" : path + " is " + found.dump();
    }
    /// Lists come in the order of ids, which are random: any order will do.
    static std::string differs_list(const Json& expected, Json found, const std::string& path, Ids& ids) {
        if (expected.size() != found.size()) {
            std::string text = path + " has " + std::to_string(found.size()) + " members:";
            for (const Json& one : found) text += " " + one.dump().substr(0, 60);
            return text;
        }
        for (const Json& one : expected) {
            std::string difference;
            bool matched = false;
            for (std::size_t i = 0; i < found.size() && !matched; ++i) {
                Ids tried = ids;
                difference = differs(one, found[i], path + "[" + std::to_string(i) + "]", tried);
                if (!difference.empty()) continue;
                matched = true;
                ids = tried;
                found.erase(i);
            }
            if (!matched) return difference + "; nothing fits " + one.dump().substr(0, 150);
        }
        return "";
    }

    Wire wire_;
    Ids ids_;
};

TEST(FakeEngine, AnswersEveryRecordedExchangeAsTheRealEngineDid) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/test/data/docker/swarm-exchanges.json");
    const Json recorded = Json::parse(file);
    Replay replay;
    ASSERT_EQ(recorded["exchanges"].size(), 51U);
    for (const Json& exchange : recorded["exchanges"]) {
        const std::string difference = replay.run(exchange);
        EXPECT_EQ(difference, "") << exchange["n"] << " " << exchange["what"];
    }
}

TEST(FakeEngine, GivesTheSameTraceForTheSameSeed) {
    const auto trace = [](std::uint64_t seed) {
        Wire wire(seed);
        wire.send("POST", "/swarm/init", "{}");
        const Json spec = {{"Name", "a"},
                           {"TaskTemplate", {{"ContainerSpec", {{"Image", "busybox:local"}, {"Args", {"exit 1"}}}}}},
                           {"Mode", {{"Replicated", {{"Replicas", 3}}}}}};
        wire.send("POST", "/services/create", spec.dump());
        wire.loop.run_for(60s);
        return std::pair(wire.loop.trace(), wire.get("/tasks").dump());
    };
    EXPECT_EQ(trace(5), trace(5));
}

TEST(FakeEngine, ClosesNoDoorOnOddRequests) {
    Wire wire;
    for (const char* target : {"/", "//", "/v1.41", "/services/x/y/z", "/volumes/a/b/c", "/containers/",
                               "/tasks?filters=[1]", "/services?filters=%", "/networks/%00", "/images/json"}) {
        for (const char* method : {"GET", "POST", "DELETE", "PUT"}) {
            EXPECT_GE(wire.send(method, target, "[1").status, 200) << method << " " << target;
        }
    }
}

}  // namespace
}  // namespace atl::fakes
