#include "io/model/protocol/recorded_variable.hpp"

#include <fmt/format.h>

#include "core/text/utf8.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"

namespace hillock::io {

namespace {

using models::RecordedVariable;

/// ina, ena, nai, nao: the ion and the unit, or nothing.
struct IonVariable {
  std::string ion;
  std::string unit_text;
};

std::optional<IonVariable> find_ion_variable(const std::string& name,
                                             const std::vector<std::string>& ions) {
  for (const auto& ion : ions) {
    if (name == "i" + ion) return IonVariable{ion, "mA/cm2"};
    if (name == "e" + ion) return IonVariable{ion, "mV"};
    if (name == ion + "i" || name == ion + "o") return IonVariable{ion, "mM"};
  }
  return std::nullopt;
}

bool is_recordable(const MechanismVariable& variable) {
  return variable.role != VariableRole::shared && variable.role != VariableRole::hidden;
}

std::string last_recordable(const MechanismSignature& signature) {
  std::string name = "x";
  for (const auto& variable : signature.variables)
    if (is_recordable(variable)) name = variable.name;
  return name;
}

/// Every name that can be recorded, for suggestions.
std::vector<std::string> recordable_names(const ReadContext& context, const CellInfo* cell) {
  std::vector<std::string> names{"v", "i_membrane"};
  for (std::size_t layer = 0; cell && layer < cell->layers; ++layer)
    names.push_back(fmt::format("vext[{}]", layer));
  for (const auto& [name, signature] : context.signatures) {
    const bool absent = cell && signature.kind == MechanismKind::density &&
                        !cell->density_mechanisms.contains(name);
    if (absent) continue;
    for (const auto& variable : signature.variables)
      if (is_recordable(variable)) names.push_back(name + '.' + variable.name);
  }
  for (const auto& ion : known_ions(context.signatures))
    for (const auto& name : {"i" + ion, "e" + ion, ion + "i", ion + "o"}) names.push_back(name);
  return names;
}

std::string mechanism_problem(const ReadContext& context, const std::string& mechanism,
                              const std::string& variable, const CellInfo* cell,
                              PopulationId population, RecordedVariable& result) {
  const auto found = context.signatures.find(mechanism);
  if (found == context.signatures.end()) {
    std::vector<std::string> names;
    for (const auto& [name, signature] : context.signatures) names.push_back(name);
    return fmt::format("there is no mechanism '{}'.{}", mechanism, did_you_mean(mechanism, names));
  }
  const auto& signature = found->second;
  const auto* declared = signature.find(variable);
  if (!declared) {
    std::vector<std::string> names;
    for (const auto& candidate : signature.variables)
      if (is_recordable(candidate)) names.push_back(candidate.name);
    return fmt::format("{} has no variable '{}'.{}", mechanism, variable,
                       did_you_mean(variable, names));
  }
  if (declared->role == VariableRole::shared)
    return fmt::format("{1} belongs to an ion; record it as {1}, not as {0}.{1}", mechanism,
                       variable);
  const std::string& name = context.network.populations[population.value].name;
  if (signature.kind == MechanismKind::density) {
    if (cell && cell->is_sound && !cell->density_mechanisms.contains(mechanism))
      return fmt::format("no region of the cells of '{}' has {}, so it cannot be recorded", name,
                         mechanism);
  } else if (!signature.is_artificial && context.point_processes_known &&
             !context.populations[population.value].point_processes.contains(mechanism)) {
    return fmt::format("no projection or stimulus puts {} on '{}', so it cannot be recorded",
                       mechanism, name);
  }
  result.kind = RecordedVariable::Kind::mechanism_variable;
  result.mechanism = mechanism;
  result.variable = variable;
  result.unit_text = to_utf8(declared->unit_text);  // .mod files may be Latin-1
  return "";
}

/// Whether a point process on the population uses an ion.
bool point_process_uses(const ReadContext& context, PopulationId population,
                        const std::string& ion) {
  for (const auto& name : context.populations[population.value].point_processes) {
    const auto signature = context.signatures.find(name);
    if (signature == context.signatures.end()) continue;
    for (const auto& use : signature->second.ions)
      if (use.ion == ion) return true;
  }
  return false;
}

/// vext[0], vext[1], or vext for the one at the membrane: the layer's number, or nothing.
std::optional<std::size_t> find_layer(const std::string& name) {
  if (name == "vext" || name == "vext[0]") return 0;
  if (name == "vext[1]") return 1;
  return std::nullopt;
}

std::string resolve(const ReadContext& context, const std::string& text, const CellInfo* cell,
                    PopulationId population, RecordedVariable& result) {
  result.variable = text;
  const std::size_t dot = text.find('.');
  if (cell && cell->artificial) {
    const std::string& own = cell->artificial->name;
    if (dot == std::string::npos && cell->artificial->find(text))
      return mechanism_problem(context, own, text, cell, population, result);
    if (dot == std::string::npos || text.substr(0, dot) != own)
      return fmt::format("these cells have the variables of {0} alone, such as {0}.{1}", own,
                         last_recordable(*cell->artificial));
    return mechanism_problem(context, own, text.substr(dot + 1), cell, population, result);
  }
  if (text == "v") {
    result.kind = RecordedVariable::Kind::voltage;
    result.unit_text = "mV";
    return "";
  }
  if (const auto layer = find_layer(text)) {
    if (cell && *layer >= cell->layers)
      return fmt::format("the cells of '{}' have {} extracellular layer{}, so there is no {}",
                         context.network.populations[population.value].name,
                         cell->layers == 0 ? "no" : "one", cell->layers == 0 ? "s" : "", text);
    result.kind = RecordedVariable::Kind::layer_potential;
    result.layer = *layer;
    result.unit_text = "mV";
    return "";
  }
  if (text == "i_membrane") {
    result.kind = RecordedVariable::Kind::membrane_current;
    result.unit_text = "nA";
    return "";
  }
  if (dot != std::string::npos)
    return mechanism_problem(context, text.substr(0, dot), text.substr(dot + 1), cell, population,
                             result);
  if (const auto ion = find_ion_variable(text, known_ions(context.signatures))) {
    if (cell && cell->is_sound && !cell->ions.contains(ion->ion) && context.point_processes_known &&
        !point_process_uses(context, population, ion->ion))
      return fmt::format("nothing on the cells of '{}' uses the ion {}",
                         context.network.populations[population.value].name, ion->ion);
    result.kind = RecordedVariable::Kind::ion_variable;
    result.unit_text = ion->unit_text;
    return "";
  }
  const auto names = recordable_names(context, cell);
  std::string suggestion;
  for (const auto& name : names)
    if (suggestion.empty() && name.ends_with('.' + text))
      suggestion = " Did you mean '" + name + "'?";
  if (suggestion.empty()) suggestion = did_you_mean(text, names);
  return fmt::format(
      "there is no variable '{}' (v, i_membrane, a mechanism's as in hh.m, or an"
      " ion's as in ina).{}",
      text, suggestion);
}

}  // namespace

std::optional<RecordedVariable> read_recorded_variable(ReadContext& context, const Item& item,
                                                       PopulationId population) {
  const auto text = item.text("a variable, such as v or hh.m");
  if (!text) return std::nullopt;
  const CellInfo* const cell = context.cell_of(population);
  if (!cell || !cell->kind_known) return std::nullopt;  // an error is told where that stands
  RecordedVariable result;
  const std::string problem = resolve(context, *text, cell, population, result);
  if (problem.empty()) return result;
  const std::string mechanism = text->substr(0, text->find('.'));
  if (!context.broken_mechanisms.use(mechanism)) item.error(problem);
  return std::nullopt;
}

std::optional<RecordedVariable> read_variable_of_points(ReadContext& context, const Item& item,
                                                        const models::PointList& list) {
  const auto text = item.text("a variable, such as g");
  if (!text) return std::nullopt;
  const std::string& mechanism = list.mechanism.name;
  const bool has_name = text->starts_with(mechanism + '.');
  RecordedVariable result;
  const std::string problem =
      mechanism_problem(context, mechanism, has_name ? text->substr(mechanism.size() + 1) : *text,
                        context.cell_of(list.on), list.on, result);
  if (problem.empty()) return result;
  item.error(problem);
  return std::nullopt;
}

}  // namespace hillock::io
