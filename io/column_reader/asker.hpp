#pragma once
// Whoever started this program: what comes from it and goes to it, and how this program ends.

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace hillock::io::columns {

enum ExitCode { success = 0, usage = 2, asker_is_gone = 4 };

/// When nobody is left to be told, this ends the process.
inline void receive(void* into, std::size_t bytes) {
  auto* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t count = ::read(STDIN_FILENO, to, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(asker_is_gone);
    to += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

inline void send(const void* what, std::size_t bytes) {
  const auto* from = static_cast<const char*>(what);
  while (bytes > 0) {
    const ssize_t count = ::write(STDOUT_FILENO, from, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(asker_is_gone);
    from += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

}  // namespace hillock::io::columns
