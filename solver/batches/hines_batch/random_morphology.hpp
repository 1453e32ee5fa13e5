#pragma once
// Random trees of a given number of compartments and branches, for tests and benchmarks. No
// geometry.

#include <array>
#include <cstdint>
#include <vector>

namespace hillock::solver {

struct MorphologyClass {
  const char* name;
  int compartments;
  int branches;
};

/// The six classes of Martínez' study of cuHinesBatch.
inline constexpr std::array<MorphologyClass, 6> morphology_classes{{
    {"small-low", 76, 7},
    {"small-high", 76, 29},
    {"medium-low", 305, 30},
    {"medium-high", 319, 157},
    {"big-low", 695, 66},
    {"big-high", 691, 341},
}};

/// Parents, [compartments], in Hines order: a parent precedes its children. A branch is a maximal
/// run of compartments without forks; the root starts the first one. Every fork has two tines, but
/// for one of three where the number of branches is even.
/// Lengths are random, at least 1. Equal arguments give equal trees on every machine.
/// Throws UsageError when such a tree does not exist: branches < 1, = 2, or > compartments.
std::vector<int> random_morphology(int compartments, int branches, std::uint64_t seed);

/// Maximal runs without forks in a tree.
int count_branches(const std::vector<int>& parent);

}  // namespace hillock::solver
