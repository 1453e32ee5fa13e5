#include "simulator/command/terminal/report.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace hillock::command {

namespace {

std::atomic<bool> waits = true, has_lost = false;

/// Whether standard error takes PIPE_BUF bytes, or says at once that it takes none.
bool takes_words() {
  constexpr int look_again_ms = 50;
  for (;;) {
    pollfd error{STDERR_FILENO, POLLOUT, 0};
    const bool waiting = waits;
    const int ready = ::poll(&error, 1, waiting ? look_again_ms : 0);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;
    if (waiting) continue;
    has_lost = true;
    return false;
  }
}

}  // namespace

std::string called() {
  const char* const name = std::getenv("HILLOCK_CALLED");
  return name && *name ? name : "hillock";
}

void say(std::string_view text) {
  while (!text.empty() && takes_words()) {
    const std::string_view some = text.substr(0, PIPE_BUF);
    const ssize_t written = ::write(STDERR_FILENO, some.data(), some.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody can read it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void say_without_waiting() {
  waits = false;
}

bool has_lost_words() {
  return has_lost;
}

}  // namespace hillock::command
