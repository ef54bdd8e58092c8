#include "operator/base/metrics.h"

namespace atl {

namespace {

class NoMetrics final : public Metrics {
public:
    void add(std::string_view, LabelValues, double) override {}
    void set(std::string_view, LabelValues, double) override {}
    void observe(std::string_view, LabelValues, double) override {}
};

}  // namespace

Metrics& Metrics::none() {
    static NoMetrics none;
    return none;
}

}  // namespace atl
