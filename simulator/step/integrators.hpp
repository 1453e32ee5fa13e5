#pragma once
// The integrators that a model may name, each in a file of integrators/.

#include <stdexcept>

#include "models/network.hpp"
#include "simulator/step/integrators/backward_euler.hpp"
#include "simulator/step/integrators/crank_nicolson.hpp"

namespace hillock::simulator::step {

/// Calls body with the integrator; returns what it returns.
template <class Body>
decltype(auto) with_integrator(models::Integrator integrator, const Body& body) {
  switch (integrator) {
    case models::Integrator::backward_euler:
      return body(BackwardEuler{});
    case models::Integrator::crank_nicolson:
      return body(CrankNicolson{});
  }
  throw std::logic_error("an integrator that no step knows");
}

inline double implicit_steps(models::Integrator integrator) {
  return with_integrator(integrator, [](auto its) { return decltype(its)::implicit_steps; });
}
/// For programs that are written: its type, and its file in integrators/.
inline const char* type_of(models::Integrator integrator) {
  return with_integrator(integrator, [](auto its) { return decltype(its)::type; });
}
inline const char* header_of(models::Integrator integrator) {
  return with_integrator(integrator, [](auto its) { return decltype(its)::header; });
}
inline bool extrapolates(models::Integrator integrator) {
  return with_integrator(integrator, [](auto its) { return decltype(its)::extrapolates; });
}

}  // namespace hillock::simulator::step
