#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "operator/net/beast_transport.h"
#include "operator/net/event_loop.h"
#include "test/contract/bench.h"

namespace atl::contract {

namespace {

using namespace std::chrono_literals;

/// Runs a command of the shell; what it printed, and whether it went well.
std::pair<std::string, bool> shell(const std::string& command) {
    std::string output;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {"popen failed", false};
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        output.append(buffer.data(), count);
    return {output, ::pclose(pipe) == 0};
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// A Docker engine in a folder and network of its own, gone when the program ends.
class RealEngine {
public:
    explicit RealEngine(std::string hostname) : hostname_(std::move(hostname)) {
        const std::string source = ATOLL_SOURCE_DIR;
        const std::string name = "atoll-engine-" + std::to_string(::getpid()) + "-" + hostname_;
        dir_ = std::filesystem::temp_directory_path() / name;
        if (::getuid() != 0)
            reason_ = "a Docker engine needs root";
        else if (!shell("command -v dockerd curl nsenter unshare").second)
            reason_ = "dockerd, curl or nsenter is missing";
        if (!reason_.empty()) return;
        start();
        if (!reason_.empty()) return;
        const auto [output, done] = shell(source + "/test/contract/images.sh " + socket());
        if (!done) reason_ = "the images could not be made: " + output;
    }
    RealEngine(const RealEngine&) = delete;
    RealEngine& operator=(const RealEngine&) = delete;
    ~RealEngine() {
        if (std::filesystem::exists(dir_))
            shell(std::string(ATOLL_SOURCE_DIR) + "/scripts/engine down " + dir_.string());
    }

    void start() {
        // A network of its own: engines that share one would share bridges and packet filter rules too.
        const std::string up = std::string(ATOLL_SOURCE_DIR) + "/scripts/engine up " + dir_.string();
        const auto [output, done] = shell("unshare --net --uts --mount --propagation private sh -c 'hostname " +
                                          hostname_ + " && ip link set lo up && exec " + up + "'");
        if (!done) reason_ = "the engine did not start: " + output;
    }
    void kill() {
        shell("pid=$(cat " + dir_.string() +
              "/engine.pid); kill -9 $pid; while kill -0 $pid 2>/dev/null; do sleep 0.05; done");
    }
    std::string in_its_network(const std::string& command) {
        return shell("nsenter --net=/proc/$(cat " + dir_.string() + "/engine.pid)/ns/net " + command).first;
    }
    /// Puts one end of the link into the engine's network, with the address.
    void plug(const std::string& link, const std::string& address) {
        shell("ip link set " + link + " netns $(cat " + dir_.string() + "/engine.pid)");
        in_its_network("ip addr add " + address + "/24 dev " + link);
        in_its_network("ip link set " + link + " up");
    }
    std::string socket() const { return dir_.string() + "/engine.sock"; }
    const std::string& reason() const { return reason_; }

private:
    std::string hostname_;
    std::filesystem::path dir_;
    std::string reason_;
};

/// Numbers that differ between runs: names must not meet those of a run before.
class ProcessRandom final : public Random {
public:
    std::uint64_t next() override { return seeded_.next(); }

private:
    SeededRandom seeded_{static_cast<std::uint64_t>(::getpid())};
};

class RealBench : public Bench {
public:
    explicit RealBench(const std::string& hostname = "machine") : engine_(hostname) {}
    const std::string& reason() const { return engine_.reason(); }
    RealEngine& engine() { return engine_; }
    cloud::Surroundings surroundings() override { return {transport_, loop_, random_}; }
    std::string engine_host() override { return "unix://" + engine_.socket(); }
    bool drive(const std::function<bool()>& done, Duration limit) override {
        const Instant end = loop_.now() + limit;
        while (!done() && loop_.now() < end) {
            const auto timer = loop_.call_at(loop_.now() + 5ms, [this] { loop_.stop(); });
            loop_.run();
            loop_.cancel_timer(timer);
        }
        return done();
    }
    nlohmann::json as_stranger(const std::string& method, const std::string& path,
                               const nlohmann::json& body) override {
        std::string command = "curl -sS --unix-socket " + engine_.socket() + " -X " + method;
        if (!body.is_null()) command += " -H 'Content-Type: application/json' -d " + quoted(body.dump());
        return nlohmann::json::parse(shell(command + " " + quoted("http://engine" + path)).first, nullptr, false);
    }
    std::string fetch(int port) override {
        return engine_.in_its_network("curl -s --max-time 2 http://127.0.0.1:" + std::to_string(port) + "/");
    }
    void restart_engine() override {
        engine_.kill();
        engine_.start();
    }

    void hold_port(int port) override {
        const std::string number = std::to_string(port);
        engine_.in_its_network("sh -c 'busybox httpd -f -p " + number + " -h /tmp >/dev/null 2>&1 & echo $! >" +
                               pid_file(port) + "'");
    }
    void free_port(int port) override { shell("kill $(cat " + pid_file(port) + ")"); }
    bool is_real() const override { return true; }

private:
    std::string pid_file(int port) const { return engine_.socket() + "." + std::to_string(port); }
    RealEngine engine_;
    net::EventLoop loop_;
    net::BeastTransport transport_{loop_};
    ProcessRandom random_;
};

/// Two engines, each a host of its own, with a wire between them.
class RealPairBench final : public RealBench, public PairBench {
public:
    RealPairBench() : RealBench("host-a"), second_("host-b") {
        if (!reason().empty() || !second_.reason().empty()) return;
        const std::string name = "atl" + std::to_string(::getpid() % 100000);
        shell("ip link add " + name + "a type veth peer name " + name + "b");
        engine().plug(name + "a", "10.77.0.1");
        second_.plug(name + "b", "10.77.0.2");
    }
    Bench& bench() override { return *this; }
    nlohmann::json machines() override {
        return {{{"name", "a"}, {"address", "10.77.0.1"}, {"engine", {{"host", "unix://" + engine().socket()}}}},
                {{"name", "b"}, {"address", "10.77.0.2"}, {"engine", {{"host", "unix://" + second_.socket()}}}}};
    }
    std::string fetch_from(int machine, const std::string& url) override {
        return (machine == 0 ? engine() : second_).in_its_network("curl -s --max-time 2 " + url);
    }
    void block(int port, bool blocked) override {
        engine().in_its_network(std::string("iptables ") + (blocked ? "-I" : "-D") + " INPUT -p tcp --dport " +
                                std::to_string(port) + " -j DROP");
    }

private:
    RealEngine second_;
};

}  // namespace

std::unique_ptr<PairBench> real_pair(std::string& reason) {
    auto pair = std::make_unique<RealPairBench>();
    reason = pair->reason();
    if (!reason.empty()) return nullptr;
    return pair;
}

Bench* real_bench(std::string& reason) {
    static RealBench bench;
    reason = bench.reason();
    return reason.empty() ? &bench : nullptr;
}

}  // namespace atl::contract
