#include "simulator/command/stop_signal.hpp"

#include <csignal>

#include "core/errors.hpp"

namespace hillock::command {

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_stop_signals() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

void throw_if_stopped() {
  if (received) throw Interrupted(received);
}

}  // namespace hillock::command
