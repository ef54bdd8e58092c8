#include "cloud/infrastructure/existing/existing.h"

#include <set>

#include "cloud/credentials.h"
#include "cloud/docker/machines.h"
#include "cloud/docker/unusable.h"

namespace atl::cloud::existing {

namespace {

constexpr const char* kField = "spec.infrastructure.existing.machines";

Result<docker::EngineMachine> machine_of(const Properties& entry, const std::string& field) {
    auto machine = docker::engine_machine(docker::at(entry, {"engine"}), field + ".engine");
    if (!machine.ok()) return machine;
    machine->machine = docker::text_at(entry, {"name"});
    if (machine->machine.empty()) return invalid("MachineWithoutName", "a machine has no name").at_field(field);
    const std::string address = docker::text_at(entry, {"address"});
    if (!address.empty()) machine->address = address;
    return machine;
}

/// The machines of the list; refused if empty, if two are the same, or if peers could not reach one.
Result<std::vector<docker::EngineMachine>> machines_of(const Properties& value) {
    std::vector<docker::EngineMachine> machines;
    std::set<std::string> names;
    std::set<std::string> hosts;
    const auto& entries = docker::list_at(value, {"machines"});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string field = std::string(kField) + "[" + std::to_string(i) + "]";
        auto machine = machine_of(entries[i], field);
        if (!machine.ok()) return std::move(machine).error();
        if (!names.insert(machine->machine).second || !hosts.insert(machine->host).second) {
            return invalid("DuplicateMachine",
                           "machine \"" + machine->machine + "\" or its engine " + machine->host + " is named twice")
                .at_field(field);
        }
        if (entries.size() > 1 && docker::is_loopback(machine->address)) {
            return invalid("MachineWithoutAddress", "machine \"" + machine->machine + "\" is known by " +
                                                        machine->address +
                                                        " only, where its peers cannot reach it; set its address")
                .at_field(field + ".address");
        }
        machines.push_back(std::move(*machine));
    }
    if (machines.empty()) return invalid("NoMachines", "at least one machine is needed").at_field(kField);
    return machines;
}

class Existing final : public Infrastructure {
public:
    explicit Existing(std::shared_ptr<docker::Versions> versions) : versions_(std::move(versions)) {}

    std::string_view name() const override { return "existing"; }

    Result<Desired> resources(const Topology& topology) const override {
        if (!topology.pools.empty()) {
            return invalid("PoolsOnExisting", "infrastructure existing has its machines already; it takes no pools")
                .at_field("spec.machinePools");
        }
        auto machines = machines_of(topology.infrastructure);
        if (!machines.ok()) return std::move(machines).error();
        Desired desired;
        for (const docker::EngineMachine& machine : *machines) desired.add(docker::machine_resource(machine));
        return desired;
    }

    std::shared_ptr<Driver> open(Account account, std::string_view, Surroundings surroundings) const override {
        auto machines = machines_of(account.infrastructure);
        if (!machines.ok()) return docker::unusable(machines.error());
        for (docker::EngineMachine& machine : *machines) {
            if (machine.tls_secret.empty()) continue;
            auto tls = tls_from(account, machine.tls_secret);
            if (!tls.ok()) return docker::unusable(tls.error());
            machine.where.tls = *tls;
        }
        return std::make_shared<docker::Machines>(std::move(*machines), surroundings, versions_);
    }

private:
    std::shared_ptr<docker::Versions> versions_;
};

}  // namespace

std::unique_ptr<Infrastructure> make_existing(std::shared_ptr<docker::Versions> versions) {
    return std::make_unique<Existing>(std::move(versions));
}

}  // namespace atl::cloud::existing
