#pragma once
// The built-in mechanisms: their signatures for `io`, their loops for the backends.

#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/signature.hpp"
#include "core/simd/isa.hpp"
#include "core/simd/lane_array.hpp"
#include "mechanisms/kernels.hpp"

namespace hillock::mechanisms {

/// What gates and rates are computed with.
enum class Arithmetic { of_doubles, mixed };

struct OwnLoops;  // mechanisms/load

/// A mechanism with its outside, its loops and its source. Built-in and loaded ones are alike.
struct Mechanism {
  MechanismSignature signature;
  const MechanismInfo* info = nullptr;
  const KernelSet* kernel_sets[isa_count] = {};  ///< [Isa], null where the build lacks it
  /// [Isa] the same with floats where these do.
  const KernelSet* mixed_sets[isa_count] = {};
  /// Of one from a file: where loops come to lie that make_ready() is asked for; else null.
  std::shared_ptr<OwnLoops> own_loops;
  /// The emitted C++, for engines that compile their own loops: a header that includes some of
  /// embedded_headers().
  std::string source;
  std::string evaluator;  ///< the struct in `source`, of namespace hillock::mechanisms

  /// Loops for 1, 4 or 8 lanes. Throws std::logic_error where nobody made them ready.
  const CpuKernels& kernels(int lanes, Isa isa = active_isa(),
                            Arithmetic arithmetic = Arithmetic::of_doubles) const;
  /// The variable's index in the evaluator's struct, or -1.
  int column(const std::string& variable) const;
  /// What supplies the variable of a column, or null: parameters, states and assigned.
  const Coupling* supplier(std::size_t column) const;
};

/// All built-in mechanisms: those of mechanisms/catalogue, in the order of their names.
const std::vector<Mechanism>& catalogue();

}  // namespace hillock::mechanisms
