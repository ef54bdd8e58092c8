#include "operator/observe/process.h"

#include <map>

#include <gtest/gtest.h>

#include "operator/observe/metric_store.h"

namespace atl::observe {
namespace {

class MapFiles final : public Files {
public:
    std::map<std::string, std::string> content;
    std::vector<std::string> names;
    Result<std::string> read(const std::string& path) override {
        auto found = content.find(path);
        if (found == content.end()) return invalid("FileNotFound", path);
        return found->second;
    }
    Result<std::vector<std::string>> list(const std::string&) override { return names; }
    Result<Unit> write(const std::string&, const std::string&) override { return ok(); }
    Result<Unit> make_private_directory(const std::string&) override { return ok(); }
    Result<Unit> remove(const std::string&) override { return ok(); }
    bool exists(const std::string& path) override { return content.contains(path); }
};

TEST(Process, ReadsTheKernelsTables) {
    MapFiles files;
    files.content["/proc/self/stat"] =
        "7 (a b) c) S 1 7 7 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 3 0 5000 104857600 2560 18446744073709551615";
    files.content["/proc/stat"] = "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n";
    files.content["/proc/self/limits"] =
        "Limit                     Soft Limit           Hard Limit           Units\n"
        "Max open files            1024                 4096                 files\n";
    files.names = {"0", "1", "2"};
    ProcessFacts facts = read_process_facts(files);
    EXPECT_DOUBLE_EQ(facts.cpu_seconds, 4.0);
    EXPECT_DOUBLE_EQ(facts.virtual_bytes, 104857600);
    EXPECT_DOUBLE_EQ(facts.resident_bytes, 2560 * 4096.0);
    EXPECT_DOUBLE_EQ(facts.start_seconds, 1700000050);
    EXPECT_DOUBLE_EQ(facts.open_files, 3);
    EXPECT_DOUBLE_EQ(facts.max_files, 1024);

    MetricStore store;
    record(store, facts, {});
    ProcessFacts later = facts;
    later.cpu_seconds = 6;
    record(store, later, facts);
    EXPECT_DOUBLE_EQ(store.value("process_cpu_seconds_total", {}), 6.0);
    EXPECT_DOUBLE_EQ(store.value("process_open_fds", {}), 3);
}

TEST(Process, IsZeroWhereNothingCanBeRead) {
    MapFiles files;
    files.content["/proc/self/stat"] = "nonsense";
    ProcessFacts facts = read_process_facts(files);
    EXPECT_DOUBLE_EQ(facts.cpu_seconds, 0);
    EXPECT_DOUBLE_EQ(facts.max_files, 0);
}

}  // namespace
}  // namespace atl::observe
