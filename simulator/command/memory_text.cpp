#include "simulator/command/memory_text.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>

#include "simulator/command/current_activity.hpp"
#include "simulator/command/free_memory.hpp"

namespace hillock::command {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

bool is_lack_of_threads(const std::exception& failure) {
  const auto* problem = dynamic_cast<const std::system_error*>(&failure);
  return problem && problem->code() == std::errc::resource_unavailable_try_again;
}

/// How much memory this process has held, how much there is, and what helps.
std::string memory_text() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::string text = fmt::format("This process held {} at most",
                                 size_text(static_cast<double>(used.ru_maxrss) * 1024));
  if (const double available = available_bytes(); available < unknown)
    text += fmt::format("; {} are available now", size_text(available));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    text += fmt::format("; its addresses are limited to {} (ulimit -v)",
                        size_text(static_cast<double>(limit.rlim_cur)));
  return text + ". Fewer cells, compartments or connections need less, and so do fewer threads";
}

}  // namespace

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

double available_bytes() {
  return std::min(free_on_machine().bytes, free_addresses().bytes);
}

std::size_t program_bytes() {
  std::ifstream file("/proc/self/status");
  std::size_t kilobytes = 0;
  for (std::string name; file >> name;) {
    std::size_t value = 0;
    if ((name == "RssAnon:" || name == "VmExe:" || name == "VmLib:") && file >> value)
      kilobytes += value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kilobytes * 1024;
}

bool is_exhaustion(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) ||
         dynamic_cast<const std::length_error*>(&failure) || is_lack_of_threads(failure);
}

std::string describe(const std::exception& failure) {
  if (is_lack_of_threads(failure))
    return "no more threads can be started: memory or the limit of processes (ulimit -u) is used "
           "up. " +
           memory_text();
  if (is_exhaustion(failure))
    return fmt::format("out of memory while {}. {}", current_activity().look().what, memory_text());
  return failure.what();
}

}  // namespace hillock::command
