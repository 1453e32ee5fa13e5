#pragma once
// What the catalogue's evaluators do with one instance, whose variables are numbers in a row.

#include "mechanisms/catalogue.hpp"

namespace hillock::simulator::reference {

/// What an instance adds to its row of (C/dt + G) v' = C/dt v + g v - i.
template <class Real>
struct Flow {
  Real g, source;
};

/// y: the variables of one instance. Real: double or long double.
template <class Real>
struct Law {
  const mechanisms::MechanismInfo* info;
  int first_changed;  ///< that `advance` may change
  bool advances;      ///< whether it has something to
  /// area: of a density mechanism, what makes its flow that of the compartment.
  Flow<Real> (*current)(Real* y, Real v_mV, const mechanisms::KernelTime&, Real area);
  void (*advance)(Real* y, Real v_mV, const mechanisms::KernelTime&);
  /// Of doubles, whatever Real is; null where it receives nothing.
  void (*receive)(double* y, double v_mV, const mechanisms::KernelTime&, mechanisms::Delivery&);
};

/// Throws std::runtime_error where the catalogue lacks it.
template <class Real>
const Law<Real>& law_of(const mechanisms::Mechanism& mechanism);

}  // namespace hillock::simulator::reference
