// The program hillock-read-columns: reads columns of numbers out of an HDF5 file that it is sent,
// and sends them back (column_protocol.hpp), or answers questions of a file that it is named, or
// sent where the name is "-" (answers.hpp). Not for users; docs/decisions/0011 says why it is.

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "io/column_reader/answers.hpp"
#include "io/column_reader/asker.hpp"
#include "io/column_reader/column_file.hpp"
#include "io/column_reader/confinement.hpp"

namespace {

using namespace hillock::io::columns;

/// Beyond the file itself: the program, the library's buffers, one column, one chunk twice.
constexpr std::uint64_t working_memory = std::uint64_t{1} << 30;

void answer_of_file(const char* path) {
  const std::span<char> file = map_file(path);
  if (file.data() == nullptr) ::_exit(usage);
  start_library();
  confine(10 + (file.size() >> 22), working_memory + file.size());
  send(&hello, sizeof hello);
  answer_questions(file);
}

/// What a request begins with; from here on this program is confined.
Request receive_request() {
  Request request;
  receive(&request, sizeof request);
  if (request.part.count == 0) ::_exit(usage);
  start_library();
  confine(request.cpu_seconds, working_memory + request.file_bytes);
  send(&hello, sizeof hello);
  return request;
}

void answer_of_sent() {
  const Request request = receive_request();
  const auto bytes = std::make_unique_for_overwrite<char[]>(request.file_bytes);
  receive(bytes.get(), request.file_bytes);
  answer_questions({bytes.get(), request.file_bytes});
}

void answer_one() {
  const Request request = receive_request();
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

int main(int argc, char** argv) {
  if (::isatty(STDIN_FILENO)) {
    std::fputs("hillock-read-columns: hillock starts this program; it is of no use by hand\n",
               stderr);
    return usage;
  }
  if (argc > 2) return usage;
  if (argc == 2 && std::strcmp(argv[1], "-") == 0)
    answer_of_sent();
  else if (argc == 2)
    answer_of_file(argv[1]);
  else
    answer_one();
  // The library is not asked to tidy up after a file that may have broken it.
  ::_exit(success);
}
