#include "core/program/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/errors/errors.hpp"

namespace hillock {

namespace {

extern "C" void do_nothing(int) {}

}  // namespace

void guard_standard_streams() {
  // Open for reading only: what is written there is lost, and finish_standard_output says so.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
  // Handlers, for a program that this one starts would inherit SIG_IGN.
  std::signal(SIGPIPE, do_nothing);
  std::signal(SIGXFSZ, do_nothing);
}

void finish_standard_output(int reason) {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 && reason == 0) reason = errno;
  if (!failed_before && !std::ferror(stdout)) return;
  if (reason == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw InputOutputError("standard output", reason == 0 ? "not all of it could be written"
                                                        : std::string("cannot be written (") +
                                                              std::strerror(reason) + ")");
}

}  // namespace hillock
