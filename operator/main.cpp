// The program: which commands there are. Each command is a file in operator/commands.
#include <CLI/CLI.hpp>

#include "operator/commands/commands.h"
#include "operator/commands/rights.h"

namespace {

using namespace atl::commands;

/// What the commands that only look were told, and the exit code of the one that ran.
struct Told {
    std::string guard_kubeconfig;
    CheckOptions check;
    int code = 0;
};

void add_questions(CLI::App& app, Told& told) {
    CLI::App* guard_command = app.add_subcommand(
        "guard", "Fail while objects are left that the operator has to clean up behind; before it is uninstalled");
    guard_command->add_option("--kubeconfig", told.guard_kubeconfig, "Without it: the pod's service account");
    guard_command->callback([&told] { told.code = guard(told.guard_kubeconfig); });
    CLI::App* check_command = app.add_subcommand("check", "Say whether an operator is at work on an API server");
    check_command->add_option("--kubeconfig", told.check.kubeconfig, "Without it: $KUBECONFIG, or the pod's");
    check_command->add_option("--namespace", told.check.name_space, "Of the Lease")->capture_default_str();
    check_command->callback([&told] { told.code = check(told.check); });
    app.add_subcommand("rbac", "Print the rights that the operator needs, as rules of RBAC")->callback([&told] {
        told.code = rbac();
    });

    app.add_subcommand("matrix", "Print which infrastructure goes with which orchestrator")->callback([&told] {
        told.code = matrix();
    });
    app.add_subcommand("crds", "Print the CustomResourceDefinitions")->callback([&told] { told.code = crds(); });
    app.add_subcommand("version", "Print the version")->callback([&told] { told.code = version(); });
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Atoll turns Cluster, Stack and ServiceInstance manifests into running clusters and running software."};
    app.require_subcommand(1);
    int code = 0;

    UpOptions up_options = default_up_options();
    CLI::App* up_command = app.add_subcommand("up", "Run the embedded API server and the controllers on this machine");
    up_command->add_option("--data-dir", up_options.data_dir, "Database, keys and certificates; made with mode 0700")
        ->capture_default_str();
    up_command->add_option("--kubeconfig", up_options.kubeconfig, "Written for kubectl")->capture_default_str();
    up_command->add_option("--address", up_options.address, "IP address to listen on")->capture_default_str();
    up_command->add_option("--port", up_options.port, "Port of the API server; 0: that of the last time, or any");
    up_command->add_option("--health-port", up_options.health_port, "Of /metrics, /healthz, /readyz; 0: any");
    up_command->callback([&] { code = up(up_options); });

    OperatorOptions operator_options;
    CLI::App* operator_command = app.add_subcommand("operator", "Run the controllers against a Kubernetes API server");
    operator_command->add_option("--kubeconfig", operator_options.kubeconfig, "Without it: the pod's service account");
    operator_command
        ->add_option("--namespace", operator_options.name_space, "Of the Lease and the installation's Secret")
        ->capture_default_str();
    operator_command
        ->add_option("--health-address", operator_options.health_address, "IP address of /metrics, /healthz")
        ->capture_default_str();
    operator_command
        ->add_option("--health-port", operator_options.health_port, "Of /metrics, /healthz, /readyz; 0: any")
        ->capture_default_str();
    operator_command->callback([&] { code = run_operator(operator_options); });

    PlanOptions plan_options;
    CLI::App* plan_command =
        app.add_subcommand("plan", "Say what applying manifests would change; exit code 0 none, 2 changes");
    plan_command->add_option("-f,--filename", plan_options.files, "Files or folders of manifests")->required();
    plan_command->add_option("--kubeconfig", plan_options.kubeconfig, "Without it: $KUBECONFIG");
    plan_command->callback([&] { code = plan(plan_options); });

    DescribeOptions describe_options;
    CLI::App* describe_command = app.add_subcommand(
        "describe", "Show what is wrong, then Clusters, Machines, Stacks and all that runs as a tree");
    describe_command->add_option("-n,--namespace", describe_options.name_space, "Without it: all namespaces");
    describe_command->add_option("--kubeconfig", describe_options.kubeconfig, "Without it: $KUBECONFIG");
    describe_command->callback([&] { code = describe(describe_options); });

    Told told;
    add_questions(app, told);

    CLI11_PARSE(app, argc, argv);
    return told.code != 0 ? told.code : code;
}
