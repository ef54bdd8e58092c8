// The commands that only print what is built in.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cloud/matrix.h"
#include "crds/definitions.h"
#include "operator/commands/commands.h"
#include "operator/net/system_environment.h"

namespace atl::commands {

int matrix() {
    std::printf("%-15s %-13s %-9s %-13s %s\n", "INFRASTRUCTURE", "ORCHESTRATOR", "PRIORITY", "STATE", "PROOF");
    for (const cloud::Cell& cell : cloud::matrix()) {
        const std::string priority = cell.priority == 0 ? "-" : std::to_string(cell.priority);
        std::printf("%-15s %-13s %-9s %-13s %s\n", std::string(cell.infrastructure).c_str(),
                    std::string(cell.orchestrator).c_str(), priority.c_str(),
                    std::string(cloud::to_string(cell.state)).c_str(), std::string(cell.proof).c_str());
    }
    return 0;
}

int crds() {
    std::cout << atl::crds::manifest_text();
    return 0;
}

std::string version_text() {
    return std::string("atoll ") + ATOLL_VERSION;
}

int version() {
    std::cout << version_text() << "\n";
    return 0;
}

UpOptions default_up_options() {
    return default_up_options(net::SystemEnvironment());
}

UpOptions default_up_options(const Environment& environment) {
    std::string base = environment.get("XDG_DATA_HOME").value_or("");
    if (base.empty()) base = environment.get("HOME").value_or("/root") + "/.local/share";
    UpOptions options;
    options.data_dir = base + "/atoll/data";
    options.kubeconfig = base + "/atoll/kubeconfig";
    return options;
}

}  // namespace atl::commands
