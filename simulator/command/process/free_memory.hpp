#pragma once
// How much memory a process may still take.

#include <string>

namespace hillock::command {

/// So many bytes, and what sets this limit, in words; infinite when the system does not say.
struct FreeMemory {
  double bytes = 0;
  std::string limit;
  bool is_whole = false;  ///< of the processes as a whole, not beyond what they have
};

/// Of this machine, for all processes of the run on it: what the system has to give
/// (MemAvailable), or what is left of the limit of this process's control group or of one above it
/// (cgroup v2 or v1) where that is less. HILLOCK_MEMORY (bytes, or 500M, 16G) says otherwise.
/// Throws UsageError when that is no size.
FreeMemory free_on_machine();

/// Of the addresses of this process (ulimit -v).
FreeMemory free_addresses();

/// What is left in a control group whose files are in `folder`: of version 2, or of version 1's
/// memory controller. Infinite without a limit. For tests.
double free_in_group(const std::string& folder);

}  // namespace hillock::command
