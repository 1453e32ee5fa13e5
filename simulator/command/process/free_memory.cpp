#include "simulator/command/process/free_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "core/errors/errors.hpp"

namespace hillock::command {

namespace {

namespace fs = std::filesystem;

constexpr double without_limit = std::numeric_limits<double>::infinity();

/// The number that a file begins with; nothing where there is none ("max").
std::optional<double> number_in(const fs::path& file) {
  std::ifstream text(file);
  double number = 0;
  if (text >> number) return number;
  return {};
}

/// The number behind a word at the beginning of a line.
std::optional<double> number_of(const fs::path& file, std::string_view word) {
  std::ifstream text(file);
  for (std::string name; text >> name;) {
    double number = 0;
    if (name == word && text >> number) return number;
    text.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return {};
}

/// Files that were read lie in a group's memory, and give way.
double left_of(double limit, std::optional<double> used, std::optional<double> files) {
  return std::max(0.0, limit - std::max(0.0, used.value_or(0) - files.value_or(0)));
}

/// Of a group and all above it.
double free_in_groups(const fs::path& root, std::string_view group) {
  double bytes = free_in_group(root.string());
  fs::path folder = root;
  for (const fs::path& name : fs::path(group).relative_path()) {
    folder /= name;
    bytes = std::min(bytes, free_in_group(folder.string()));
  }
  return bytes;
}

/// Lines are "0::/path" of version 2, "9:memory:/path" of version 1.
double free_in_own_groups() {
  double bytes = without_limit;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      bytes = std::min(bytes, free_in_groups("/sys/fs/cgroup", group));
    else if (controllers.find(",memory,") != std::string::npos)
      bytes = std::min(bytes, free_in_groups("/sys/fs/cgroup/memory", group));
  }
  return bytes;
}

double size_in(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string_view unit = end;
  const double factor = unit.empty() ? 1 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
  if (end == text.c_str() || !(number > 0) || factor == 0)
    throw UsageError("HILLOCK_MEMORY: '" + text + "' is no size: 500M, 16G or bytes");
  return number * factor;
}

}  // namespace

double free_in_group(const std::string& folder) {
  const fs::path here = folder;
  double bytes = without_limit;
  if (const auto limit = number_in(here / "memory.max"))
    bytes = left_of(*limit, number_in(here / "memory.current"),
                    number_of(here / "memory.stat", "inactive_file"));
  constexpr double no_limit = 1e18;  // version 1 has a number for it
  if (const auto limit = number_in(here / "memory.limit_in_bytes"); limit && *limit < no_limit)
    bytes = std::min(bytes, left_of(*limit, number_in(here / "memory.usage_in_bytes"),
                                    number_of(here / "memory.stat", "total_inactive_file")));
  return bytes;
}

FreeMemory free_on_machine() {
  if (const char* given = std::getenv("HILLOCK_MEMORY"); given && *given)
    return {size_in(given), "HILLOCK_MEMORY", true};
  FreeMemory free{without_limit, "of this machine's memory"};
  if (const auto kilobytes = number_of("/proc/meminfo", "MemAvailable:"))
    free.bytes = *kilobytes * 1024;
  if (const double group = free_in_own_groups(); group < free.bytes)
    free = {group, "the limit of the control group"};
  return free;
}

FreeMemory free_addresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return {without_limit, ""};
  const double pages = number_in("/proc/self/statm").value_or(0);
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return {std::max(0.0, static_cast<double>(limit.rlim_cur) - pages * page_bytes), "ulimit -v"};
}

}  // namespace hillock::command
