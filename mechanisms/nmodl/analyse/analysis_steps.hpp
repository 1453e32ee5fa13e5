#pragma once
// The steps of the analysis and what they share. Each goes on after errors.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/analyse/units.hpp"
#include "mechanisms/nmodl/findings/findings.hpp"

namespace hillock::nmodl {

/// C code that cannot be read, where it is run.
struct RefusedCode {
  int block = -1;
  Position position;
  std::string reason;
};

struct Analysis {
  Module& module;
  Findings& findings;
  UnitTable units;
  std::map<std::string, int, std::less<>> symbols = {};    ///< by name
  std::map<std::string, int, std::less<>> functions = {};  ///< FUNCTION and PROCEDURE blocks
  std::map<std::string, int, std::less<>> tables = {};     ///< FUNCTION_TABLEs
  std::map<std::string, int, std::less<>> solvable = {};   ///< blocks that SOLVE may name
  std::vector<RefusedCode> refused_code = {};
};

/// Units, declarations, the NEURON block: fills Module::symbols, ions, currents.
void collect_symbols(Analysis& analysis);
/// Block names, functions that have a symbol's name, blocks that may stand once.
void collect_blocks(Analysis& analysis);
/// C code becomes statements of NMODL, as far as there are such.
void translate_c(Analysis& analysis);
/// Bindings, and every rule about which statement may stand where: fills locals, solves, tables.
void bind_names(Analysis& analysis);
/// Calls without recursion, reads and writes, what becomes an instance's own.
void follow_data(Analysis& analysis);
/// Errors of C code in what a run comes to.
void refuse_c(Analysis& analysis);
/// What NET_RECEIVE of a point neuron may do: fills PointNeuron::tells_signs.
void check_inputs(Analysis& analysis);
/// Warns of equations without their prime and of division by what is 0, in a file without errors.
void find_suspicions(Analysis& analysis);

/// The symbol m0 of a state m, which needs no declaration; -1 when `name` is no such name.
int add_initial_value(Analysis& analysis, std::string_view name);
/// The same of `usetable` in a file that has a TABLE.
int add_use_of_tables(Analysis& analysis, std::string_view name);

/// Warns of the unit of a declaration, which nothing is computed with: its numbers are plain.
void note_unknown_unit(const std::string& text, Position position, Findings& findings);

/// "C code (VERBATIM) in INITIAL is refused: …"
std::string refusal_of_c(const std::string& where, const std::string& reason);

/// "DERIVATIVE states", "NET_RECEIVE", as messages name a block.
std::string describe(const ast::Block& block);

}  // namespace hillock::nmodl
