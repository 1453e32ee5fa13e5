#include "mechanisms/nmodl/analyse/analysis.hpp"

#include <utility>

#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

namespace {

// Beyond any real mechanism; they bound the cost of what is quadratic in the worst case.
constexpr std::size_t most_blocks = 2000;
constexpr std::size_t most_symbols = 5000;

}  // namespace

std::optional<Module> analyse(ast::File file, Findings& findings, Constants constants) {
  Module module;
  module.syntax = std::move(file);
  module.constants = constants;
  Analysis analysis{module, findings, UnitTable(constants)};
  if (module.syntax.blocks.size() > most_blocks) {
    findings.error(module.syntax.blocks[most_blocks].position,
                   "more than " + std::to_string(most_blocks) + " blocks");
    return std::nullopt;
  }
  if (module.syntax.declarations.size() > most_symbols) {
    findings.error(module.syntax.declarations[most_symbols].position,
                   "more than " + std::to_string(most_symbols) + " variables");
    return std::nullopt;
  }
  collect_symbols(analysis);
  collect_blocks(analysis);
  translate_c(analysis);
  bind_names(analysis);
  follow_data(analysis);
  refuse_c(analysis);
  if (module.point_neuron && module.net_receive) check_inputs(analysis);
  if (findings.has_errors()) return std::nullopt;
  find_suspicions(analysis);
  module.units = std::move(analysis.units);
  return module;
}

void note_unknown_unit(const std::string& text, Position position, Findings& findings) {
  findings.warning(position, "the unit (" + text + ") is unknown; its numbers are plain ones");
}

int Module::find_symbol(std::string_view symbol) const {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].name == symbol) return static_cast<int>(i);
  return -1;
}

std::vector<int> Module::blocks_of(ast::BlockKind kind) const {
  std::vector<int> result;
  for (std::size_t i = 0; i < syntax.blocks.size(); ++i)
    if (syntax.blocks[i].kind == kind) result.push_back(static_cast<int>(i));
  return result;
}

}  // namespace hillock::nmodl
