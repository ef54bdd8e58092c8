#pragma once

#include <string>

namespace atl::commands {

/// Exit codes of every command. A mistake in the command line is a Failure too.
enum class ExitCode {
    Success = 0,
    Failure = 1,
    Changes = 2,  ///< of `atoll plan`: an apply would change something; of `atoll guard`: objects are left
};

/// Reads the command line, runs the command that it names, and gives the exit code. What is wrong with the command line
/// is said in one line on standard error, with the nearest name that there is; so is what escapes a command.
int run_command_line(int argc, const char* const* argv);

/// All commands and options with environment names, defaults and allowed values, as Markdown:
/// docs/reference/options.md.
std::string options_page();

}  // namespace atl::commands
