// Blocks as a whole: their names, and how often they may stand.

#include <cctype>
#include <set>

#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

std::string describe(const ast::Block& block) {
  using enum ast::BlockKind;
  const auto word = [&]() -> std::string {
    switch (block.kind) {
      case initial:
        return "INITIAL";
      case breakpoint:
        return "BREAKPOINT";
      case derivative:
        return "DERIVATIVE";
      case kinetic:
        return "KINETIC";
      case linear:
        return "LINEAR";
      case nonlinear:
        return "NONLINEAR";
      case discrete:
        return "DISCRETE";
      case function:
        return "FUNCTION";
      case procedure:
        return "PROCEDURE";
      case function_table:
        return "FUNCTION_TABLE";
      case net_receive:
        return "NET_RECEIVE";
      case before_initial:
        return "BEFORE INITIAL";
      case before_breakpoint:
        return "BEFORE BREAKPOINT";
      case before_step:
        return "BEFORE STEP";
      case after_initial:
        return "AFTER INITIAL";
      case after_solve:
        return "AFTER SOLVE";
      case constructor:
        return "CONSTRUCTOR";
      case destructor:
        return "DESTRUCTOR";
    }
    return "a block";
  }();
  return block.name.empty() ? word : word + " " + block.name;
}

void collect_blocks(Analysis& analysis) {
  Module& module = analysis.module;
  auto& blocks = module.syntax.blocks;
  module.blocks.resize(blocks.size());
  bool has_net_receive = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ast::Block& block = blocks[i];
    const int index = static_cast<int>(i);
    if (block.kind == ast::BlockKind::net_receive) {
      if (has_net_receive) analysis.findings.error(block.position, "a second NET_RECEIVE");
      has_net_receive = true;
      if (module.form == ast::MechanismForm::density)
        analysis.findings.error(block.position,
                                "NET_RECEIVE needs a POINT_PROCESS or an ARTIFICIAL_CELL");
      module.net_receive = NetReceive{};
      module.net_receive->block = index;
      module.net_receive->arguments = static_cast<int>(block.arguments.size());
    }
    if (block.name.empty()) continue;
    if (analysis.symbols.contains(block.name)) {
      analysis.findings.error(block.position, "'" + block.name + "' names a variable and a block");
      continue;
    }
    if (analysis.functions.contains(block.name) || analysis.tables.contains(block.name) ||
        analysis.solvable.contains(block.name)) {
      analysis.findings.error(block.position, "a second block with the name '" + block.name + "'");
      continue;
    }
    if (block.kind == ast::BlockKind::function_table) {
      analysis.tables[block.name] = static_cast<int>(module.function_tables.size());
      module.function_tables.push_back({block.name, index});
      if (block.arguments.empty())
        analysis.findings.error(block.position,
                                "FUNCTION_TABLE " + block.name + " needs an argument");
    } else if (block.kind == ast::BlockKind::function) {
      analysis.functions[block.name] = index;
    } else {
      if (block.kind == ast::BlockKind::procedure) analysis.functions[block.name] = index;
      analysis.solvable[block.name] = index;
    }
  }
}

}  // namespace hillock::nmodl
