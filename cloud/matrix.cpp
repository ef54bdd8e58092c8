#include "cloud/matrix.h"

#include <algorithm>
#include <array>
#include <string>

namespace atl::cloud {

namespace {

constexpr std::string_view kOnlyAws = "the orchestrator is a service of AWS, only infrastructure.aws has it";
constexpr std::string_view kOnlyGcp = "the orchestrator is a service of Google Cloud, only infrastructure.gcp has it";
constexpr std::string_view kOnlyAzure = "the orchestrator is a service of Azure, only infrastructure.azure has it";

// clang-format off
constexpr std::array kMatrix = {
    Cell{"aws",      "none",         1, CellState::Planned,  ""},
    Cell{"aws",      "ecs",          2, CellState::Planned,  ""},
    Cell{"aws",      "swarm",        4, CellState::Planned,  ""},
    Cell{"aws",      "kubernetes",   0, CellState::Planned,  ""},
    Cell{"aws",      "mesos",        0, CellState::Planned,  ""},
    Cell{"aws",      "eks",          0, CellState::Planned,  ""},
    Cell{"aws",      "gke",          0, CellState::Nonsense, kOnlyGcp},
    Cell{"aws",      "aks",          0, CellState::Nonsense, kOnlyAzure},
    Cell{"gcp",      "none",         7, CellState::Planned,  ""},
    Cell{"gcp",      "gke",          8, CellState::Planned,  ""},
    Cell{"gcp",      "kubernetes",   9, CellState::Planned,  ""},
    Cell{"gcp",      "swarm",       50, CellState::Planned,  ""},
    Cell{"gcp",      "mesos",      300, CellState::Planned,  ""},
    Cell{"gcp",      "ecs",          0, CellState::Nonsense, kOnlyAws},
    Cell{"gcp",      "eks",          0, CellState::Nonsense, kOnlyAws},
    Cell{"gcp",      "aks",          0, CellState::Nonsense, kOnlyAzure},
    Cell{"azure",    "none",        10, CellState::Planned,  ""},
    Cell{"azure",    "aks",         11, CellState::Planned,  ""},
    Cell{"azure",    "swarm",      101, CellState::Planned,  ""},
    Cell{"azure",    "kubernetes", 102, CellState::Planned,  ""},
    Cell{"azure",    "mesos",      103, CellState::Planned,  ""},
    Cell{"azure",    "ecs",          0, CellState::Nonsense, kOnlyAws},
    Cell{"azure",    "eks",          0, CellState::Nonsense, kOnlyAws},
    Cell{"azure",    "gke",          0, CellState::Nonsense, kOnlyGcp},
    Cell{"vsphere",  "none",         0, CellState::Planned,  ""},
    Cell{"vsphere",  "swarm",        0, CellState::Planned,  ""},
    Cell{"vsphere",  "kubernetes",   0, CellState::Planned,  ""},
    Cell{"vsphere",  "mesos",        0, CellState::Planned,  ""},
    Cell{"vsphere",  "ecs",          0, CellState::Nonsense, kOnlyAws},
    Cell{"vsphere",  "eks",          0, CellState::Nonsense, kOnlyAws},
    Cell{"vsphere",  "gke",          0, CellState::Nonsense, kOnlyGcp},
    Cell{"vsphere",  "aks",          0, CellState::Nonsense, kOnlyAzure},
    Cell{"local",    "none",         0, CellState::Done,     "test/contract/engine_test.cpp"},
    Cell{"local",    "swarm",        3, CellState::Done,     "test/contract/engine_test.cpp"},
    Cell{"local",    "kubernetes",   0, CellState::Planned,  ""},
    Cell{"local",    "mesos",        0, CellState::Planned,  ""},
    Cell{"local",    "ecs",          0, CellState::Nonsense, kOnlyAws},
    Cell{"local",    "eks",          0, CellState::Nonsense, kOnlyAws},
    Cell{"local",    "gke",          0, CellState::Nonsense, kOnlyGcp},
    Cell{"local",    "aks",          0, CellState::Nonsense, kOnlyAzure},
    Cell{"existing", "none",         0, CellState::Done,     "test/contract/engine_test.cpp"},
    Cell{"existing", "swarm",        0, CellState::Done,     "test/contract/engine_test.cpp"},
    Cell{"existing", "kubernetes",   0, CellState::Planned,  ""},
    Cell{"existing", "mesos",        0, CellState::Planned,  ""},
    Cell{"existing", "ecs",          0, CellState::Nonsense, kOnlyAws},
    Cell{"existing", "eks",          0, CellState::Nonsense, kOnlyAws},
    Cell{"existing", "gke",          0, CellState::Nonsense, kOnlyGcp},
    Cell{"existing", "aks",          0, CellState::Nonsense, kOnlyAzure},
};
// clang-format on

constexpr bool is_built(CellState state) {
    return state == CellState::Done || state == CellState::Experimental;
}

constexpr bool proved_or_explained() {
    return std::ranges::all_of(
        kMatrix, [](const Cell& cell) { return (cell.state == CellState::Planned) == cell.proof.empty(); });
}
static_assert(proved_or_explained(),
              "a pair is done only with the test that proves it, and nonsense only with a reason");

/// The pairs of this build, for messages: "local with none, local with swarm".
std::string built_pairs() {
    std::string text;
    for (const Cell& cell : kMatrix) {
        if (!is_built(cell.state)) continue;
        text +=
            (text.empty() ? "" : ", ") + std::string(cell.infrastructure) + " with " + std::string(cell.orchestrator);
    }
    return text;
}

}  // namespace

std::string_view to_string(CellState state) {
    switch (state) {
        case CellState::Done:
            return "done";
        case CellState::Experimental:
            return "experimental";
        case CellState::Planned:
            return "planned";
        case CellState::Nonsense:
            return "nonsense";
    }
    return "planned";
}

std::span<const Cell> matrix() {
    return kMatrix;
}

const Cell* find_cell(std::string_view infrastructure, std::string_view orchestrator) {
    const auto cell = std::ranges::find_if(kMatrix, [&](const Cell& candidate) {
        return candidate.infrastructure == infrastructure && candidate.orchestrator == orchestrator;
    });
    return cell == kMatrix.end() ? nullptr : &*cell;
}

Result<Unit> check_pair(std::string_view infrastructure, std::string_view orchestrator) {
    const Cell* cell = find_cell(infrastructure, orchestrator);
    if (cell != nullptr && is_built(cell->state)) return ok();
    const std::string pair = "infrastructure \"" + std::string(infrastructure) + "\" with orchestrator \"" +
                             std::string(orchestrator) + "\" ";
    std::string why = "is not a pair that exists";
    if (cell != nullptr && cell->state == CellState::Planned) why = "is planned and not in this build";
    if (cell != nullptr && cell->state == CellState::Nonsense) why = "cannot be: " + std::string(cell->proof);
    return unsupported("UnsupportedPair", pair + why + "; this build has " + built_pairs())
        .at_field("spec.orchestrator");
}

}  // namespace atl::cloud
