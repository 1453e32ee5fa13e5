// Files that keep the grammar and break a rule:
// the whole of what is reported is expected, each as line:column: message.

#include "tests/mechanisms/nmodl/malformed.hpp"

namespace hillock::nmodl {
namespace {

class MalformedMeaning : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedMeaning, IsRefusedWithPlaceAndMessage) {
  expect_errors(GetParam());
}

const Malformed of_meaning[] = {
    {"UnknownVariable",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { gbar = 1 }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = gbra }",
     "4:15: 'gbra' is declared nowhere. Did you mean 'gbar'?\n"},
    {"UnknownFunction",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = expp(1) }",
     "3:15: there is no function 'expp' in this file. Did you mean 'exp'?\n"},
    {"DeclaredTwice",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a }\n"
     "ASSIGNED { b\n"
     " a }",
     "4:2: 'a' is declared twice, first in line 2\n"},
    {"FunctionNamedLikeAVariable",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { f }\n"
     "FUNCTION f() { f = 1 }",
     "3:10: 'f' names a variable and a block\n"},
    {"TwoFunctionsOfOneName",
     "NEURON { SUFFIX x }\n"
     "FUNCTION f() { f = 1 }\n"
     "PROCEDURE f() { }",
     "3:11: a second block with the name 'f'\n"},
    {"LocalTwice",
     "NEURON { SUFFIX x }\n"
     "INITIAL { LOCAL a, a\n"
     " a = 1 }",
     "2:20: 'a' is declared twice\n"},
    {"LocalThatHidesACurrent",
     "NEURON { SUFFIX x USEION na WRITE ina }\n"
     "ASSIGNED { v (mV) }\n"
     "BREAKPOINT { LOCAL g, ina\n"
     " g = 0.1\n"
     " ina = g*v }",
     "3:23: LOCAL 'ina' hides the current of that name, without CONDUCTANCE: take it out of "
     "LOCAL\n"},
    {"LocalAfterAStatement",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { b }\n"
     "INITIAL { b = 1\n"
     " LOCAL a }",
     "4:2: LOCAL stands before the first statement of its block\n"},
    {"UnknownUnit",
     "NEURON { SUFFIX x }\n"
     "UNITS { (S) = (siemens)\n"
     " (f) = (foo/ms) }",
     "3:2: the unit (foo/ms) is unknown\n"},
    {"UnknownUnitOfAConstant",
     "NEURON { SUFFIX x }\n"
     "UNITS { F = (faraday) (blob) }",
     "2:9: the unit (blob) is unknown\n"},
    {"UnitsThatDoNotConform",
     "NEURON { SUFFIX x }\n"
     "UNITS { F = (faraday) (volt) }",
     "2:9: (faraday) and (volt) are not units of the same quantity\n"},
    {"LimitsReversed",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1 <2, 0> }",
     "2:13: the limits of 'a' are reversed\n"},
    {"NotOfThisIon", "NEURON { SUFFIX x USEION na READ nai, ek }",
     "1:39: 'ek' is no variable of the ion 'na'; it has ina, ena, nai and nao\n"},
    {"IonTwice",
     "NEURON { SUFFIX x USEION na READ ena\n"
     " USEION na WRITE ina }",
     "2:9: the ion 'na' has a USEION already\n"},
    {"GlobalState",
     "NEURON { SUFFIX x GLOBAL m }\n"
     "STATE { m }",
     "1:26: the STATE 'm' cannot be GLOBAL\n"},
    {"ExternalVariable", "NEURON { SUFFIX x EXTERNAL other_y }",
     "1:28: EXTERNAL 'other_y': variables of other files are not supported\n"},
    {"TimeAssigned",
     "NEURON { SUFFIX x }\n"
     "INITIAL { t = 3 }",
     "2:11: 't' belongs to the simulator and cannot be assigned\n"},
    {"ArrayWithoutIndex",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[3] b }\n"
     "INITIAL { b = a }",
     "3:15: 'a' is an array and needs an index\n"},
    {"IndexOnScalar",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a b }\n"
     "INITIAL { b = a[1] }",
     "3:15: 'a' is no array\n"},
    {"IndexOutOfRange",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[3] }\n"
     "INITIAL { a[3] = 1 }",
     "3:11: 'a' has the elements 0 to 2\n"},
    {"LoopIndexAssigned",
     "NEURON { SUFFIX x }\n"
     "INITIAL { FROM i = 0 TO 3 { i = 2 } }",
     "2:29: 'i' cannot be assigned\n"},
    {"TooManyArguments",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "FUNCTION f(u) { f = u }\n"
     "INITIAL { a = f(1, 2) }",
     "4:15: 'f' takes 1 argument, not 2\n"},
    {"TooFewForABuiltin",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = pow(2) }",
     "3:15: 'pow' takes 2 arguments, not 1\n"},
    {"VariableCalled",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a b }\n"
     "INITIAL { a = b(2) }",
     "3:15: 'b' is a variable and stands here as a function\n"},
    {"FunctionAsAVariable",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "FUNCTION f() { f = 1 }\n"
     "INITIAL { a = f + 1 }",
     "4:15: 'f' is a block and stands here as a variable\n"},
    {"StringAsAValue",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = \"no\" }",
     "3:15: a string has no value\n"},
    {"SolveOfNothing",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "BREAKPOINT { SOLVE state METHOD cnexp }\n"
     "DERIVATIVE states { m' = -m }",
     "3:20: SOLVE names 'state', which is no block of this file. Did you mean 'states'?\n"},
    {"UnknownMethod",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "BREAKPOINT { SOLVE d METHOD gear }\n"
     "DERIVATIVE d { m' = -m }",
     "3:29: the method 'gear' is not supported\n"},
    {"MethodOfAnotherBlock",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "BREAKPOINT { SOLVE k METHOD cnexp }\n"
     "KINETIC k { ~ m -> (1) }",
     "3:29: the method 'cnexp' does not fit KINETIC k\n"},
    {"SolveInAProcedure",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "PROCEDURE p() { SOLVE d METHOD cnexp }\n"
     "DERIVATIVE d { m' = -m }",
     "3:17: SOLVE stands in BREAKPOINT or INITIAL, not in PROCEDURE p\n"},
    {"SolveInInitialWithoutSteadyState",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "INITIAL { SOLVE d METHOD cnexp }\n"
     "DERIVATIVE d { m' = -m }",
     "3:11: SOLVE in INITIAL needs STEADYSTATE: there is no time step to take\n"},
    {"SteadyStateOfAProcedure",
     "NEURON { SUFFIX x }\n"
     "INITIAL { SOLVE p STEADYSTATE sparse }\n"
     "PROCEDURE p() { }",
     "2:11: STEADYSTATE is for DERIVATIVE and KINETIC blocks\n"
     "2:31: the method 'sparse' does not fit PROCEDURE p\n"},
    {"DerivativeOfNoState",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "BREAKPOINT { SOLVE d METHOD cnexp }\n"
     "DERIVATIVE d { a' = 1 }",
     "4:16: 'a' has a derivative and is no STATE\n"},
    {"SecondDerivative",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "BREAKPOINT { SOLVE d METHOD euler }\n"
     "DERIVATIVE d { m'' = 1 }",
     "4:16: derivatives of second and higher order are not supported\n"},
    {"DerivativeOutsideItsBlock",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "INITIAL { m' = 1 }",
     "3:11: an equation for m' stands in DERIVATIVE, not in INITIAL\n"},
    {"ReactionOutsideKinetic",
     "NEURON { SUFFIX x }\n"
     "STATE { a b }\n"
     "INITIAL { ~ a <-> b (1, 1) }",
     "3:11: a reaction stands in KINETIC, not in INITIAL\n"},
    {"EquationOutsideLinear",
     "NEURON { SUFFIX x }\n"
     "STATE { a }\n"
     "INITIAL { ~ a = 1 }",
     "3:11: an equation stands in LINEAR or NONLINEAR, not in INITIAL\n"},
    {"ConserveOfNoState",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { c }\n"
     "STATE { a }\n"
     "BREAKPOINT { SOLVE k METHOD sparse }\n"
     "KINETIC k { ~ a -> (1)\n"
     " CONSERVE a + c = 1 }",
     "6:15: 'c' in CONSERVE is no STATE\n"},
    {"TableOfTwoArguments",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "PROCEDURE p(u, w) { TABLE a FROM 0 TO 1 WITH 10\n"
     " a = u }",
     "3:21: TABLE needs exactly one argument, and PROCEDURE p has 2\n"},
    {"TableNamesInAFunction",
     "NEURON { SUFFIX x }\n"
     "FUNCTION f(u) { TABLE f FROM 0 TO 1 WITH 10\n"
     " f = u }",
     "2:23: TABLE in a FUNCTION names no variables: its value is what is tabulated\n"},
    {"TableOutsideAFunction",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { TABLE a FROM 0 TO 1 WITH 10 }",
     "3:11: TABLE stands in FUNCTION or PROCEDURE, not in INITIAL\n"},
    {"TableOfNothing",
     "NEURON { SUFFIX x }\n"
     "PROCEDURE p(u) { TABLE FROM 0 TO 1 WITH 10 }",
     "2:18: TABLE in a PROCEDURE names the variables it tabulates\n"},
    {"Recursion",
     "NEURON { SUFFIX x }\n"
     "FUNCTION f(u) { f = g(u) }\n"
     "FUNCTION g(u) {\n"
     "  g = f(u)\n"
     "}",
     "4:7: recursion is not supported: f calls g calls f\n"},
    {"NetReceiveInADensityMechanism",
     "NEURON { SUFFIX x }\n"
     "NET_RECEIVE(w) { }",
     "2:1: NET_RECEIVE needs a POINT_PROCESS or an ARTIFICIAL_CELL\n"},
    {"TwoNetReceives",
     "NEURON { POINT_PROCESS x }\n"
     "NET_RECEIVE(w) { }\n"
     "NET_RECEIVE(w) { }",
     "3:1: a second NET_RECEIVE\n"},
    {"WatchOutsideNetReceive",
     "NEURON { POINT_PROCESS x }\n"
     "ASSIGNED { v }\n"
     "INITIAL { WATCH (v > 1) 2 }",
     "3:11: WATCH stands in NET_RECEIVE, not in INITIAL\n"},
    {"WatchOfNoComparison",
     "NEURON { POINT_PROCESS x }\n"
     "ASSIGNED { v }\n"
     "NET_RECEIVE(w) { WATCH (v) 2 }",
     "3:25: WATCH compares two values with '<' or '>'\n"},
    {"NetEventInInitial",
     "NEURON { POINT_PROCESS x }\n"
     "INITIAL { net_event(t) }",
     "2:11: net_event stands in NET_RECEIVE, not in INITIAL\n"},
    {"FlagOutsideNetReceive",
     "NEURON { POINT_PROCESS x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = flag }",
     "3:15: flag is known in NET_RECEIVE alone\n"},
    {"ForNetconsWithOtherArguments",
     "NEURON { POINT_PROCESS x }\n"
     "NET_RECEIVE(w, u) { FOR_NETCONS(a) { } }",
     "2:21: FOR_NETCONS takes as many arguments as NET_RECEIVE: 2, not 1\n"},
    {"InitialTwiceInNetReceive",
     "NEURON { POINT_PROCESS x }\n"
     "NET_RECEIVE(w) { INITIAL { }\n"
     " INITIAL { } }",
     "3:2: a second INITIAL in NET_RECEIVE\n"},
    {"ArtificialCellWithCurrent", "NEURON { ARTIFICIAL_CELL x NONSPECIFIC_CURRENT i }",
     "1:48: an ARTIFICIAL_CELL has no membrane for a current\n"},
    {"EventDrivenCellWithElectrodeCurrent", "NEURON { ARTIFICIAL_CELL x ELECTRODE_CURRENT i }",
     "1:46: an ARTIFICIAL_CELL has no membrane for a current\n"},
    {"CCodeInAProcedure",
     "NEURON { SUFFIX x }\n"
     "INITIAL { p() }\n"
     "PROCEDURE p() {\n"
     "VERBATIM\n"
     "  exit(1);\n"
     "ENDVERBATIM\n"
     "}",
     "5:3: C code (VERBATIM) in PROCEDURE p is refused: 'exit()' is not taken\n"},
    {"IonTakenAfterItWasSet",
     "NEURON { SUFFIX x USEION ca READ cai WRITE cai }\n"
     "STATE { cai }\n"
     "INITIAL { cai = 1\n"
     "VERBATIM cai = _ion_cai; ENDVERBATIM\n"
     "}",
     "4:1: C code (VERBATIM) in INITIAL is refused\n"},
    {"TakenFromNoIon",
     "NEURON { SUFFIX x USEION ca READ cai }\n"
     "ASSIGNED { a }\n"
     "INITIAL {\n"
     "VERBATIM cai = _ion_cai; a = _ion_a; ENDVERBATIM\n"
     "VERBATIM cai = _ion_cao; ENDVERBATIM\n"
     "VERBATIM cai = _ion_cai; exit(1); ENDVERBATIM\n"
     "}",
     "4:1: C code (VERBATIM) in INITIAL is refused\n"
     "5:16: C code (VERBATIM) in INITIAL is refused: '_ion_cao' is not taken\n"
     "6:26: C code (VERBATIM) in INITIAL is refused: 'exit()' is not taken\n"},
    {"WhatCCodeDefinesAnew",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a }\n"
     "VERBATIM\n"
     "#include <math.h> /* this\n"
     "and that */ static double a;\n"
     "ENDVERBATIM\n"
     "PROCEDURE p() {\n"
     "VERBATIM\n"
     "# define v w\n"
     "ENDVERBATIM\n"
     "}\n"
     "VERBATIM double exp(double x) { return x; }\n"
     "#define if while\n"
     "#ifdef A\n"
     "ENDVERBATIM",
     "3:1: C code (VERBATIM) at the top level is refused: it declares 'a' anew\n"
     "8:1: C code (VERBATIM) in PROCEDURE p is refused: it defines 'v' anew\n"
     "12:1: C code (VERBATIM) at the top level is refused: it defines 'if' anew\n"
     "12:1: C code (VERBATIM) at the top level is refused: it defines 'exp' anew\n"
     "12:1: C code (VERBATIM) at the top level is refused: it ends within brackets or #if\n"},
    {"RandomAsAVariable",
     "NEURON { SUFFIX x RANDOM r }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = r }",
     "3:15: 'r' is RANDOM and stands only as an argument of random_...\n"},
    {"DrawFromNoStream",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = random_uniform(a) }",
     "3:30: 'a' is not RANDOM\n"},
    {"RefusedBuiltin",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = factorial(3) }",
     "3:15: factorial is not supported\n"},
    {"DerivativeCalled",
     "NEURON { SUFFIX x }\n"
     "STATE { m }\n"
     "BREAKPOINT { SOLVE d METHOD euler }\n"
     "DERIVATIVE d { m' = -m }\n"
     "INITIAL { d() }",
     "5:11: 'd' is solved with SOLVE, not called\n"},
    {"FunctionTableWithoutArguments",
     "NEURON { SUFFIX x }\n"
     "FUNCTION_TABLE f()",
     "2:16: FUNCTION_TABLE f needs an argument\n"},
    {"OtherIndependentVariable",
     "NEURON { SUFFIX x }\n"
     "INDEPENDENT { q FROM 0 TO 1 WITH 2 }",
     "2:15: the independent variable is t, not 'q'\n"},
    {"SeveralErrorsAtOnce",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = b\n"
     " a = c(1)\n"
     " a[2] = 3 }",
     "3:15: 'b' is declared nowhere.\n"
     "4:6: there is no function 'c' in this file.\n"
     "5:2: 'a' is no array\n"},
};

INSTANTIATE_TEST_SUITE_P(Nmodl, MalformedMeaning, testing::ValuesIn(of_meaning),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace hillock::nmodl
