#include "operator/commands/command_line.h"

#include <exception>
#include <functional>
#include <iostream>
#include <vector>

#include <CLI/CLI.hpp>

#include "operator/base/names.h"
#include "operator/commands/commands.h"
#include "operator/commands/rights.h"

namespace atl::commands {

namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done; 1 an error, said in one line on standard error; 2 of plan: there would be changes, of guard: "
    "objects are left, of orphans: some are left, of check: no operator is at work.";

/// What stands on a command line: the options of all commands, and which one to run.
struct CommandLine {
    CLI::App app{"Atoll turns Cluster, Stack and ServiceInstance manifests into running clusters and running software.",
                 "atoll"};
    UpOptions up = default_up_options();
    OperatorOptions operation;
    PlanOptions plan;
    DescribeOptions describe;
    std::string guard_kubeconfig;
    CheckOptions look;
    std::string topic;  ///< of help: a command, or empty
    OrphansOptions orphans;
    MoveOptions move;
    std::string log_level = "info";
    std::function<int()> chosen;

    CommandLine();

    CLI::App& command(const char* name, const char* sentence, std::function<int()> run) {
        CLI::App* made = app.add_subcommand(name, sentence);
        made->footer(kExitCodes);
        made->callback([this, run = std::move(run)] { chosen = run; });
        return *made;
    }
    void add_log_level(CLI::App& to);
    void add_up();
    void add_operator();
    void add_plan();
    void add_describe();
    void add_guard();
    void add_check();
    void add_help();
    int help() const;
    void add_orphans();
    void add_move();
};

LogLevel level_of(const std::string& name) {
    if (name == "debug") return LogLevel::Debug;
    return name == "error" ? LogLevel::Error : LogLevel::Info;
}

/// One option: its names, where it goes, what it is called in help, and its sentence.
template <class T>
CLI::Option* add(CLI::App& to, const char* names, T& target, const char* type, const char* sentence) {
    return to.add_option(names, target, sentence)->type_name(type)->capture_default_str();
}

/// Ends an option's check: an empty text is "fine".
std::string label_problem(const std::string& text) {
    const auto problems = dns_label_errors(text);
    return problems.empty() ? "" : "\"" + text + "\": " + problems.front();
}

std::string address_problem(const std::string& text) {
    const bool fits = text.find_first_of(".:") != std::string::npos &&
                      text.find_first_not_of("0123456789abcdefABCDEF.:") == std::string::npos;
    return fits ? "" : "\"" + text + "\" is not an IP address such as 127.0.0.1 or ::1";
}

void add_namespace(CLI::App& to, const char* names, std::string& target, const char* environment,
                   const char* sentence) {
    add(to, names, target, "NAME", sentence)->check(CLI::Validator(label_problem, ""))->envname(environment);
}

void add_address(CLI::App& to, const char* names, std::string& target, const char* environment, const char* sentence) {
    add(to, names, target, "IP", sentence)->check(CLI::Validator(address_problem, ""))->envname(environment);
}

/// No environment name ends with _PORT: Kubernetes sets NAME_PORT to a URL in each pod beside a Service "name".
void add_port(CLI::App& to, const char* names, std::uint16_t& target, const char* environment, const char* sentence) {
    add(to, names, target, "PORT", sentence)
        ->check(CLI::Range(0, 65535).description("0 to 65535"))
        ->envname(environment);
}

/// KUBECONFIG is no envname of it: that may list several files, which find_config() merges.
void add_kubeconfig(CLI::App& to, std::string& target) {
    add(to, "--kubeconfig", target, "FILE",
        "How to reach the API server; without it: the files in KUBECONFIG, ~/.kube/config, the pod's service account");
}

void CommandLine::add_log_level(CLI::App& to) {
    add(to, "--log-level", log_level, "LEVEL", "What is logged to standard error: debug, info or error")
        ->check(CLI::IsMember({"debug", "info", "error"}))
        ->envname("ATOLL_LOG_LEVEL");
}

void CommandLine::add_up() {
    CLI::App& to = command("up", "Run the embedded API server and the controllers on this machine", [this] {
        up.log_level = level_of(log_level);
        return commands::up(up);
    });
    add(to, "--data-dir", up.data_dir, "DIR", "Database, keys and certificates; made with mode 0700")
        ->envname("ATOLL_DATA_DIR");
    add(to, "--kubeconfig", up.kubeconfig, "FILE", "Written for kubectl, with mode 0600")->envname("ATOLL_KUBECONFIG");
    add_address(to, "--address", up.address, "ATOLL_ADDRESS", "Address to listen on");
    add_port(to, "--port", up.port, "ATOLL_PORT_NUMBER", "Port of the API server; 0: that of the last time, or any");
    add_port(to, "--health-port", up.health_port, "ATOLL_HEALTH_PORT_NUMBER",
             "Port of /metrics, /healthz and /readyz on 127.0.0.1; 0: any");
    add_log_level(to);
}

void CommandLine::add_operator() {
    CLI::App& to = command("operator", "Run the controllers against a Kubernetes API server", [this] {
        operation.log_level = level_of(log_level);
        return run_operator(operation);
    });
    add_kubeconfig(to, operation.kubeconfig);
    add_namespace(to, "--namespace", operation.name_space, "ATOLL_NAMESPACE",
                  "Namespace of the Lease and the installation's Secret");
    add_address(to, "--health-address", operation.health_address, "ATOLL_HEALTH_ADDRESS",
                "Address of /metrics, /healthz and /readyz");
    add_port(to, "--health-port", operation.health_port, "ATOLL_HEALTH_PORT_NUMBER",
             "Port of /metrics, /healthz and /readyz; 0: any");
    add_port(to, "--webhook-port", operation.webhook_port, "ATOLL_WEBHOOK_PORT_NUMBER",
             "Port of the validating webhook; 0: none");
    add_namespace(to, "--webhook-service", operation.webhook_service, "ATOLL_WEBHOOK_SERVICE",
                  "Service before the webhook, in the namespace");
    add_namespace(to, "--webhook-configuration", operation.webhook_configuration, "ATOLL_WEBHOOK_CONFIGURATION",
                  "ValidatingWebhookConfiguration that gets the webhook's CA");
    add(to, "--shards", operation.shards, "N",
        "All replicas work, each on its share of N shards (2 to 4 a replica); the same for all; 0: one works")
        ->check(CLI::Range(0, 64))
        ->envname("ATOLL_SHARDS");
    add_log_level(to);
}

void CommandLine::add_plan() {
    CLI::App& to = command("plan", "Say what applying manifests would change, and why; change nothing",
                           [this] { return commands::plan(plan); });
    add(to, "-f,--filename", plan.files, "PATH", "Files or folders of manifests; -: standard input")->required();
    add_kubeconfig(to, plan.kubeconfig);
    add_namespace(to, "--namespace", plan.name_space, "ATOLL_NAMESPACE",
                  "Namespace of the installation's Secret, as the operator's");
}

void CommandLine::add_describe() {
    CLI::App& to =
        command("describe", "Show what is wrong, then Clusters, Machines, Stacks and all that runs as a tree",
                [this] { return commands::describe(describe); });
    add_namespace(to, "-n,--namespace", describe.name_space, "", "Namespace to show; without it: all");
    add_kubeconfig(to, describe.kubeconfig);
}

void CommandLine::add_guard() {
    CLI::App& to = command(
        "guard", "Fail while objects are left that the operator has to clean up behind; before it is uninstalled",
        [this] { return guard(guard_kubeconfig); });
    add_kubeconfig(to, guard_kubeconfig);
}

void CommandLine::add_check() {
    CLI::App& to =
        command("check", "Say whether an operator is at work on an API server", [this] { return check(look); });
    add_kubeconfig(to, look.kubeconfig);
    add_namespace(to, "--namespace", look.name_space, "ATOLL_NAMESPACE", "Namespace of the Lease");
}

void CommandLine::add_help() {
    CLI::App& to =
        command("help", "Show the help of a command, or without one the commands", [this] { return help(); });
    to.add_option("command", topic, "Name of a command")->type_name("COMMAND");
}

void CommandLine::add_orphans() {
    CLI::App& to =
        command("orphans", "List what carries this installation's mark on engines, and has no owner any more",
                [this] { return commands::orphans(orphans); });
    add(to, "--host", orphans.hosts, "URL", "Engines to look at besides those of the Clusters: unix:///path");
    add(to, "--delete", orphans.to_remove, "ID", "Remove these, as they are printed; nothing else is ever removed");
    add_kubeconfig(to, orphans.kubeconfig);
    add_namespace(to, "--namespace", orphans.name_space, "ATOLL_NAMESPACE",
                  "Namespace of the installation's Secret, as the operator's");
}

void CommandLine::add_move() {
    CLI::App& to =
        command("move", "Move Clusters, Stacks and ServiceInstances to another API server; nothing that runs changes",
                [this] { return commands::move(move); });
    add(to, "--from", move.from, "FILE[:CONTEXT]", "Kubeconfig of the source, and which context of it")->required();
    add(to, "--to", move.to, "FILE[:CONTEXT]", "Kubeconfig of the target, and which context of it")->required();
    add_namespace(to, "-n,--namespace", move.name_space, "",
                  "Namespace to move; without it: that of the source's context");
    to.add_flag("-A,--all-namespaces", move.all_namespaces, "Move the objects of all namespaces")
        ->excludes("--namespace");
    add_namespace(to, "--installation-namespace", move.installation_namespace, "ATOLL_NAMESPACE",
                  "Namespace of the installation's Secret on both sides, as the operator's");
    add(to, "--timeout", move.patience, "SECONDS", "How long the source's operator may take to let go of an object")
        ->check(CLI::Range(1, 3600).description("1 to 3600"));
    to.add_flag_callback(
        "--dry-run", [this] { move.kind = MoveOptions::Kind::Preview; },
        "Check, say what would be moved, change nothing");
}

CommandLine::CommandLine() {
    app.require_subcommand(1);
    app.set_version_flag("--version", version_text, "Print the version and exit");
    app.footer(kExitCodes);
    add_up();
    add_operator();
    add_plan();
    add_describe();
    add_guard();
    add_check();
    add_orphans();
    add_move();
    command("rbac", "Print the rights that the operator needs, as rules of RBAC", rbac);
    command("matrix", "Print which infrastructure goes with which orchestrator", matrix);
    command("crds", "Print the CustomResourceDefinitions", crds);
    command("options", "Print all commands and options as Markdown", [] {
        std::cout << options_page();
        return 0;
    });
    command("version", "Print the version", version);
    add_help();
}

std::vector<std::string> names_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// The same as `atoll --help` and `atoll COMMAND --help`.
int CommandLine::help() const {
    if (topic.empty()) {
        CommandLine fresh;
        std::cout << fresh.app.help();
        return 0;
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() != topic) continue;
        std::cout << command->help(app.get_name());
        return 0;
    }
    const auto nearest = nearest_name(topic, names_of(app));
    std::cerr << "atoll help: unknown command \"" << topic << "\""
              << (nearest ? "; did you mean \"" + *nearest + "\"?" : "") << " (see atoll --help)\n";
    return static_cast<int>(ExitCode::Failure);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// One line: what is wrong, the nearest name, and where to read on.
std::string complaint(const CommandLine& line, const CLI::ParseError& error) {
    const auto parsed = line.app.get_subcommands();
    const CLI::App& at = parsed.empty() ? line.app : *parsed.front();
    const std::string name = parsed.empty() ? "atoll" : "atoll " + at.get_name();
    const std::string more = " (see " + name + " --help)";
    const auto extra = line.app.remaining(true);
    if (!extra.empty()) {
        const std::string word = extra.front().substr(0, extra.front().find('='));
        const bool is_option = word.starts_with('-');
        const auto nearest = nearest_name(word, names_of(at));
        const char* what = is_option ? "option" : parsed.empty() ? "command" : "argument";
        return name + ": unknown " + what + " \"" + word + "\"" +
               (nearest ? "; did you mean \"" + *nearest + "\"?" : "") + more;
    }
    if (parsed.empty()) return name + ": a command is required: " + joined(names_of(line.app)) + more;
    return name + ": " + error.what() + more;
}

/// One option as a row of the page.
std::string row_of(const CLI::Option& option) {
    const std::string environment = option.get_envname().empty() ? "" : "`" + option.get_envname() + "`";
    std::string fallback = option.get_required() ? "required" : option.get_default_str();
    // The page is the same for everybody.
    const UpOptions up = default_up_options();
    if (fallback == up.data_dir) fallback = "~/.local/share/atoll/data";
    if (fallback == up.kubeconfig) fallback = "~/.local/share/atoll/kubeconfig";
    return "| `" + option.get_name(false, true) + "` | " + option.get_type_name() + " | " + environment + " | " +
           fallback + " | " + option.get_description() + " |\n";
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
    CommandLine line;
    try {
        line.app.parse(argc, argv);
        return line.chosen();
    } catch (const CLI::Success& asked) {
        return line.app.exit(asked);
    } catch (const CLI::ParseError& error) {
        std::cerr << complaint(line, error) << "\n";
    } catch (const std::exception& error) {
        std::cerr << "atoll: " << error.what() << "\n";
    }
    return static_cast<int>(ExitCode::Failure);
}

std::string options_page() {
    CommandLine line;
    std::string text =
        "# Commands and options\n\nPrinted by `atoll options`. An option on the command line wins over its "
        "environment variable, and that over the default.\n\n";
    text += std::string(kExitCodes) + "\n";
    for (CLI::App* command : line.app.get_subcommands([](const CLI::App*) { return true; })) {
        text += "\n## atoll " + command->get_name() + "\n\n" + command->get_description() + ".\n";
        std::string rows;
        for (const CLI::Option* option : command->get_options())
            if (option->get_name() != "--help") rows += row_of(*option);
        if (!rows.empty())
            text += "\n| option | value | environment | default | what it is |\n|---|---|---|---|---|\n" + rows;
    }
    return text;
}

}  // namespace atl::commands
