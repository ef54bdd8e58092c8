#pragma once

#include <string>
#include <vector>

#include "test/sweep/sweep.h"

namespace atl::sweep {

/// A planted bug: how the operator would talk if it had the bug. The oracle of the sweep must catch each of them.
struct Sabotage {
    std::string name;
    std::string script;            ///< the workload in which it shows
    bool needs_a_crash;            ///< shows only if the operator is crashed somewhere
    std::function<Tamper()> make;  ///< a fresh one for each run: it may remember what it saw
};

/// Twenty bugs of the kinds that operators in the field have had.
std::vector<Sabotage> sabotages();

}  // namespace atl::sweep
