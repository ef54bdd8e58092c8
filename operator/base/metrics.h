#pragma once

#include <initializer_list>
#include <string_view>

namespace atl {

/// Values of a metric's labels, in the order of its row in the table of metrics.
using LabelValues = std::initializer_list<std::string_view>;

/// Where code puts what it measures. Names and labels are rows of one table (operator/observe); a name that is not in
/// it is a bug. Cheap, and never fails.
class Metrics {
public:
    virtual ~Metrics() = default;
    /// Adds to a counter.
    virtual void add(std::string_view name, LabelValues labels, double amount) = 0;
    /// Sets a gauge.
    virtual void set(std::string_view name, LabelValues labels, double value) = 0;
    /// Puts a value, in the unit of the name, into a histogram.
    virtual void observe(std::string_view name, LabelValues labels, double value) = 0;

    /// Measures nothing.
    static Metrics& none();
};

}  // namespace atl
