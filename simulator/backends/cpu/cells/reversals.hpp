#pragma once
// Reversal potentials that follow concentrations, at places side by side: loops compiled once for
// each instruction set (core/simd/isa.hpp).

#include <cstddef>

#include "core/simd/isa.hpp"

namespace hillock::simulator::cpu {

struct Reversals {
  const double* factor_mV = nullptr;  ///< RT/(zF)
  const double* inside_mM = nullptr;
  const double* outside_mM = nullptr;
  double* reversal_mV = nullptr;  ///< out: step/nernst.hpp
  std::size_t count = 0;
};

/// Sets reversal potentials: the same bits with every instruction set.
void set_reversals(const Reversals& of, Isa isa);

}  // namespace hillock::simulator::cpu
