#pragma once
// How a tridiagonal system is cut into the lanes of a warp.

#include <cstddef>

namespace hillock::solver {

/// How the warp kernel cuts a system: `lanes` lanes of `rows_a_lane` consecutive rows each.
struct ThomasSplit {
  int lanes = 32;  ///< 8, 16 or 32
  int rows_a_lane = 3;
  std::size_t most_rows() const { return static_cast<std::size_t>(lanes * rows_a_lane); }
};

/// Rows of the longest system that the warp kernel solves.
inline constexpr std::size_t longest_thomas_split = 32 * 33;

/// The split for one length: rows a lane are odd, so that the lanes of a warp read different banks
/// of shared memory; few systems get more lanes each. Throws UsageError beyond
/// longest_thomas_split.
ThomasSplit choose_split(std::size_t rows, std::size_t systems);

}  // namespace hillock::solver
