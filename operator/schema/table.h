#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/clock.h"
#include "operator/schema/field_error.h"
#include "operator/schema/json_path.h"

namespace atl::schema {

/// The columns of a kind's Table (meta.k8s.io/v1), from additionalPrinterColumns. Name comes first; without columns of
/// its own a kind has Name and Age.
class TableColumns {
public:
    /// `columns`: the CRD's additionalPrinterColumns, null or missing for the default. Errors name the column.
    static Result<TableColumns> compile(const nlohmann::json& columns);

    /// columnDefinitions of the Table.
    nlohmann::json definitions() const;

    /// The cells of one row. Missing values are null; a date is an age ("5m"); numbers and booleans keep their type
    /// when the column asks for it; strings where several values match are the first one, as kube-apiserver does.
    nlohmann::json cells(const nlohmann::json& object, WallTime now) const;

private:
    struct Column {
        nlohmann::json definition;
        JsonPath path;
    };
    std::vector<Column> columns_;
};

/// "5m", "2d3h", "<unknown>": as duration.HumanDuration of apimachinery, which kubectl's AGE shows.
std::string human_duration(Duration age);

}  // namespace atl::schema
