// Files that break the grammar:
// the whole of what is reported is expected, each as line:column: message.

#include "tests/mechanisms/nmodl/malformed.hpp"

namespace hillock::nmodl {
namespace {

class MalformedSyntax : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSyntax, IsRefusedWithPlaceAndMessage) {
  expect_errors(GetParam());
}

const Malformed of_syntax[] = {
    {"WordThatBeginsNoBlock",
     "NEURON { SUFFIX x }\n"
     "FOO { }",
     "2:1: 'FOO' begins no block of NMODL\n"},
    {"NumberAtTheTop",
     "NEURON { SUFFIX x }\n"
     "3",
     "2:1: expected a block such as NEURON or PARAMETER, found '3'\n"},
    {"BraceMissingAfterNeuron", "NEURON SUFFIX x }",
     "1:8: expected '{' after NEURON, found 'SUFFIX'\n"},
    {"NeuronNotClosed", "NEURON { SUFFIX x",
     "1:18: expected a statement of the NEURON block or '}', found the end of the file\n"},
    {"UnknownNeuronStatement", "NEURON { SUFIX x }",
     "1:10: 'SUFIX' is no statement of the NEURON block\n"},
    {"SuffixWithoutName", "NEURON { SUFFIX }", "1:17: expected a name after SUFFIX, found '}'\n"},
    {"SuffixIsAKeyword", "NEURON { SUFFIX RANGE a }",
     "1:17: expected a name after SUFFIX, found the keyword RANGE\n"},
    {"RangeWithoutComma", "NEURON { SUFFIX x RANGE a b }",
     "1:27: 'b' is no statement of the NEURON block\n"},
    {"RangeEndsInComma", "NEURON { SUFFIX x RANGE a, }",
     "1:28: expected a name after RANGE, found '}'\n"},
    {"ValenceWithoutNumber", "NEURON { SUFFIX x USEION k READ ek VALENCE }",
     "1:44: expected a number after VALENCE, found '}'\n"},
    {"PlaceholderForANumber",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { g = %g% (S/cm2) }",
     "2:17: expected a number after 'g =', found '%'\n"},
    {"CommaInParameter",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1, b = 2 }",
     "2:18: expected a name or '}' in PARAMETER, found ','\n"},
    {"DivisionInParameter",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1/2 }",
     "2:18: expected a name or '}' in PARAMETER, found '/'\n"},
    {"LimitsNotClosed",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1 <0, 1 }",
     "2:25: expected '>' after the limits, found '}'\n"},
    {"ConstantWithoutValue",
     "NEURON { SUFFIX x }\n"
     "CONSTANT { a }",
     "2:14: expected '=' and the value of the constant 'a', found '}'\n"},
    {"UnitNotClosed",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1 (mV\n"
     "}",
     "2:19: the bracket of the unit is not closed on its line\n"},
    {"ArrayOfNoElements",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[0] }",
     "2:14: an array needs at least one element\n"},
    {"ArraySizeNotWhole",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[1.5] }",
     "2:14: expected the size of the array, found '1.5'\n"},
    {"ArraySizeUndefined",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[M] }",
     "2:14: expected the size of the array, found 'M'\n"},
    {"AssignedWithValue",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a = 1 }",
     "2:14: expected a name or '}' in ASSIGNED, found '='\n"},
    {"UnitConstantWithoutUnit",
     "NEURON { SUFFIX x }\n"
     "UNITS { F = 96485 }",
     "2:19: expected the unit of 'F' in brackets, found '}'\n"},
    {"UnitDefinitionWithoutBrackets",
     "NEURON { SUFFIX x }\n"
     "UNITS { (mV) = millivolt }",
     "2:16: expected a unit in brackets after '=', found 'millivolt'\n"},
    {"DefineNegative",
     "NEURON { SUFFIX x }\n"
     "DEFINE M -2",
     "2:10: expected a whole number after DEFINE M, found '-'\n"},
    {"DefineFraction",
     "NEURON { SUFFIX x }\n"
     "DEFINE M 2.5",
     "2:10: expected a whole number after DEFINE M, found '2.5'\n"},
    {"DefineTwice",
     "NEURON { SUFFIX x }\n"
     "DEFINE M 2\n"
     "DEFINE M 3",
     "3:8: 'M' is defined twice\n"},
    {"LocalWithoutComma",
     "NEURON { SUFFIX x }\n"
     "LOCAL a b",
     "2:9: 'b' begins no block of NMODL\n"},
    {"IncludeWithoutQuotes",
     "NEURON { SUFFIX x }\n"
     "INCLUDE other.inc",
     "2:9: expected the name of a file in quotes after INCLUDE, found 'other'\n"},
    {"IncludeMissing",
     "NEURON { SUFFIX x }\n"
     "INCLUDE \"other.inc\"",
     "2:9: cannot read the file \"other.inc\" that INCLUDE names\n"},
    {"NoNmodl",
     "root:x:0:0:root:/root:/bin/bash\n"
     "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
     "1:1: this is not NMODL (no line begins a block such as NEURON or PARAMETER)\n"},
    {"NoText",
     "\x7f"
     "ELF\x02\x01\x01",
     "1:1: this is not NMODL (no line begins a block such as NEURON or PARAMETER)\n"},
    {"SemicolonAfterStatement",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = 1; }",
     "3:16: expected a statement, found ';'\n"},
    {"AddAssign",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a += 1 }",
     "3:13: expected '=' or '(' after 'a', found '+'\n"},
    {"UnaryPlus",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = +1 }",
     "3:15: expected an expression, found '+'\n"},
    {"NothingAfterEquals",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = }",
     "3:15: expected an expression, found '}'\n"},
    {"BracketNotClosed",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = (1 + 2 }",
     "3:22: expected ')' to close the bracket, found '}'\n"},
    {"IndexNotClosed",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a[2] }\n"
     "INITIAL { a[1 = 2 }",
     "3:15: expected ']' after the index of a, found '='\n"},
    {"ArgumentsNotClosed",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = exp(1 }",
     "3:21: expected ')' after the arguments of exp, found '}'\n"},
    {"IfWithoutBrackets",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { if a > 1 { a = 1 } }",
     "3:14: expected '(' after if, found 'a'\n"},
    {"IfWithoutBraces",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { if (a) a = 1 }",
     "3:18: expected '{' for the body of if, found 'a'\n"},
    {"ElseAlone",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { else { a = 1 } }",
     "3:11: expected a statement, found the keyword else\n"},
    {"LoopWithoutTo",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { FROM i = 0 { a = i } }",
     "3:22: expected TO after the first value, found '{'\n"},
    {"BlockNotClosed",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "INITIAL { a = 1",
     "3:16: expected '}' at the end of INITIAL, found the end of the file\n"},
    {"StrayBrace",
     "NEURON { SUFFIX x }\n"
     "}\n"
     "ASSIGNED { a }",
     "2:1: expected a block such as NEURON or PARAMETER, found '}'\n"},
    {"FunctionWithoutBrackets",
     "NEURON { SUFFIX x }\n"
     "FUNCTION f { f = 1 }",
     "2:12: expected '(' after f, found '{'\n"},
    {"ArrayAsArgument",
     "NEURON { SUFFIX x }\n"
     "FUNCTION f(a[2]) { f = 1 }",
     "2:13: expected ')' after the arguments of f, found '['\n"},
    {"SolveWithoutName",
     "NEURON { SUFFIX x }\n"
     "BREAKPOINT { SOLVE METHOD cnexp }",
     "2:20: expected the name of a block after SOLVE, found the keyword METHOD\n"},
    {"TableWithoutFrom",
     "NEURON { SUFFIX x }\n"
     "PROCEDURE p(u) { TABLE a DEPEND b TO 3 WITH 4 }",
     "2:35: expected FROM in TABLE, found 'TO'\n"},
    {"TableWithFraction",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { a }\n"
     "PROCEDURE p(u) { TABLE a FROM 0 TO 3 WITH 4.5 }",
     "3:43: expected the number of intervals after WITH, found '4.5'\n"},
    {"ArrowWithProduct",
     "NEURON { SUFFIX x }\n"
     "STATE { a b }\n"
     "KINETIC k {\n"
     "  ~ a -> b (1)\n"
     "}",
     "4:10: expected '(' and the rate after '->' (a reaction with products is written '<->'), "
     "found 'b'\n"},
    {"ReactionWithOneRate",
     "NEURON { SUFFIX x }\n"
     "STATE { a b }\n"
     "KINETIC k {\n"
     "  ~ a <-> b (1)\n"
     "}",
     "4:15: expected ',' between the rates of the reaction, found ')'\n"},
    {"FluxWithoutBrackets",
     "NEURON { SUFFIX x }\n"
     "STATE { a }\n"
     "KINETIC k { ~ a << 1 }",
     "3:20: expected '(' and the flux after '<<', found '1'\n"},
    {"TildeWithoutArrow",
     "NEURON { SUFFIX x }\n"
     "STATE { a }\n"
     "KINETIC k { ~ a }",
     "3:17: expected '=', '<->', '->' or '<<' after '~', found '}'\n"},
    {"CoefficientNotWhole",
     "NEURON { SUFFIX x }\n"
     "STATE { a b }\n"
     "KINETIC k { ~ 1.5 a <-> b (1, 1) }",
     "3:15: expected a whole coefficient in a reaction, found '1.5'\n"},
    {"ConserveWithMinus",
     "NEURON { SUFFIX x }\n"
     "STATE { a b }\n"
     "KINETIC k { CONSERVE a - b = 1 }",
     "3:24: expected '=' in CONSERVE, found '-'\n"},
    {"CompartmentWithoutStates",
     "NEURON { SUFFIX x }\n"
     "STATE { a }\n"
     "KINETIC k { COMPARTMENT 2 }",
     "3:27: expected '{' before the states of COMPARTMENT, found '}'\n"},
    {"BeforeWhat",
     "NEURON { SUFFIX x }\n"
     "BEFORE CELL { }",
     "2:8: BEFORE is followed by INITIAL, BREAKPOINT or STEP\n"},
    {"AfterStep",
     "NEURON { SUFFIX x }\n"
     "AFTER STEP { }",
     "2:7: AFTER is followed by INITIAL or SOLVE\n"},
    {"OldMatch",
     "NEURON { SUFFIX x }\n"
     "MATCH { a (1) = 2 }",
     "2:1: MATCH is not supported\n"},
    {"OldLag",
     "NEURON { SUFFIX x }\n"
     "ASSIGNED { v }\n"
     "INITIAL { LAG v BY 2 }",
     "3:11: LAG is not supported\n"},
    {"CommentNotClosed",
     "NEURON { SUFFIX x }\n"
     "COMMENT\n"
     "forgotten",
     "2:1: COMMENT without ENDCOMMENT\n"},
    {"VerbatimNotClosed",
     "NEURON { SUFFIX x }\n"
     "VERBATIM\n"
     "return 0;",
     "2:1: VERBATIM without ENDVERBATIM\n"},
    {"StringNotClosed",
     "NEURON { SUFFIX x }\n"
     "INITIAL { printf(\"a) }",
     "2:18: the string is not closed on its line\n"
     "2:23: expected ')' after the arguments of printf, found the end of the file\n"},
    {"NumberTooLarge",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { a = 1e999 }",
     "2:17: the number 1e999 is beyond double precision\n"},
    {"NonAsciiName",
     "NEURON { SUFFIX x }\n"
     "PARAMETER { α = 1 }",
     "2:13: expected a name or '}' in PARAMETER, found 'α'\n"},
    {"SeveralBlocksAtOnce",
     "NEURON { SUFFIX x }\n"
     "INITIAL { 3 }\n"
     "BREAKPOINT { ) }\n"
     "DERIVATIVE d { x' }",
     "2:11: expected a statement, found '3'\n"
     "3:14: expected a statement, found ')'\n"
     "4:19: expected '=' or '(' after 'x', found '}'\n"},
};

INSTANTIATE_TEST_SUITE_P(Nmodl, MalformedSyntax, testing::ValuesIn(of_syntax),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace hillock::nmodl
