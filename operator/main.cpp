// The program: which commands there are. Each command is a file in operator/commands.
#include <CLI/CLI.hpp>

#include "operator/commands/commands.h"

int main(int argc, char** argv) {
    using namespace atl::commands;
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

    app.add_subcommand("matrix", "Print which infrastructure goes with which orchestrator")->callback([&] {
        code = matrix();
    });
    app.add_subcommand("crds", "Print the CustomResourceDefinitions")->callback([&] { code = crds(); });
    app.add_subcommand("version", "Print the version")->callback([&] { code = version(); });

    CLI11_PARSE(app, argc, argv);
    return code;
}
