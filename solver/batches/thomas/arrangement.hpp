#pragma once
// Where the numbers of a batch of tridiagonal systems of one length lie in memory. Plain data and
// index arithmetic; solves nothing. Batches of different lengths: variable.hpp.
//
// A system is lower[i]·x[i-1] + diagonal[i]·x[i] + upper[i]·x[i+1] = rhs[i]; lower[0] and
// upper[rows-1] may hold anything.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/arithmetic.hpp"
#include "solver/batch.hpp"

namespace hillock::solver {

/// The four numbers of a row, in the order in which they are stored.
enum class ThomasField : int { lower = 0, diagonal = 1, upper = 2, rhs = 3 };
inline constexpr std::size_t thomas_fields = 4;

/// The orders of Martínez 2018, section 3. Systems s, rows i:
///   flat              s0i0 s0i1 s0i2 … s1i0 s1i1 …          one array a field
///   interleaved       s0i0 s1i0 s2i0 … s0i1 s1i1 …          one array a field
///   unified_vector    row 0: all lower, all diagonal, all upper, all rhs; row 1: …   one array
///   block_interleaved interleaved within groups of `lanes` systems, one group after the other
enum class ThomasLayout { flat, interleaved, unified_vector, block_interleaved };

const char* name_of(ThomasLayout layout);

/// Index arithmetic of every layout at once, in numbers (not bytes).
struct ThomasArrangement {
  ThomasLayout layout = ThomasLayout::flat;
  std::size_t rows = 0;  ///< of each system
  std::size_t systems = 0;
  std::size_t lanes = 1;         ///< systems side by side in a group
  std::size_t row_stride = 1;    ///< from a row to the next one of the same system
  std::size_t group_stride = 0;  ///< from a group of lanes to the next
  std::size_t field_stride = 0;  ///< from a row's lower to its diagonal, to its upper, to its rhs
  std::size_t storage = 0;       ///< numbers in the whole buffer, padding included

  /// Place of (row 0, lower) of a system.
  HILLOCK_SOLVER_FUNCTION std::size_t start(std::size_t system) const {
    return system / lanes * group_stride + system % lanes;
  }
  HILLOCK_SOLVER_FUNCTION std::size_t index(ThomasField field, std::size_t row,
                                            std::size_t system) const {
    return start(system) + row * row_stride + static_cast<std::size_t>(field) * field_stride;
  }
};

/// Arrays of separate fields start on multiples of this many numbers (vector loads, bulk copies).
inline constexpr std::size_t thomas_field_alignment = 64;

/// lanes: systems in a group of block_interleaved; ignored by the others.
/// Throws InvalidBatch when rows or systems is 0, UsageError when lanes is.
ThomasArrangement arrange(ThomasLayout layout, std::size_t rows, std::size_t systems,
                          std::size_t lanes = 32);

/// Copy a batch from one arrangement to another of the same rows and systems; padding becomes rows
/// of the identity (diagonal 1, the rest 0). from: [from.storage]; to: [to.storage].
/// Throws InvalidBatch when shapes or buffers differ from the arrangements.
template <class Real>
void convert(const ThomasArrangement& from, const std::vector<Real>& values,
             const ThomasArrangement& to, std::vector<Real>& result);

/// Bytes that any solver must move: every coefficient and right-hand side in, every solution out,
/// once: 5·rows·systems·sizeof(Real).
std::size_t necessary_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number);

/// Bytes that one thread a system moves when nothing stays on the chip between its two sweeps:
/// forward 4 in and 2 out, back 2 in and 1 out: 9·rows·systems·sizeof(Real).
std::size_t two_sweep_bytes(std::size_t rows_in_all, std::size_t bytes_of_a_number);

}  // namespace hillock::solver
