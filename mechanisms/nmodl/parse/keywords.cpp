#include "mechanisms/nmodl/parse/keywords.hpp"

#include <algorithm>
#include <array>

namespace hillock::nmodl {

namespace {

constexpr auto block_words = std::to_array<std::string_view>(
    {"AFTER",       "ARTIFICIAL_CELL", "ASSIGNED",   "BEFORE",      "BREAKPOINT", "CONSTANT",
     "CONSTRUCTOR", "DEFINE",          "DERIVATIVE", "DESTRUCTOR",  "DISCRETE",   "EQUATION",
     "FUNCTION",    "FUNCTION_TABLE",  "INCLUDE",    "INDEPENDENT", "INITIAL",    "KINETIC",
     "LINEAR",      "NET_RECEIVE",     "NEURON",     "NONLINEAR",   "PARAMETER",  "PARTIAL",
     "PLOT",        "PROCEDURE",       "STATE",      "STEPPED",     "TERMINAL",   "UNITS"});

constexpr auto other_words = std::to_array<std::string_view>({"BBCOREPOINTER",
                                                              "COMPARTMENT",
                                                              "CONDUCTANCE",
                                                              "CONSERVE",
                                                              "DEPEND",
                                                              "ELECTRODE_CURRENT",
                                                              "EXTERNAL",
                                                              "FORALL",
                                                              "FOR_NETCONS",
                                                              "FROM",
                                                              "GLOBAL",
                                                              "IFERROR",
                                                              "LAG",
                                                              "LOCAL",
                                                              "LONGITUDINAL_DIFFUSION",
                                                              "MATCH",
                                                              "METHOD",
                                                              "MODEL_LEVEL",
                                                              "MUTEXLOCK",
                                                              "MUTEXUNLOCK",
                                                              "NONSPECIFIC_CURRENT",
                                                              "POINTER",
                                                              "POINT_PROCESS",
                                                              "PROTECT",
                                                              "PUTQ",
                                                              "GETQ",
                                                              "RANGE",
                                                              "READ",
                                                              "REPRESENTS",
                                                              "RESET",
                                                              "SENS",
                                                              "SOLVE",
                                                              "SOLVEFOR",
                                                              "STEADYSTATE",
                                                              "SUFFIX",
                                                              "SWEEP",
                                                              "TABLE",
                                                              "THREADSAFE",
                                                              "USEION",
                                                              "VALENCE",
                                                              "WATCH",
                                                              "WITH",
                                                              "WRITE",
                                                              "ELSE",
                                                              "IF",
                                                              "WHILE",
                                                              "if",
                                                              "else",
                                                              "while"});

}  // namespace

bool is_keyword(std::string_view word) {
  return std::ranges::find(other_words, word) != other_words.end() || opens_block(word);
}

bool opens_block(std::string_view word) {
  return std::ranges::find(block_words, word) != block_words.end();
}

}  // namespace hillock::nmodl
