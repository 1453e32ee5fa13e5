#include "simulator/command/bench_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors/errors.hpp"

namespace hillock::command {

namespace {

std::filesystem::path own_folder() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw UsageError("bench: cannot tell where hillock lies (" + failed.message() + ")");
  return self.parent_path();
}

}  // namespace

void become_bench(const std::vector<std::string>& arguments) {
  const std::filesystem::path program = own_folder() / "hillock-bench";
  std::error_code failed;
  if (!std::filesystem::exists(program, failed))
    throw UsageError(
        fmt::format("bench: {} is not there. Build it with `./dev build`, or with "
                    "`ninja hillock-bench` in the build folder",
                    program.string()));
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw UsageError(
      fmt::format("bench: {} cannot be started: {}", program.string(), std::strerror(errno)));
}

}  // namespace hillock::command
