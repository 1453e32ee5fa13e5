#pragma once
// Which arrangement and kernel the GPU should use for a batch: what `auto` means in this family.

#include <cstddef>
#include <string>

#include "solver/thomas/arrangement.hpp"

namespace hillock::solver {

/// sweep: one thread a system, nothing on the chip between the two sweeps; any length, any layout.
/// warp: several lanes of a warp a system, which is read and written once; layouts flat and
/// compact, up to longest_thomas_split rows.
enum class ThomasKernel { sweep, warp };

const char* name_of(ThomasKernel kernel);

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

struct ThomasChoice {
  ThomasLayout layout = ThomasLayout::flat;
  ThomasKernel kernel = ThomasKernel::warp;
  ThomasSplit split;
  std::string reason;  ///< one line for people
};

/// For systems of one length.
ThomasChoice choose_thomas(std::size_t rows, std::size_t systems, std::size_t bytes_of_a_number);

}  // namespace hillock::solver
