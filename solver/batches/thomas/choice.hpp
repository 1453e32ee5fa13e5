#pragma once
// Which arrangement and kernel the GPU should use for a batch: what `auto` means in this family.

#include <cstddef>
#include <string>

#include "solver/batches/thomas/arrangement.hpp"
#include "solver/choice/thomas_split.hpp"

namespace hillock::solver {

/// sweep: one thread a system, nothing on the chip between the two sweeps; any length, any layout.
/// warp: several lanes of a warp a system, which is read and written once; layouts flat and
/// compact, up to longest_thomas_split rows.
enum class ThomasKernel { sweep, warp };

const char* name_of(ThomasKernel kernel);

struct ThomasChoice {
  ThomasLayout layout = ThomasLayout::flat;
  ThomasKernel kernel = ThomasKernel::warp;
  ThomasSplit split;
  std::string reason;  ///< one line for people
};

/// For systems of one length.
ThomasChoice choose_thomas(std::size_t rows, std::size_t systems, std::size_t bytes_of_a_number);

}  // namespace hillock::solver
