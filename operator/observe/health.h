#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::observe {

/// The answer of a check page.
struct HealthReport {
    bool healthy = true;
    std::string text;  ///< "ok", or one line a check, as Kubernetes' components write it
};

/// Named questions about the process; /healthz and /readyz are one each. Used from one thread.
class HealthChecks {
public:
    /// What is wrong, or nothing. Must not wait.
    using Check = std::function<std::optional<std::string>()>;

    /// `page`: "healthz" or "readyz", for the last line of the report.
    explicit HealthChecks(std::string page) : page_(std::move(page)) {}
    void add(std::string name, Check check);

    enum class Detail { OnFailure, Always };
    /// Asks all checks. "ok" if all are well; with Always, or if one is not, a line each: "[+]caches ok",
    /// "[-]caches failed: waiting for the first list of stacks".
    HealthReport report(Detail detail) const;
    /// Asks one check by name; nullopt if there is none of that name.
    std::optional<HealthReport> report_one(std::string_view name) const;

private:
    struct Named {
        std::string name;
        Check check;
    };
    std::string page_;
    std::vector<Named> checks_;
};

}  // namespace atl::observe
