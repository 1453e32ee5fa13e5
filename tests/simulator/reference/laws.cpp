// A unit of its own, with a name for its instruction set that nobody else has: what it makes of the
// evaluators' templates is no other unit's.

#include "tests/simulator/reference/long_double.hpp"

// Behind the mathematics of long doubles.
#include <map>
#include <stdexcept>
#include <string>

#include "mechanisms/emitted/all.hpp"
#include "mechanisms/instance_law.hpp"
#include "tests/simulator/reference/laws.hpp"

namespace hillock::simulator::reference {

namespace {

using namespace mechanisms;

template <class E, class Real>
using VariablesOf = typename E::template Variables<Real>;

template <class E, class Real>
VariablesOf<E, Real>& variables_in(Real* y) {
  static_assert(E::info.count() == 0 ||
                sizeof(VariablesOf<E, Real>) == E::info.count() * sizeof(Real));
  return *reinterpret_cast<VariablesOf<E, Real>*>(y);
}

template <class Real>
Instant<Real> instant(Real v_mV, const KernelTime& time) {
  return {v_mV, time.time_ms, time.dt_ms, time.celsius, time.implicit_dt_ms, time.given};
}

template <class E, class Real>
Flow<Real> current(Real* y, Real v_mV, const KernelTime& time, Real area) {
  const auto flow = E::template current<Real>(variables_in<E, Real>(y), instant<Real>(v_mV, time));
  const RowFlow<Real> row = row_flow<E>(flow, v_mV, [&] { return area; });
  return {row.g, row.source};
}

template <class E, class Real>
void advance(Real* y, Real v_mV, const KernelTime& time) {
  E::template advance<Real>(variables_in<E, Real>(y), instant<Real>(v_mV, time));
}

template <class E>
void receive(double* y, double v_mV, const KernelTime& time, Delivery& event) {
  E::receive(variables_in<E, double>(y), instant(v_mV, time), event);
}

template <class E, class Real>
Law<Real> make_law() {
  Law<Real> law{&E::info,         first_changed<E>, advances<E>,
                current<E, Real>, advance<E, Real>, nullptr};
  if constexpr (E::info.receives_events) law.receive = receive<E>;
  return law;
}

template <class Real, class... E>
std::map<std::string, Law<Real>> make_laws(Evaluators<E...>) {
  return {{E::info.name, make_law<E, Real>()}...};
}

}  // namespace

template <class Real>
const Law<Real>& law_of(const Mechanism& mechanism) {
  static const auto laws = make_laws<Real>(BuiltinEvaluators());
  const auto found = laws.find(mechanism.signature.name);
  if (found == laws.end())
    throw std::runtime_error("the reference has no law of " + mechanism.signature.name);
  return found->second;
}

template const Law<double>& law_of(const Mechanism&);
template const Law<long double>& law_of(const Mechanism&);

}  // namespace hillock::simulator::reference
