#include "operator/observe/process.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace atl::observe {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (true) {
        std::size_t start = text.find_first_not_of(" \t\n");
        if (start == std::string_view::npos) return words;
        text.remove_prefix(start);
        std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

double number(const std::vector<std::string>& words, std::size_t index) {
    return index < words.size() ? std::strtod(words[index].c_str(), nullptr) : 0;
}

/// The line that begins with the label, without it.
std::string line_after(const std::string& text, std::string_view label) {
    std::size_t start = text.starts_with(label) ? 0 : text.find("\n" + std::string(label));
    if (start == std::string::npos) return "";
    start = text.find(label, start) + label.size();
    return text.substr(start, text.find('\n', start) - start);
}

}  // namespace

ProcessFacts read_process_facts(Files& files, ProcessUnits units) {
    ProcessFacts facts;
    if (Result<std::string> stat = files.read("/proc/self/stat"); stat.ok()) {
        // The name of the program stands in brackets and may hold spaces: fields are counted after it (proc(5)).
        std::size_t end = stat->rfind(')');
        std::vector<std::string> words = words_of(end == std::string::npos ? "" : stat->substr(end + 1));
        facts.cpu_seconds = (number(words, 11) + number(words, 12)) / units.ticks_per_second;
        facts.virtual_bytes = number(words, 20);
        facts.resident_bytes = number(words, 21) * units.page_bytes;
        facts.start_seconds = number(words, 19) / units.ticks_per_second;
    }
    if (Result<std::string> stat = files.read("/proc/stat"); stat.ok())
        facts.start_seconds += std::strtod(line_after(*stat, "btime").c_str(), nullptr);
    if (Result<std::vector<std::string>> open = files.list("/proc/self/fd"); open.ok())
        facts.open_files = static_cast<double>(open->size());
    if (Result<std::string> limits = files.read("/proc/self/limits"); limits.ok())
        facts.max_files = number(words_of(line_after(*limits, "Max open files")), 0);
    return facts;
}

void record(Metrics& metrics, const ProcessFacts& facts, const ProcessFacts& last) {
    metrics.add("process_cpu_seconds_total", {}, facts.cpu_seconds - last.cpu_seconds);
    metrics.set("process_resident_memory_bytes", {}, facts.resident_bytes);
    metrics.set("process_virtual_memory_bytes", {}, facts.virtual_bytes);
    metrics.set("process_open_fds", {}, facts.open_files);
    metrics.set("process_max_fds", {}, facts.max_files);
    metrics.set("process_start_time_seconds", {}, facts.start_seconds);
}

}  // namespace atl::observe
