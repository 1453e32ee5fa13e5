#pragma once
// SIGINT and SIGTERM ask a run to stop at the next epoch; a second one ends the program at once.

namespace hillock::command {

void watch_stop_signals();

/// Throws Interrupted when a signal has come.
void throw_if_stopped();

}  // namespace hillock::command
