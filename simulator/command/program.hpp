#pragma once
// The hillock command: what it is asked for in words, and the exit code it ends with. It alone turns
// exceptions into messages.

namespace hillock::command {

/// All that main() does; once in a process.
int run_program(int argc, char** argv);

}  // namespace hillock::command
