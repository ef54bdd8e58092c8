#include "operator/observe/metric_store.h"

#include <algorithm>
#include <sstream>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace atl::observe {

namespace {

prometheus::MetricType type_of(MetricType type) {
    switch (type) {
        case MetricType::Counter:
            return prometheus::MetricType::Counter;
        case MetricType::Gauge:
            return prometheus::MetricType::Gauge;
        case MetricType::Histogram:
            return prometheus::MetricType::Histogram;
    }
    return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric::Histogram histogram_of(const MetricRow& row, double sum,
                                                 const std::vector<std::uint64_t>& counts) {
    prometheus::ClientMetric::Histogram histogram;
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        cumulative += counts[i];
        // The serializer adds the bucket +Inf itself.
        if (i < row.buckets.size()) histogram.bucket.push_back({cumulative, row.buckets[i]});
    }
    histogram.sample_count = cumulative;
    histogram.sample_sum = sum;
    return histogram;
}

}  // namespace

MetricStore::MetricStore() {
    for (const MetricRow& row : metric_rows()) {
        families_.push_back({&row, {}});
        if (row.labels.empty() && row.type != MetricType::Histogram) families_.back().series[{}];
    }
}

MetricStore::Family* MetricStore::find_family(std::string_view name) {
    auto family = std::lower_bound(families_.begin(), families_.end(), name,
                                   [](const Family& f, std::string_view wanted) { return f.row->name < wanted; });
    return family != families_.end() && family->row->name == name ? &*family : nullptr;
}

MetricStore::Series* MetricStore::find_series(Family* family, LabelValues labels, MetricType type) {
    if (!family || family->row->type != type || family->row->labels.size() != labels.size()) return nullptr;
    auto found = family->series.find(labels);
    if (found != family->series.end()) return &found->second;
    if (family->series.size() >= kMaxSeries) return nullptr;
    Series series;
    if (type == MetricType::Histogram) series.buckets.resize(family->row->buckets.size() + 1);
    Key key(labels.begin(), labels.end());
    return &family->series.emplace(std::move(key), std::move(series)).first->second;
}

void MetricStore::complain(std::string_view name) {
    Family* family = find_family("atoll_unknown_metrics_total");
    if (Series* series = find_series(family, {name}, MetricType::Counter)) series->value += 1;
}

void MetricStore::add(std::string_view name, LabelValues labels, double amount) {
    Series* series = find_series(find_family(name), labels, MetricType::Counter);
    if (!series) return complain(name);
    series->value += amount;
}

void MetricStore::set(std::string_view name, LabelValues labels, double value) {
    Series* series = find_series(find_family(name), labels, MetricType::Gauge);
    if (!series) return complain(name);
    series->value = value;
}

void MetricStore::observe(std::string_view name, LabelValues labels, double value) {
    Family* family = find_family(name);
    Series* series = find_series(family, labels, MetricType::Histogram);
    if (!series) return complain(name);
    auto bounds = family->row->buckets;
    auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
    series->buckets[static_cast<std::size_t>(bucket)] += 1;
    series->value += value;
}

std::string MetricStore::text() const {
    std::vector<prometheus::MetricFamily> all;
    for (const Family& family : families_) {
        if (family.series.empty()) continue;
        prometheus::MetricFamily written;
        written.name = std::string(family.row->name);
        written.help = std::string(family.row->help);
        written.type = type_of(family.row->type);
        for (const auto& [key, series] : family.series) {
            prometheus::ClientMetric metric;
            for (std::size_t i = 0; i < key.size(); ++i)
                metric.label.push_back({std::string(family.row->labels[i]), key[i]});
            if (family.row->type == MetricType::Counter) metric.counter.value = series.value;
            if (family.row->type == MetricType::Gauge) metric.gauge.value = series.value;
            if (family.row->type == MetricType::Histogram)
                metric.histogram = histogram_of(*family.row, series.value, series.buckets);
            written.metric.push_back(std::move(metric));
        }
        all.push_back(std::move(written));
    }
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, all);
    return std::move(out).str();
}

double MetricStore::value(std::string_view name, LabelValues labels) const {
    for (const Family& family : families_) {
        if (family.row->name != name) continue;
        auto found = family.series.find(labels);
        if (found == family.series.end()) return 0;
        if (family.row->type != MetricType::Histogram) return found->second.value;
        std::uint64_t count = 0;
        for (std::uint64_t bucket : found->second.buckets) count += bucket;
        return static_cast<double>(count);
    }
    return 0;
}

}  // namespace atl::observe
