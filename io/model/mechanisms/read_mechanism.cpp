#include "io/model/mechanisms/read_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// Why a variable of a mechanism that is no parameter cannot be set.
std::string not_settable(const MechanismSignature& signature, const MechanismVariable& variable) {
  switch (variable.role) {
    case VariableRole::state:
      return fmt::format("'{}' is a state of {}, which the simulation computes; it cannot be set",
                         variable.name, signature.name);
    case VariableRole::assigned:
      return fmt::format("'{}' is computed by {}; it cannot be set", variable.name, signature.name);
    case VariableRole::shared:
      return fmt::format(
          "'{}' belongs to an ion, not to {} (set it with ions:, as in ions:"
          " {{na: {{e: 50 mV}}}})",
          variable.name, signature.name);
    case VariableRole::parameter:
    case VariableRole::hidden:
      break;
  }
  return "";
}

/// `p: v`, `p: cai`, `p: hh.m`: what a POINTER stands for. False after an error.
bool read_pointer(ReadContext& context, MapReader& map, const MechanismVariable& variable,
                  models::MechanismUse& use) {
  const auto entry = map.find(variable.name);
  if (!entry) return true;
  const auto target = read_pointer_target(context, *entry);
  if (target) use.parameters.emplace(variable.name, models::Value(static_cast<double>(*target)));
  return target.has_value();
}

}  // namespace

std::optional<std::size_t> read_pointer_target(ReadContext& context, const Item& item) {
  if (!item.is_scalar()) {
    item.error("must name a variable of the place: v, cai, hh.m");
    return std::nullopt;
  }
  auto& targets = context.network.pointer_targets;
  const std::string& text = item.node().scalar;
  auto known = std::find_if(targets.begin(), targets.end(),
                            [&](const auto& target) { return target.text == text; });
  if (known == targets.end()) known = targets.insert(known, {text, item.place()});
  return static_cast<std::size_t>(known - targets.begin());
}

std::optional<models::MechanismUse> read_mechanism(ReadContext& context, const Item& item,
                                                   const MechanismSignature& signature,
                                                   ParameterScope scope) {
  models::MechanismUse use;
  use.name = signature.name;
  use.place = item.place();
  if (item.is_null()) return use;
  const auto replacing = context.replacing_files.find(signature.name);
  MapReader map(item, replacing == context.replacing_files.end()
                          ? signature.name
                          : fmt::format("{} of {}", signature.name, replacing->second));
  ValueReader read(map.is_map());
  for (const auto& variable : signature.variables) {
    if (variable.is_pointer) {
      read.note(read_pointer(context, map, variable, use));
      continue;
    }
    if (variable.role == VariableRole::hidden) continue;
    if (variable.role != VariableRole::parameter) {
      if (!map.has(variable.name)) continue;
      read.error(*map.find(variable.name), not_settable(signature, variable));
      continue;
    }
    const auto entry = map.find(variable.name);
    if (!entry) continue;
    const Slot slot = scope == ParameterScope::membrane ? Slot::of(variable).varying_in_cell()
                                                        : Slot::of(variable).varying_by_cell();
    models::Value value;
    if (read.value(context, entry, slot, value))
      use.parameters.emplace(variable.name, std::move(value));
  }
  read.note(map.finish());
  return read.result(use);
}

Slot weight_slot(const MechanismSignature& signature) {
  Slot slot;
  slot.unit = signature.weight_unit;
  slot.unit_text = signature.weight_unit_text;
  if (signature.refuses_negative_weights()) slot.minimum = 0;
  return slot;
}

std::optional<std::vector<models::Value>> read_arguments(ReadContext& context, const Item& item,
                                                         const MechanismSignature& signature,
                                                         ArgumentsOf of) {
  if (signature.arguments.empty()) {
    item.error(fmt::format("NET_RECEIVE of {} takes the weight alone", signature.name));
    return std::nullopt;
  }
  MapReader map(item, fmt::format("the arguments of {}", signature.name));
  ValueReader read(map.is_map());
  std::vector<models::Value> values(signature.arguments.size());
  for (std::size_t a = 0; a < values.size(); ++a) {
    Slot slot;
    slot.unit = signature.arguments[a].unit;
    slot.unit_text = signature.arguments[a].unit_text;
    slot = of == ArgumentsOf::connections ? Slot(slot).varying_by_connection()
                                          : Slot(slot).varying_by_cell();
    read.value(context, map.find(signature.arguments[a].name), slot, values[a]);
  }
  read.note(map.finish());
  return read.result(values);
}

std::string no_synapses(const CellInfo& cell) {
  return cell.artificial && cell.artificial->is_point_neuron
             ? "point neurons have no synapses; weights add to their input"
             : "artificial cells have no synapses; they take events themselves";
}

bool takes_events(const CellInfo& cell, const Item& item) {
  if (!cell.artificial || cell.artificial->receives_events) return true;
  item.error(fmt::format("{} receives no events", cell.artificial->name));
  return false;
}

