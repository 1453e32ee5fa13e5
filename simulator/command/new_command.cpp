#include "simulator/command/new_command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"
#include "simulator/command/starting_models.hpp"
#include "simulator/command/terminal/report.hpp"

namespace hillock::command {

namespace {

std::string kind_of_start(const StartingModel& model) {
  return std::filesystem::path(model.name).stem().string();
}

/// A shell's word for a file's name.
std::string quoted(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::strchr("._-/+,:@%", c) || c >= 0x80;
  });
  return is_plain ? name : "'" + name + "'";
}

}  // namespace

std::vector<std::string> kinds_of_models() {
  std::vector<std::string> kinds;
  for (const StartingModel& model : starting_models()) kinds.push_back(kind_of_start(model));
  return kinds;
}

void make_model(const std::string& file, const std::string& kind) {
  const auto model = std::ranges::find(starting_models(), kind, kind_of_start);
  if (model == starting_models().end()) throw UsageError("there is no model of kind " + kind);
  if (file == "-") return print("{}", model->text);
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0)
    throw InputOutputError(
        file, errno == EEXIST ? "is there already, and is not overwritten"
                              : std::string("cannot be made (") + std::strerror(errno) + ")");
  int problem = write_all(made, model->text) ? 0 : errno;
  if (::close(made) != 0 && problem == 0) problem = errno;
  if (problem != 0) {
    ::unlink(file.c_str());
    throw InputOutputError(file, std::string("cannot be written (") + std::strerror(problem) + ")");
  }
  print_folded("{}: made. Next: {} run {}\n", file, called(), quoted(file));
}

}  // namespace hillock::command
