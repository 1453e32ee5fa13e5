#pragma once
// What evaluators do with one instance, whose variables are numbers in a row.

#include "mechanisms/catalogue.hpp"

namespace hillock::simulator::reference {

/// What an instance adds to its row of (C/dt + G) v' = C/dt v + g v - i.
template <class Real>
struct Flow {
  Real g, source;
};

/// y: the variables of one instance.
template <class Real>
struct Law {
  const mechanisms::MechanismInfo* info;
  int first_changed;  ///< that `advance` may change
  bool advances;      ///< whether it has something to
  /// area: of a density mechanism, what makes its flow that of the compartment.
  Flow<Real> (*current)(Real* y, Real v_mV, const mechanisms::KernelTime&, Real area);
  void (*advance)(Real* y, Real v_mV, const mechanisms::KernelTime&);
  /// INITIAL; null of doubles and long doubles.
  void (*initialise)(Real* y, Real v_mV, const mechanisms::KernelTime&);
  /// arguments: of the event's connection. Null where it receives nothing.
  void (*receive)(Real* y, Real v_mV, const mechanisms::KernelTime&, Real* arguments);
};

/// Throws std::runtime_error where there is none.
template <class Real>
const Law<Real>& law_of(const mechanisms::Mechanism& mechanism);

}  // namespace hillock::simulator::reference
