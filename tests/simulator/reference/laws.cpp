// A unit of its own, with a name for its instruction set that nobody else has: what it makes of the
// evaluators' templates is no other unit's.

#include "tests/simulator/reference/long_double.hpp"

// Behind the mathematics of long doubles.
#include <map>
#include <stdexcept>
#include <string>

#include "mechanisms/emitted/all.hpp"
#include "tests/simulator/reference/make_law.hpp"

namespace hillock::simulator::reference {

namespace {

using namespace mechanisms;

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
