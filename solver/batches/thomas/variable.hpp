#pragma once
// Where the numbers of a batch of tridiagonal systems of different lengths lie. Plain data, made
// once from the lengths; solves nothing.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/batches/thomas/arrangement.hpp"

namespace hillock::solver {

/// padded   every system padded to the longest and fully interleaved (Martínez 2018, section 3.3)
/// sorted   systems sorted by length, interleaved in groups of a warp, each group padded to its own
///          longest: one thread a system without divergence, almost no padding
/// compact  flat, one system after the other, each start on a 16-byte border: a warp a system,
///          no padding to speak of
enum class ThomasVariableLayout { padded, sorted, compact };

const char* name_of(ThomasVariableLayout layout);

/// Systems are kept in slots; a slot is the place of one system in the order of memory.
struct ThomasVariableArrangement {
  ThomasVariableLayout layout = ThomasVariableLayout::compact;
  std::vector<std::uint32_t> system;  ///< [slot] whose system this is
  std::vector<std::uint32_t> size;    ///< [slot] rows
  std::vector<std::uint64_t> start;   ///< [slot] place of (row 0, lower), in numbers
  std::uint32_t longest = 0;          ///< rows of the longest system
  std::size_t row_stride = 1;
  std::size_t field_stride = 0;
  std::size_t storage = 0;      ///< numbers in the whole buffer, padding included
  std::size_t rows_in_all = 0;  ///< rows of all systems, padding left out

  std::size_t index(ThomasField field, std::size_t row, std::size_t slot) const {
    return start[slot] + row * row_stride + static_cast<std::size_t>(field) * field_stride;
  }
};

/// sizes: [system] rows, each at least 1. Deterministic: equal lengths keep their order.
/// Throws InvalidBatch when there is no system or a size is 0.
ThomasVariableArrangement arrange(ThomasVariableLayout layout,
                                  std::span<const std::uint32_t> sizes);

/// Copy a batch from one arrangement to another of the same systems; padding becomes rows of the
/// identity. Throws InvalidBatch when the systems or the buffer's size differ.
template <class Real>
void convert(const ThomasVariableArrangement& from, const std::vector<Real>& values,
             const ThomasVariableArrangement& to, std::vector<Real>& result);

}  // namespace hillock::solver
