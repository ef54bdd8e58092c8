#include "cloud/infrastructure/local/local.h"

#include "cloud/credentials.h"
#include "cloud/docker/machines.h"
#include "cloud/docker/unusable.h"

namespace atl::cloud::local {

namespace {

constexpr const char* kField = "spec.infrastructure.local.engine";

Result<docker::EngineMachine> machine_of(const Properties& value) {
    auto machine = docker::engine_machine(docker::at(value, {"engine"}), kField);
    if (machine.ok()) machine->machine = "local";
    return machine;
}

class Local final : public Infrastructure {
public:
    explicit Local(std::shared_ptr<docker::Versions> versions) : versions_(std::move(versions)) {}

    std::string_view name() const override { return "local"; }

    Result<Desired> resources(const Topology& topology) const override {
        int asked = 0;
        for (const MachinePool& pool : topology.pools) asked += pool.replicas;
        if (asked > 1) {
            return invalid("TooManyMachines", "infrastructure local is one machine, " + std::to_string(asked) +
                                                  " are asked for; use infrastructure.existing for several")
                .at_field("spec.machinePools");
        }
        auto machine = machine_of(topology.infrastructure);
        if (!machine.ok()) return std::move(machine).error();
        Desired desired;
        desired.add(docker::machine_resource(*machine));
        return desired;
    }

    std::shared_ptr<Driver> open(Account account, std::string_view, Surroundings surroundings) const override {
        auto machine = machine_of(account.infrastructure);
        if (!machine.ok()) return docker::unusable(machine.error());
        if (!machine->tls_secret.empty()) {
            auto tls = tls_from(account, machine->tls_secret);
            if (!tls.ok()) return docker::unusable(tls.error());
            machine->where.tls = *tls;
        }
        const bool own_kernel = machine->where.scheme == net::Scheme::Unix;
        auto driver = std::make_shared<docker::Machines>(std::vector{*machine}, surroundings, versions_);
        if (own_kernel) driver->set_facts(account.facts);
        return driver;
    }

private:
    std::shared_ptr<docker::Versions> versions_;
};

}  // namespace

std::unique_ptr<Infrastructure> make_local(std::shared_ptr<docker::Versions> versions) {
    return std::make_unique<Local>(std::move(versions));
}

}  // namespace atl::cloud::local
