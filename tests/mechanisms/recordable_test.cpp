// Which variables of a .mod file a user may record.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace hillock::nmodl {
namespace {

/// The variables that a recording may name, parameters left out.
std::set<std::string> recordable(const std::string& text) {
  const Checked checked = check_text("x.mod", text);
  EXPECT_TRUE(checked.module);
  if (!checked.module) return {};
  const EvaluatorIr evaluator = lower(*checked.module, {});
  std::set<std::string> names;
  const auto shown = static_cast<std::ptrdiff_t>(evaluator.assigned.size()) - evaluator.hidden;
  for (auto v = evaluator.assigned.begin(); v != evaluator.assigned.begin() + shown; ++v)
    names.insert(v->name);
  const auto states = static_cast<std::ptrdiff_t>(evaluator.states.size());
  for (auto v = evaluator.states.begin();
       v != evaluator.states.begin() + states - evaluator.hidden_states; ++v)
    names.insert(v->name);
  return names;
}

using Names = std::set<std::string>;

TEST(Recordable, ACurrentNeedsNoRange) {
  EXPECT_EQ(recordable("NEURON { SUFFIX x NONSPECIFIC_CURRENT i RANGE g, e }\n"
                       "PARAMETER { g = 0.001 (S/cm2) e = -70 (mV) }\n"
                       "ASSIGNED { v (mV) i (mA/cm2) }\n"
                       "BREAKPOINT { i = g*(v - e) }"),
            Names{"i"});
  EXPECT_EQ(recordable("NEURON { POINT_PROCESS x NONSPECIFIC_CURRENT i, j }\n"
                       "ASSIGNED { v (mV) i (nA) j (nA) }\n"
                       "BREAKPOINT { i = v/1000 j = 2*i }"),
            (Names{"i", "j"}));
  EXPECT_EQ(recordable("NEURON { POINT_PROCESS x ELECTRODE_CURRENT inject }\n"
                       "ASSIGNED { inject (nA) }\n"
                       "BREAKPOINT { inject = 0.1*t }"),
            Names{"inject"});
  EXPECT_EQ(recordable("NEURON { SUFFIX x USEION k READ ek WRITE ik NONSPECIFIC_CURRENT rest }\n"
                       "ASSIGNED { v (mV) ek (mV) ik (mA/cm2) rest (mA/cm2) }\n"
                       "BREAKPOINT { ik = v - ek rest = 0 }"),
            (Names{"ik", "rest"}));
}

TEST(Recordable, OtherAssignedVariablesNeedIt) {
  EXPECT_EQ(recordable("NEURON { SUFFIX x NONSPECIFIC_CURRENT i RANGE shown }\n"
                       "ASSIGNED { v (mV) i (mA/cm2) shown kept_to_itself }\n"
                       "STATE { n }\n"
                       "BREAKPOINT { kept_to_itself = v shown = kept_to_itself i = n*shown }"),
            (Names{"i", "n", "shown"}));
}

/// What an engine puts in and takes out is no variable of the file.
TEST(Recordable, APointNeuronHasItsOwnVoltageAndInjectedCurrent) {
  EXPECT_EQ(recordable("NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i RANGE v }\n"
                       "ASSIGNED { v (mV) i (nA) arrived }\n"
                       "BREAKPOINT { v = v + dt*(i + arrived) arrived = 0\n"
                       "  if (v > 1) { net_event(t) v = 0 } }\n"
                       "NET_RECEIVE(w) { if (w > 0) { arrived = arrived + w } }"),
            (Names{"i", "v"}));
}

}  // namespace
}  // namespace hillock::nmodl
