// The program. Which commands and options there are: operator/commands/command_line.cpp; each command is a file beside
// it; the back ends of this build are the last line of LINKS in operator/commands/CMakeLists.txt.
#include "operator/commands/command_line.h"

int main(int argc, char** argv) {
    return atl::commands::run_command_line(argc, argv);
}
