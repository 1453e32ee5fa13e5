#pragma once
// The mechanisms Hillock knows: their signatures for `io`, their loops for the backends.

#include <string>
#include <vector>

#include "core/signature.hpp"
#include "mechanisms/cpu_kernels.hpp"

namespace hillock::mechanisms {

/// A mechanism with its outside and its loops.
struct Mechanism {
  MechanismSignature signature;
  CpuKernels scalar;
  CpuKernels pack4;
  CpuKernels pack8;

  /// Loops for 1, 4 or 8 lanes.
  const CpuKernels& kernels(int lanes) const;
  /// The variable's place in the evaluator's struct, or -1.
  int column(const std::string& variable) const;
};

/// All built-in mechanisms.
const std::vector<Mechanism>& catalogue();

/// The mechanism of that name, or null.
const Mechanism* find_mechanism(const std::string& name);

/// What `io` checks models against.
Signatures signatures();

}  // namespace hillock::mechanisms
