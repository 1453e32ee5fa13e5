// Point neurons (ARTIFICIAL_CELL with a BREAKPOINT) that break a rule:
// the whole of what is reported is expected, each as line:column: message.

#include "tests/mechanisms/nmodl/malformed.hpp"

namespace hillock::nmodl {
namespace {

class MalformedPointNeuron : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedPointNeuron, IsRefusedWithPlaceAndMessage) {
  expect_errors(GetParam());
}

#define ONLY_ADDS                                                                          \
  "NET_RECEIVE of a point neuron only adds multiples of its weight to STATE and ASSIGNED " \
  "variables, x = x + k*w where it does not change k, and may tell weights apart by "      \
  "if (w > 0) { } else { }\n"

const Malformed of_point_neurons[] = {
    {"NoMembraneForACurrent",
     "NEURON { ARTIFICIAL_CELL x NONSPECIFIC_CURRENT i }\n"
     "BREAKPOINT { }",
     "1:48: an ARTIFICIAL_CELL has no membrane for a current\n"},
    {"NoIons",
     "NEURON { ARTIFICIAL_CELL x USEION ca READ cai }\n"
     "BREAKPOINT { }",
     "1:35: a point neuron has no membrane, and no USEION\n"},
    {"NoPointer",
     "NEURON { ARTIFICIAL_CELL x POINTER p }\n"
     "BREAKPOINT { }",
     "1:36: a point neuron has no membrane, and no POINTER\n"},
    {"VoltageOfNoMembrane",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "PARAMETER { v (mV) }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = v }",
     "4:18: a point neuron has no membrane: its own 'v' is declared in STATE or ASSIGNED\n"},
    {"AreaOfNoMembrane",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = area + diam }",
     "3:18: a point neuron has no membrane, and no 'area'\n"
     "3:25: a point neuron has no membrane, and no 'diam'\n"},
    {"InjectedCurrentUndeclared",
     "NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i }\n"
     "BREAKPOINT { }",
     "1:46: the ELECTRODE_CURRENT 'i' of a point neuron is declared in ASSIGNED, with the unit of "
     "stimuli\n"},
    {"InjectedCurrentIsAState",
     "NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i }\n"
     "STATE { i }\n"
     "BREAKPOINT { }",
     "1:46: the ELECTRODE_CURRENT 'i' of a point neuron is declared in ASSIGNED, with the unit of "
     "stimuli\n"},
    {"TwoInjectedCurrents",
     "NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i, j }\n"
     "ASSIGNED { i (nA) j (nA) }\n"
     "BREAKPOINT { }",
     "1:49: a point neuron has one ELECTRODE_CURRENT\n"},
    {"InjectedCurrentAssigned",
     "NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i }\n"
     "ASSIGNED { i (nA) }\n"
     "INITIAL { i = 0 }\n"
     "BREAKPOINT { i = 1 }\n"
     "NET_RECEIVE(w) { i = i + w }",
     "3:11: 'i' is set by stimuli and cannot be assigned\n"
     "4:14: 'i' is set by stimuli and cannot be assigned\n"
     "5:18: 'i' is set by stimuli and cannot be assigned\n"},
    {"SpikesAtATime",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { net_event(t + dt) }",
     "2:26: a point neuron spikes at a step's end, net_event(t), or at its beginning, "
     "net_event(t - dt)\n"},
    {"SpikesAtTwoTimes",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT {\n"
     "  if (a > 1) { net_event(t - dt) }\n"
     "  if (a > 2) { net_event(t) }\n"
     "}",
     "5:26: the spikes of a point neuron all have the time of a step's end, or all of its "
     "beginning, as in line 4\n"},
    {"SpikesElsewhere",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { }\n"
     "PROCEDURE p() { net_event(t) }\n"
     "NET_RECEIVE(w) { net_event(t) }",
     "3:17: net_event of a point neuron stands in BREAKPOINT, not in PROCEDURE p\n"
     "4:18: net_event of a point neuron stands in BREAKPOINT, not in NET_RECEIVE\n"
     "4:28: NET_RECEIVE of a point neuron does not know the time: the inputs of a step are added "
     "together; BREAKPOINT knows it\n"},
    {"SendsItself",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "INITIAL { net_send(1, 1) }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { net_send(1, 1)\n"
     " net_move(3) }",
     "2:11: a point neuron has no net_send: its BREAKPOINT runs in every step\n"
     "4:18: a point neuron has no net_send: its BREAKPOINT runs in every step\n"
     "5:2: a point neuron has no net_move: its BREAKPOINT runs in every step\n"},
    {"Watches",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = 1 }\n"
     "NET_RECEIVE(w) { WATCH (a > 1) 2 }",
     "4:18: a point neuron has no WATCH: its BREAKPOINT, which runs in every step, can test the "
     "condition\n"},
    {"LooksAtConnections",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { FOR_NETCONS (u) { } }",
     "3:18: a point neuron has no FOR_NETCONS: the inputs of a step are added together\n"},
    {"ConnectionsThatBegin",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { INITIAL { w = 1 } }",
     "3:18: connections to a point neuron have the weight alone, and no INITIAL\n"},
    {"MoreThanTheWeight",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w, u) { }",
     "3:16: NET_RECEIVE of a point neuron takes the weight alone: the inputs of a step are added "
     "together\n"},
    {"NotEvenTheWeight",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE() { }",
     "3:1: NET_RECEIVE of a point neuron takes the weight alone: the inputs of a step are added "
     "together\n"},
    {"InputsThatKnowTheTime",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { a = a + t*w }",
     "4:26: NET_RECEIVE of a point neuron does not know the time: the inputs of a step are added "
     "together; BREAKPOINT knows it\n"},
    {"InputsThatSet",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = 0 }\n"
     "NET_RECEIVE(w) { a = w }",
     "4:18: " ONLY_ADDS},
    {"InputsThatScale",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = 0 }\n"
     "NET_RECEIVE(w) { a = a*w }",
     "4:18: " ONLY_ADDS},
    {"InputsThatCount",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = 0 }\n"
     "NET_RECEIVE(w) { a = a + 1 }",
     "4:18: " ONLY_ADDS},
    {"InputsToThePower",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { a = 0 }\n"
     "NET_RECEIVE(w) { a = a + w*w\n"
     " a = a + exp(w)\n"
     " a = a + w^2 }",
     "4:18: " ONLY_ADDS "5:2: " ONLY_ADDS "6:2: " ONLY_ADDS},
    {"InputsByWhatTheyChange",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "STATE { a b }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { a = a + w\n"
     " b = b + f(1)*w }\n"
     "FUNCTION f(x) { f = a*x }",
     "5:2: " ONLY_ADDS},
    {"InputsByDraws",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "STATE { a }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { a = a + scop_random()*w }",
     "4:18: " ONLY_ADDS},
    {"InputsToAParameter",
     "NEURON { ARTIFICIAL_CELL x RANGE p }\n"
     "PARAMETER { p = 1 }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { p = p + w }",
     "4:18: " ONLY_ADDS},
    {"InputsUnderACondition",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "STATE { a }\n"
     "BREAKPOINT { }\n"
     "NET_RECEIVE(w) { if (a > 0) { a = a + w }\n"
     " if (w > 1) { a = a + w }\n"
     " if (flag == 0) { a = a + w } }",
     "4:24: " ONLY_ADDS "5:8: " ONLY_ADDS "6:11: " ONLY_ADDS},
    {"InputsThatDoMore",
     "NEURON { ARTIFICIAL_CELL x }\n"
     "STATE { a }\n"
     "BREAKPOINT { }\n"
     "PROCEDURE p() { a = 1 }\n"
     "NET_RECEIVE(w) { LOCAL b\n"
     " p()\n"
     " while (a > 0) { a = a - w } }",
     "5:18: " ONLY_ADDS "6:2: " ONLY_ADDS "7:2: " ONLY_ADDS},
};

INSTANTIATE_TEST_SUITE_P(Files, MalformedPointNeuron, testing::ValuesIn(of_point_neurons),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hillock::nmodl
