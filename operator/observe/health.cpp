#include "operator/observe/health.h"

#include <utility>

namespace atl::observe {

void HealthChecks::add(std::string name, Check check) {
    checks_.push_back({std::move(name), std::move(check)});
}

HealthReport HealthChecks::report(Detail detail) const {
    HealthReport report;
    std::string lines = "[+]ping ok\n";
    for (const Named& named : checks_) {
        std::optional<std::string> trouble = named.check();
        report.healthy = report.healthy && !trouble;
        lines += trouble ? "[-]" + named.name + " failed: " + *trouble + "\n" : "[+]" + named.name + " ok\n";
    }
    if (report.healthy && detail == Detail::OnFailure) {
        report.text = "ok";
    } else {
        report.text = lines + page_ + " check " + (report.healthy ? "passed" : "failed") + "\n";
    }
    return report;
}

std::optional<HealthReport> HealthChecks::report_one(std::string_view name) const {
    if (name == "ping") return HealthReport{true, "ok"};
    for (const Named& named : checks_) {
        if (named.name != name) continue;
        std::optional<std::string> trouble = named.check();
        return HealthReport{!trouble, trouble ? "[-]" + named.name + " failed: " + *trouble + "\n" : "ok"};
    }
    return std::nullopt;
}

}  // namespace atl::observe
