#pragma once

#include <span>
#include <string_view>

#include "operator/base/result.h"

namespace atl::cloud {

/// How far a pair is.
enum class CellState {
    Done,          ///< built, and proved by the test that is named
    Experimental,  ///< built, not promised
    Planned,       ///< legal, not in this build
    Nonsense,      ///< can never be: refused with the reason
};
std::string_view to_string(CellState state);

/// One pair of infrastructure and orchestrator.
struct Cell {
    std::string_view infrastructure;
    std::string_view orchestrator;
    /// The order in which the source designs ask for it, 1 first; 0: they do not name it.
    int priority = 0;
    CellState state = CellState::Planned;
    /// Done, Experimental: the test that proves it. Nonsense: why. Else empty.
    std::string_view proof;
};

/// Every pair that has a meaning or a reason, legal ones by infrastructure: read by admission, controllers, `atoll
/// matrix` and the tests.
std::span<const Cell> matrix();
/// The cell of a pair; nullptr if one of the names is unknown or nobody has thought of the pair.
const Cell* find_cell(std::string_view infrastructure, std::string_view orchestrator);
/// Whether this build runs the pair; else Unsupported, with what is possible instead.
Result<Unit> check_pair(std::string_view infrastructure, std::string_view orchestrator);

}  // namespace atl::cloud
