#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "operator/base/metrics.h"
#include "operator/observe/metric_rows.h"

namespace atl::observe {

/// Keeps what is measured, for the rows of the one table, and writes it as Prometheus' text format 0.0.4.
///
/// A name or a number of labels that the table does not have is counted in atoll_unknown_metrics_total and otherwise
/// ignored. More than kMaxSeries series of one name are counted there too: labels come from closed sets. Used from one
/// thread.
class MetricStore final : public Metrics {
public:
    static constexpr std::size_t kMaxSeries = 2'000;

    MetricStore();
    void add(std::string_view name, LabelValues labels, double amount) override;
    void set(std::string_view name, LabelValues labels, double value) override;
    void observe(std::string_view name, LabelValues labels, double value) override;

    /// All metrics, sorted by name and labels.
    std::string text() const;
    /// The value of a counter or gauge, the count of a histogram; 0 for a series that is not there.
    double value(std::string_view name, LabelValues labels) const;

private:
    struct Series {
        double value = 0;                    ///< sum, for histograms
        std::vector<std::uint64_t> buckets;  ///< not cumulative; the last is beyond all bounds
    };
    using Key = std::vector<std::string>;
    /// Compares a key with label values without making a key of them.
    struct Order {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
        }
    };
    struct Family {
        const MetricRow* row = nullptr;
        std::map<Key, Series, Order> series;
    };
    Family* find_family(std::string_view name);
    Series* find_series(Family* family, LabelValues labels, MetricType type);
    void complain(std::string_view name);

    std::vector<Family> families_;  ///< in the order of the rows
};

}  // namespace atl::observe
