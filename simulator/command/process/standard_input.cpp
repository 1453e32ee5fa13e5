#include "simulator/command/process/standard_input.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "io/circuit/circuit.hpp"
#include "io/yaml/model_document.hpp"
#include "network/agreement.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/terminal/report.hpp"

namespace hillock::command {

namespace {

constexpr const char* name_of_input = "<stdin>";
constexpr int until_told_ms = 2000;  // how long a pipe may be silent

/// Waits until there is something to read, or the end.
void await_input(int timeout_ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (true) {
    const int ready = ::poll(&input, 1, timeout_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;  // read() says what is wrong
    throw_if_stopped();
    if (ready == 0) report("hillock: waiting for a model on standard input\n");
    timeout_ms = -1;
  }
}

std::string read_standard_input() {
  if (::isatty(STDIN_FILENO))
    report("hillock: type or paste a model; Ctrl-D on a line of its own ends it\n");
  else
    await_input(until_told_ms);
  std::string text;
  std::vector<char> block(1 << 16);
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {  // whoever shares it made it so
      await_input(-1);
      continue;
    }
    if (count < 0)
      throw InputOutputError(name_of_input,
                             fmt::format("reading it failed ({})", std::strerror(errno)));
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > io::largest_model_file)
      throw InputOutputError(name_of_input, "the model is larger than 64 MiB");
  }
  if (text.empty()) throw InputOutputError(name_of_input, "standard input is empty");
  if (io::circuit::may_be_configuration(text))
    throw UsageError(
        "standard input holds the configuration of a circuit: name its file, beside which the "
        "circuit's files lie");
  return text;
}

/// What the first rank has, on all of them.
std::string text_of_first(const std::string& own) {
  std::vector<std::size_t> sizes;
  const network::Bytes all = network::bytes_of_all(*ranks(), std::as_bytes(std::span(own)), sizes);
  return {reinterpret_cast<const char*>(all.data()), sizes.front()};
}

}  // namespace

bool is_standard_input(const ModelOptions& model) {
  return model.text.has_value() || model.file == "-";
}

void take_standard_input(ModelOptions& model) {
  if (model.text || model.file != "-") return;
  std::string text;
  together([&] {
    if (is_first_rank()) text = read_standard_input();
  });
  model.text = ranks() ? text_of_first(text) : std::move(text);
  model.file = name_of_input;
}

}  // namespace hillock::command
