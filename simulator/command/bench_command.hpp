#pragma once
// hillock bench: hands over to the program hillock-bench, which is built beside this one and needs
// what this one must not (cuSPARSE).

#include <string>
#include <vector>

namespace hillock::command {

/// Becomes hillock-bench with these arguments, so that signals and the exit code are that
/// program's. Returns only by UsageError, when the program is not next to this one.
[[noreturn]] void become_bench(const std::vector<std::string>& arguments);

}  // namespace hillock::command
