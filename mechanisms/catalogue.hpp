#pragma once
// The built-in mechanisms: their signatures for `io`, their loops for the backends.

#include <string>
#include <vector>

#include "core/lane_array.hpp"
#include "core/signature.hpp"
#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms {

/// A mechanism with its outside and its loops.
struct Mechanism {
  MechanismSignature signature;
  const MechanismInfo* info = nullptr;
  const KernelSet* kernel_sets[isa_count];  ///< [Isa], null where the build lacks it
  bool is_linear = false;                   ///< evaluator.hpp says what these mean
  bool is_constant = false;

  /// Loops for 1, 4 or 8 lanes.
  const CpuKernels& kernels(int lanes, Isa isa = active_isa()) const;
  /// The variable's place in the evaluator's struct, or -1.
  int column(const std::string& variable) const;
  /// What supplies the variable of a column, or null: parameters, states and assigned.
  const Coupling* supplier(std::size_t column) const;
};

/// What `io` may know of a mechanism.
MechanismSignature signature_of(const MechanismInfo& info);

/// All built-in mechanisms.
const std::vector<Mechanism>& catalogue();

}  // namespace hillock::mechanisms