namespace {

/// Why a mechanism is no synapse or point process, or an empty text.
std::string misplaced_problem(const MechanismSignature& mechanism, PointRole role,
                              const char* what) {
  if (mechanism.kind != MechanismKind::point_process)
    return fmt::format("{} is a density mechanism; it stands in regions:, not in {}",
                       mechanism.name, what);
  if (mechanism.is_artificial)
    return fmt::format(
        "{0} is a cell by itself (cells: {{a: {{artificial: {{{0}: {{}}}}}}}}), not"
        " {1}",
        mechanism.name, what);
  if (mechanism.reads_peer())
    return fmt::format(
        "{0} is one side of a gap junction, whose other side sets its {1} "
        "(a projection has it: gap_junction: {{mechanism: {{{0}: {{}}}}, "
        "at: soma(0.5), peer_at: soma(0.5)}})",
        mechanism.name, peer_voltage_name);
  if (!mechanism.receives_events && role == PointRole::synapse)
    return fmt::format(
        "{0} receives no events, so it is no synapse (a stimulus puts it on"
        " cells: {{point: {{{0}: {{}}, at: soma(0.5)}}, to: p}})",
        mechanism.name);
  return "";
}

}  // namespace

std::optional<models::Synapse> read_synapse(ReadContext& context, const Item& item,
                                            const CellShape& shape, PointRole role,
                                            LocationsFor places) {
  const char* const what = role == PointRole::synapse ? "a synapse" : "a point process";
  MapReader map(item, what);
  if (!map.is_map()) return std::nullopt;
  const auto at = map.require("at");
  const auto shared = map.find("shared");
  std::vector<std::string> names;
  for (const auto& [name, candidate] : context.signatures)
    if (candidate.kind == MechanismKind::point_process && !candidate.is_artificial &&
        !candidate.reads_peer() && (candidate.receives_events || role == PointRole::no_events))
      names.push_back(name);
  std::vector<std::string> with_at = names;
  with_at.emplace_back("at");
  ValueReader read;
  std::optional<Item> chosen;
  const MechanismSignature* signature = nullptr;
  for (const auto& entry : item.node().entries) {
    if (entry.key == "at" || entry.key == "shared") continue;
    const Item child = map.child(entry);
    const auto found = context.signatures.find(entry.key);
    if (context.broken_mechanisms.use(entry.key)) {
      read.note(false);
    } else if (found == context.signatures.end()) {
      if (nearest(entry.key, with_at) == "at") continue;  // finish() reports it
      read.error_at(item, entry.place(),
                    fmt::format("unknown mechanism '{}' in {}.{}", entry.key, what,
                                did_you_mean(entry.key, names)));
    } else if (const std::string problem = misplaced_problem(found->second, role, what);
               !problem.empty()) {
      read.error_at(item, entry.place(), problem);
    } else if (chosen) {
      read.error_at(
          item, entry.place(),
          fmt::format("{} has one mechanism, not both {} and {}", what, chosen->name(), entry.key));
    } else {
      chosen = child;
      signature = &found->second;
    }
    map.allow(entry.key);
  }
  if (read.good() && !chosen) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
    read.error(item, fmt::format("{} needs a mechanism (one of {})", what, list));
  }
  read.note(map.finish());
  models::Synapse synapse;
  if (shared) read.take(shared->boolean(), synapse.shared);
  if (chosen)
    read.take(read_mechanism(context, *chosen, *signature, ParameterScope::cell),
              synapse.mechanism);
  if (at) read.take(read_locations(*at, shape, places), synapse.at);
  return read.result(synapse);
}

std::vector<std::string> known_ions(const Signatures& signatures) {
  std::vector<std::string> ions{"na", "k", "ca", "cl"};
  for (const auto& [name, signature] : signatures)
    for (const auto& use : signature.ions)
      if (std::find(ions.begin(), ions.end(), use.ion) == ions.end()) ions.push_back(use.ion);
  return ions;
}

namespace {

std::optional<models::IonSetting> read_ion(ReadContext& context, const Item& item,
                                           const std::string& ion) {
  models::IonSetting setting;
  setting.ion = ion;
  setting.place = item.place();
  MapReader map(item, "an ion");
  const auto e = map.find("e");
  const auto inside = map.find("inside");
  const auto outside = map.find("outside");
  const auto reversal = map.find("reversal");
  ValueReader read(map.finish());
  const Slot concentration = Slot::of("mM").at_least(0).varying_in_cell();
  const Slot voltage = Slot::of("mV").at_least(-1000).at_most(1000).varying_in_cell();
  if (inside) read.take(read_value(context, *inside, concentration), setting.inside_mM);
  if (outside) read.take(read_value(context, *outside, concentration), setting.outside_mM);
  if (e && reversal) {
    read.error(*reversal, "e and reversal say the same; write one of them");
  } else if (e) {
    read.take(read_value(context, *e, voltage), setting.reversal_mV);
  } else if (reversal && reversal->is_scalar() && reversal->node().scalar == "nernst") {
    setting.reversal = models::IonSetting::Reversal::nernst;
  } else if (reversal && reversal->is_scalar() && reversal->node().scalar == "ghk") {
    setting.reversal = models::IonSetting::Reversal::ghk;
  } else if (reversal && reversal->is_scalar() &&
             reversal->node().scalar.find_first_of("0123456789(") == std::string::npos) {
    const std::string& word = reversal->node().scalar;
    read.error(*reversal, fmt::format("must be nernst, ghk or a voltage, not '{}'.{}", word,
                                      did_you_mean(word, {"nernst", "ghk"})));
  } else if (reversal) {
    read.take(read_value(context, *reversal, voltage), setting.reversal_mV);
  }
  return read.result(setting);
}

}  // namespace

std::vector<models::IonSetting> read_ions(ReadContext& context, const Item& item) {
  std::vector<models::IonSetting> settings;
  MapReader map(item, "ions");
  for (const auto& ion : known_ions(context.signatures))
    if (const auto entry = map.find(ion))
      if (auto setting = read_ion(context, *entry, ion)) settings.push_back(std::move(*setting));
  map.finish();
  return settings;
}

}  // namespace hillock::io
