// The program hillock-read-columns: reads columns of numbers out of an HDF5 file that it is sent,
// and sends them back (column_protocol.hpp). Not for users; docs/decisions/0011 says why it is.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "io/column_reader/column_file.hpp"
#include "io/column_reader/confinement.hpp"

namespace {

using namespace hillock::io::columns;

enum ExitCode { success = 0, usage = 2, asker_is_gone = 4 };

/// Beyond the file itself: the program, the library's buffers, one column, one chunk twice.
constexpr std::uint64_t working_memory = std::uint64_t{1} << 30;

/// Nobody is left to be told: ends this process.
void receive(void* into, std::size_t bytes) {
  auto* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t count = ::read(STDIN_FILENO, to, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(asker_is_gone);
    to += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void send(const void* what, std::size_t bytes) {
  const auto* from = static_cast<const char*>(what);
  while (bytes > 0) {
    const ssize_t count = ::write(STDOUT_FILENO, from, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(asker_is_gone);
    from += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void answer_one() {
  Request request;
  receive(&request, sizeof request);
  if (request.part.count == 0) ::_exit(usage);
  start_library();
  confine(request.cpu_seconds, working_memory + request.file_bytes);
  send(&hello, sizeof hello);
  std::vector<std::string> datasets(request.datasets);
  for (std::string& dataset : datasets) {
    std::uint64_t length = 0;
    receive(&length, sizeof length);
    dataset.resize(length);
    receive(dataset.data(), length);
  }
  const auto bytes = std::make_unique_for_overwrite<char[]>(request.file_bytes);
  receive(bytes.get(), request.file_bytes);
  ColumnFile file({bytes.get(), request.file_bytes});
  for (const std::string& dataset : datasets) {
    std::vector<double> values;
    Answer answer;
    try {
      answer = file.read(dataset, request.most_values, request.part, values);
    } catch (const std::bad_alloc&) {
      answer.problem = static_cast<std::uint32_t>(Problem::damaged);
    }
    send(&answer, sizeof answer);
    if (answer.problem != 0) return;
    send(values.data(), values.size() * sizeof(double));
  }
}

}  // namespace

int main() {
  if (::isatty(STDIN_FILENO)) {
    std::fputs("hillock-read-columns: hillock starts this program; it is of no use by hand\n",
               stderr);
    return usage;
  }
  answer_one();
  // The library is not asked to tidy up after a file that may have broken it.
  ::_exit(success);
}
