#include "mechanisms/load/compiler.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "core/program/own_libraries.hpp"
#include "core/program/process.hpp"

namespace hillock::mechanisms {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

constexpr std::size_t most_complaint = 200;  // bytes of what a compiler says that does not run

/// The zig of Python's package `ziglang`, beside a Hillock that came as a wheel.
std::optional<std::vector<std::string>> packaged_zig() {
  const auto packages = python_packages();
  if (!packages) return std::nullopt;
  return std::vector<std::string>{*packages / "ziglang/zig", "c++"};
}

/// What a command answers when asked for its version; it is asked once as long as its program is
/// the same file.
Finished answer_of(std::vector<std::string> command) {
  using File = std::array<std::int64_t, 5>;
  static std::mutex one_at_a_time;
  static std::map<std::vector<std::string>, std::pair<File, Finished>> known;
  const std::lock_guard lock(one_at_a_time);
  struct stat now {};
  const bool is_there = ::stat(command.front().c_str(), &now) == 0;
  const File file{static_cast<std::int64_t>(now.st_dev), static_cast<std::int64_t>(now.st_ino),
                  static_cast<std::int64_t>(now.st_size), now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
  if (const auto found = known.find(command); is_there && found != known.end())
    if (found->second.first == file) return found->second.second;
  std::vector<std::string> asked = command;
  asked.push_back("--version");
  Finished answer = run_program(asked);
  if (answer.status == 0) known.insert_or_assign(std::move(command), std::pair{file, answer});
  return answer;
}

/// What a command answers when asked for its version, once its program is found, whose path then
/// stands in front; nothing where there is none.
std::optional<Finished> version_of(std::vector<std::string>& command) {
  const auto program = find_program(command.front());
  if (!program) return std::nullopt;
  command.front() = program->string();
  return answer_of(command);
}

std::optional<Compiler> compiler_called(std::vector<std::string> command) {
  const auto answer = version_of(command);
  if (!answer || answer->status != 0) return std::nullopt;
  Compiler compiler{std::move(command), answer->output};
  if (answer->output.find("Free Software Foundation") != std::string::npos)
    compiler.options = words_of(HILLOCK_GCC_OPTIONS);
  return compiler;
}

}  // namespace

std::optional<Compiler> find_compiler() {
  const char* chosen = std::getenv("CXX");
  if (auto command = words_of(chosen ? chosen : ""); !command.empty())
    return compiler_called(std::move(command));
  for (const char* name : {"c++", "g++", "clang++"})
    if (auto found = compiler_called({name})) return found;
  const auto packaged = packaged_zig();
  auto zig = packaged ? compiler_called(*packaged) : std::nullopt;
  if (zig) zig->is_zig = true;
  return zig;
}

std::string why_there_is_no_compiler() {
  if (const char* chosen = std::getenv("CXX"); chosen && *chosen)
    return fmt::format("CXX is '{0}', and '{0} --version' does not run here", chosen);
  auto zig = packaged_zig();
  if (const auto answer = zig ? version_of(*zig) : std::nullopt)
    return fmt::format(
        "'{} --version' does not run here: {}", fmt::join(*zig, " "),
        answer->output.substr(0, std::min(answer->output.find('\n'), most_complaint)));
  return fmt::format(
      "install one ({}), or name it in CXX",
      zig ? "pip install 'hillock-sim[compiler]', or your system's" : "apt-get install g++");
}

std::string Compiler::name() const {
  std::string all = command.front();
  if (is_zig) all += " c++ (its first compilation takes about a minute, the next ones seconds)";
  return all;
}

std::vector<std::string> compile_options(Isa isa) {
  // The build says which: HILLOCK_ARITHMETIC_OPTIONS and the options of the instruction sets.
  std::vector<std::string> options = words_of(HILLOCK_ARITHMETIC_OPTIONS);
  options.insert(options.end(),
                 {"-std=c++20", "-O2", "-DNDEBUG", "-w", "-shared", "-fPIC", "-fvisibility=hidden",
                  "-DHILLOCK_ISA=" + std::string(name_of(isa))});
  const auto add = [&](const char* more) {
    for (std::string& word : words_of(more)) options.push_back(std::move(word));
  };
  if (isa == Isa::avx2) add(HILLOCK_AVX2_OPTIONS);
  if (isa == Isa::avx512) add(HILLOCK_AVX512_OPTIONS);
  return options;
}

std::vector<std::string> compile_options(Isa isa, const Compiler& compiler) {
  std::vector<std::string> options = compile_options(isa);
  if (compiler.is_zig) {  // which would compile for the very processor that it runs on
#if defined(HILLOCK_X86_64)
    options.insert(options.begin(), "-march=x86_64");
#else
    options.insert(options.begin(), "-march=generic");
#endif
    for (std::string& option : options)
      if (option.starts_with("-march=x86-64-")) option = "-march=x86_64_" + option.substr(14);
  }
  options.insert(options.end(), compiler.options.begin(), compiler.options.end());
  return options;
}

}  // namespace hillock::mechanisms
