#pragma once
// Starts another program and waits for it. No shell: arguments reach it as they are.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hillock {

struct Finished {
  int status = 0;      ///< exit code; 128 + signal after a signal
  std::string output;  ///< what it wrote to standard output and standard error, in order
};

/// Runs words[0], the path of a program, with the rest as its arguments and nothing to read.
/// Throws InputOutputError when it cannot be started, and Interrupted after end_programs().
/// Thread-safe.
Finished run_program(const std::vector<std::string>& words);

/// Ends the programs that run_program() waits for, with all that they started, and lets it start no
/// more: this process is about to end by a signal.
void end_programs(int signal);

/// The status, as in Finished, that a child of this process ends with. Waits for it.
int wait_for(pid_t child);

/// The file that a command's name means: itself when it holds a slash, else the first one that can
/// be executed in the folders of $PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace hillock
