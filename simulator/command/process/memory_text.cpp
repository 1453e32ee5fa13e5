#include "simulator/command/process/memory_text.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "core/program/asker.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/free_memory.hpp"

namespace hillock::command {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

bool is_lack_of_threads(const std::exception& failure) {
  const auto* problem = dynamic_cast<const std::system_error*>(&failure);
  return problem && problem->code() == std::errc::resource_unavailable_try_again;
}

/// What takes less memory.
std::string_view advice(Asked asked) {
  switch (asked) {
    case Asked::cells:
      return "Fewer cells or compartments need less, and so do fewer threads";
    case Asked::connections:
      return "Fewer connections need less, also those that share weights and delays, and so do "
             "fewer threads";
    case Asked::spikes:
      return "Cells that spike less need less, and so do fewer connections and shorter delays";
    case Asked::record:
      return "Records of fewer cells or places need less, and so does a longer interval between "
             "samples (every)";
    case Asked::anything:
      break;
  }
  return "Fewer cells, compartments or connections need less, and so do fewer recorded columns and "
         "fewer threads";
}

/// How much memory this process has held, and how much there is.
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
  return text;
}

/// Of a request that failed, who made it and how large it was, where that is known.
std::string request_text(const Refused* refused) {
  if (!refused) return "";
  const std::string size = size_text(static_cast<double>(refused->bytes()));
  return refused->who().empty() ? fmt::format(": a request for {} was refused", size)
                                : fmt::format(": {} asked for {} more", refused->who(), size);
}

std::string exhaustion_text(const std::exception& failure) {
  const auto* refused = dynamic_cast<const Refused*>(&failure);
  return fmt::format("out of memory while {}{}. {}. {}; 'hillock info' says what takes how much",
                     current_activity().look().what, request_text(refused), memory_text(),
                     advice(refused ? refused->asked() : Asked::anything));
}

}  // namespace

std::string size_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

double available_bytes() {
  return std::min(free_on_machine().bytes, free_addresses().bytes);
}

std::size_t program_bytes() {
  std::ifstream file("/proc/self/status");
  std::size_t anonymous = 0, code = 0;  // kB
  for (std::string name; file >> name;) {
    std::size_t value = 0;
    if (name == "RssAnon:" && file >> value) anonymous = value;
    if ((name == "VmExe:" || name == "VmLib:") && file >> value) code += value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  // Constants lie in pages of their own, and come into memory with their neighbours: where files
  // are in the system's cache in large pieces, some twentieth of the code.
  return (anonymous + code + code / 20) * 1024;
}

bool is_exhaustion(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) ||
         dynamic_cast<const std::length_error*>(&failure) || is_lack_of_threads(failure);
}

std::string describe(const std::exception& failure) {
  if (is_lack_of_threads(failure))
    return "no more threads can be started: memory or the limit of processes (ulimit -u) is used "
           "up. " +
           memory_text() + ". Fewer threads need less";
  if (is_exhaustion(failure)) return exhaustion_text(failure);
  return failure.what();
}

}  // namespace hillock::command
