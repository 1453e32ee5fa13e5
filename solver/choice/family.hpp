#pragma once
// The families of solvers and on what grounds one is chosen. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hillock::solver {

enum class Family {
  thomas,       ///< tridiagonal systems, several lanes of a warp a system
  hines,        ///< one thread (or SIMD lane) a cell
  branch,       ///< one thread a branch, level by level
  stone,        ///< recursive doubling along root paths, a block a cell
  contraction,  ///< rake and compress, a warp or a block a cell
};
inline constexpr Family all_families[] = {Family::thomas, Family::hines, Family::branch,
                                          Family::stone, Family::contraction};

const char* name_of(Family family);
/// Nothing for a name that is no family's.
std::optional<Family> family_named(std::string_view name);

/// What a solve is part of.
enum class Use {
  launch,    ///< one solve a launch: values come from device memory and go there, each in the
             ///< family's own layout
  resident,  ///< many solves in a row in one kernel, cells on the chip in between where they fit
};

/// What the model thinks of one family.
struct Estimate {
  Family family = Family::hines;
  double us = 0;       ///< a solve of the whole batch
  std::string absent;  ///< why the family cannot solve this batch; then us is 0
};

struct Choice {
  Family family = Family::hines;
  bool forced = false;
  std::vector<Estimate> estimates;  ///< of all families, in their order
  std::string reason;               ///< one line for people
};

}  // namespace hillock::solver
