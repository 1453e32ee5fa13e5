#include "io/circuit/cells.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/program/whole_file.hpp"
#include "io/swc/swc_samples.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_swc_file = 256u << 20;
constexpr std::array nest_models{"aeif_cond_exp", "iaf_cond_alpha", "iaf_cond_exp", "iaf_psc_alpha",
                                 "iaf_psc_delta", "iaf_psc_exp",    "izhikevich"};

/// What the catalogue calls a parameter or initial value of NEST's.
std::string own_name(const MechanismSignature& mechanism, const std::string& name) {
  if (name == "V_m") return mechanism.find("V_init") ? "V_init" : "v_init";
  if (name == "w" && mechanism.find("w_init")) return "w_init";
  if (name == "V_th" && mechanism.find("threshold")) return "threshold";
  return name;
}

/// "ctdb" and "Biophys1.hoc" of "ctdb:Biophys1.hoc".
std::pair<std::string, std::string> parts_of(const std::string& model_template) {
  const std::size_t colon = model_template.find(':');
  if (colon == std::string::npos) return {"", model_template};
  return {model_template.substr(0, colon), model_template.substr(colon + 1)};
}

/// The sections that a morphology has, by the types in its SWC file; none after an error.
std::set<std::string> sections_in(const std::string& swc, const std::string& file,
                                  Diagnostics& diagnostics) {
  Diagnostics found;  // warnings come again when the model is read
  std::set<std::string> sections;
  for (const auto& sample : swc::read_samples(swc, file, Measures{}, found))
    if (sample.type >= 1 && sample.type <= 4) {
      constexpr std::array by_type{"soma", "axon", "dend", "apic"};
      sections.insert(by_type[static_cast<std::size_t>(sample.type - 1)]);
    }
  for (const Diagnostic& diagnostic : found.all())
    if (diagnostic.severity == Severity::error) diagnostics.add(diagnostic);
  return sections;
}

}  // namespace

std::optional<std::filesystem::path> CellTexts::component(const char* folder,
                                                          const std::string& name,
                                                          const Place& place) {
  const auto named = config_.find("components", folder);
  if (!named) {
    files_.diagnostics().error(place, fmt::format("'{}' lies in a folder that the configuration "
                                                  "does not name (components: {})",
                                                  name, folder));
    return std::nullopt;
  }
  return (path_of(*named) / name).lexically_normal();
}

std::optional<CellText> CellTexts::text_of(const CellDescription& cell, const Place& place) {
  if (cell.model_type == "virtual")
    return CellText{CellKind::node, "{artificial: {relay: {}}}", {}, {}, {}};
  if (cell.model_type == "point_process" || cell.model_type == "point_neuron")
    return point(cell, place);
  if (cell.model_type == "biophysical") return cable(cell, place);
  files_.diagnostics().error(
      place,
      cell.model_type.empty()
          ? "a type of nodes needs a model_type (biophysical, point_neuron, point_process or "
            "virtual)"
          : fmt::format("model_type '{}' is not read (biophysical, point_neuron, "
                        "point_process and virtual are)",
                        cell.model_type));
  return std::nullopt;
}

std::optional<CellText> CellTexts::point(const CellDescription& cell, const Place& place) {
  Diagnostics& diagnostics = files_.diagnostics();
  const auto [directive, name] = parts_of(cell.model_template);
  const bool is_int_fire = cell.model_template == "nrn:IntFire1";
  if (!is_int_fire &&
      (directive != "nest" || std::ranges::find(nest_models, name) == nest_models.end())) {
    diagnostics.error(
        place, fmt::format("model_template '{}' of a point neuron is not read (nrn:IntFire1 and "
                           "nest: with {} are)",
                           cell.model_template, fmt::join(nest_models, ", ")));
    return std::nullopt;
  }
  if (cell.dynamics_params.empty()) {
    if (!is_int_fire) return nest(name, std::nullopt, place);
    diagnostics.error(place, "nrn:IntFire1 needs dynamics_params (tau and refrac)");
    return std::nullopt;
  }
  const auto path = component("point_neuron_models_dir", cell.dynamics_params, place);
  const auto root = path ? files_.read(*path, place) : std::nullopt;
  if (!root) return std::nullopt;
  return is_int_fire ? int_fire(*root) : nest(name, root, place);
}

std::optional<CellText> CellTexts::int_fire(const Item& parameters) const {
  const auto tau = require(parameters, "tau");
  const auto refrac = require(parameters, "refrac");
  if (!tau || !refrac) return std::nullopt;
  for (const Node::Entry& entry : parameters.node().entries)
    if (entry.key != "tau" && entry.key != "refrac" && number_in(entry.value->scalar))
      parameters.diagnostics().warning(
          entry.place(),
          fmt::format("IntFire1 has no parameter '{}' (tau and refrac are read)", entry.key));
  const auto tau_s = number_of(*tau), refrac_s = number_of(*refrac);
  if (!tau_s || !refrac_s) return std::nullopt;
  return CellText{CellKind::point,
                  fmt::format("{{artificial: {{intfire: {{tau: {} ms, refrac: {} ms}}}}}}",
                              number_text(*tau_s * 1000.0), number_text(*refrac_s * 1000.0)),
                  {},
                  {},
                  {}};
}

/// A neuron of NEST's, which the catalogue has under its name, with the names of its parameters.
std::optional<CellText> CellTexts::nest(const std::string& model,
                                        const std::optional<Item>& parameters, const Place& place) {
  Diagnostics& diagnostics = files_.diagnostics();
  const MechanismSignature* const mechanism = mechanisms_.find(model, place, diagnostics);
  if (!mechanism) return std::nullopt;
  const std::size_t errors = diagnostics.error_count();
  std::map<std::string, std::string> values;
  for (const Node::Entry& entry :
       parameters ? parameters->node().entries : std::vector<Node::Entry>()) {
    const Item value(*entry.value, entry.key, diagnostics);
    const std::string name = own_name(*mechanism, entry.key);
    const std::string& given = value.node().scalar;
    const bool is_flag = value.is_scalar() && (given == "true" || given == "false");
    if (!is_flag && !number_of(value)) continue;
    const std::string number = is_flag ? (given == "true" ? "1" : "0") : given;
    const std::string text = Mechanisms::value_text(*mechanism, name, number);
    if (text.empty())
      diagnostics.error(entry.place(), fmt::format("{} has no parameter '{}'", model, entry.key));
    values[name] = text;
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + name + ": " + value;
  return CellText{CellKind::point,
                  fmt::format("{{artificial: {{{}: {{{}}}}}}}", model, text),
                  {},
                  mechanism->weight_unit_text,
                  model};
}

std::optional<Biophysics> CellTexts::biophysics_of(const CellDescription& cell,
                                                   const Place& place) {
  const auto [directive, name] = parts_of(cell.model_template);
  if (directive == "nml") {
    const auto path = component("biophysical_neuron_models_dir", name, place);
    return path ? read_nml(*path, place, files_.diagnostics()) : std::nullopt;
  }
  if (cell.dynamics_params.empty()) return Biophysics{};
  if (cell.model_processing.empty()) {
    files_.diagnostics().warning(
        place, fmt::format("dynamics_params '{}' are not read, for there is no model_processing "
                           "(aibs_perisomatic or aibs_allactive): these cells have no channels",
                           cell.dynamics_params));
    return Biophysics{};
  }
  const auto path = component("biophysical_neuron_models_dir", cell.dynamics_params, place);
  const auto root = path ? files_.read(*path, place) : std::nullopt;
  if (!root) return std::nullopt;
  return read_fit(*root);
}

std::string CellTexts::section_text(const SectionBiophysics& section) {
  std::string text;
  const auto add = [&](const std::string& entry) { text += (text.empty() ? "" : ", ") + entry; };
  if (section.cm_uF_per_cm2) add("cm: " + *section.cm_uF_per_cm2 + " uF/cm2");
  if (section.Ra_ohm_cm) add("Ra: " + *section.Ra_ohm_cm + " ohm.cm");
  for (const auto& [name, parameters] : section.mechanisms) {
    const Place& place = section.places.at(name);
    const std::size_t errors = files_.diagnostics().error_count();
    const MechanismSignature* signature = mechanisms_.find(name, place, files_.diagnostics());
    if (!signature && files_.diagnostics().error_count() == errors)
      files_.diagnostics().error(place,
                                 fmt::format("there is no mechanism '{}' among the circuit's "
                                             ".mod files, and none that is built in",
                                             name));
    if (!signature) continue;
    std::string values;
    for (const auto& parameter : parameters) {
      const std::string value = Mechanisms::value_text(*signature, parameter.name, parameter.value);
      if (value.empty())
        files_.diagnostics().error(parameter.place,
                                   fmt::format("{} has no parameter '{}'", name, parameter.name));
      values += (values.empty() ? "" : ", ") + parameter.name + ": " + value;
    }
    add(name + ": {" + values + "}");
  }
  std::string ions;
  if (section.ena_mV) ions = "na: {e: " + *section.ena_mV + " mV}";
  if (section.ek_mV)
    ions += std::string(ions.empty() ? "" : ", ") + "k: {e: " + *section.ek_mV + " mV}";
  if (!ions.empty()) add("ions: {" + ions + "}");
  return text;
}

namespace {

/// What is not read of a biophysical cell, or an empty text.
std::string unread_problem(const CellDescription& cell) {
  const auto [directive, name] = parts_of(cell.model_template);
  if (directive == "hoc")
    return fmt::format(
        "the template '{}' is written in hoc, a program of NEURON's, which "
        "is not read (ctdb:Biophys1 and nml: are)",
        name);
  const bool is_ctdb = directive == "ctdb" && (name == "Biophys1" || name == "Biophys1.hoc");
  if (!is_ctdb && directive != "nml")
    return fmt::format(
        "model_template '{}' of a biophysical cell is not read "
        "(ctdb:Biophys1 and nml: are)",
        cell.model_template);
  const std::string& processing = cell.model_processing;
  if (!processing.empty() && processing != "aibs_perisomatic" && processing != "aibs_allactive")
    return fmt::format(
        "model_processing '{}' is not read (aibs_perisomatic or aibs_allactive, "
        "with or without extracellular, is)",
        processing);
  if (directive == "nml" && (processing == "aibs_allactive" || !cell.dynamics_params.empty()))
    return "an nml: cell has its parameters in its own file: dynamics_params and "
           "aibs_allactive do not go with it";
  if (processing == "aibs_allactive" && cell.dynamics_params.empty())
    return "aibs_allactive needs dynamics_params";
  if (cell.morphology.empty()) return "a biophysical cell needs a morphology";
  return "";
}

}  // namespace

std::optional<CellText> CellTexts::cable(const CellDescription& cell, const Place& place) {
  Diagnostics& diagnostics = files_.diagnostics();
  const auto refuse = [&](const std::string& problem) {
    diagnostics.error(place, problem);
    return std::nullopt;
  };
  if (const std::string problem = unread_problem(cell); !problem.empty()) return refuse(problem);
  const std::string directive = std::string(parts_of(cell.model_template).first);
  const std::string& processing = cell.model_processing;
  auto swc = component("morphologies_dir", cell.morphology, place);
  if (!swc) return std::nullopt;
  std::error_code error;
  if (!std::filesystem::exists(*swc, error) && swc->extension() != ".swc") *swc += ".swc";
  std::string swc_text;
  if (const std::string problem = read_whole_file(*swc, largest_swc_file, swc_text);
      !problem.empty())
    return refuse(fmt::format("{}: {}", swc->string(), problem));
  const std::size_t errors = diagnostics.error_count();
  CellText result{CellKind::cable, "", sections_in(swc_text, swc->string(), diagnostics), {}, {}};
  const auto biophysics = biophysics_of(cell, place);
  if (!biophysics) return std::nullopt;
  const bool replaces = directive == "nml" || !processing.empty();
  const bool is_fitted = directive == "nml" || !cell.dynamics_params.empty();
  std::string stub;
  if (replaces && is_fitted) {
    result.sections.insert("axon");
    stub = processing == "aibs_allactive"
               ? ", replace_axon: {branches: 2, length: 30 um, diameter: original, at: 1}"
               : ", replace_axon: {branches: 2, length: 30 um, diameter: 1 um}";
  }
  const auto dL = config_.find("run", "dL");
  const auto threshold = config_.find("run", "spike_threshold");
  const std::optional<double> dL_um = dL ? number_of(*dL) : 20;
  const std::optional<double> threshold_mV = threshold ? number_of(*threshold) : -15;
  if (!dL_um || !threshold_mV) return std::nullopt;
  if (dL && !(*dL_um > 0)) {
    dL->error("must be positive");
    return std::nullopt;
  }
  result.text = fmt::format(
      "\n    morphology: {{swc: {}{}}}\n    discretization: {{odd_pieces: {} um}}\n"
      "    detector: {{at: \"soma[0](0.5)\", threshold: {} mV}}\n    regions:\n",
      quoted_text(names_(*swc)), stub, number_text(2 * *dL_um), number_text(*threshold_mV));
  std::string regions;
  for (const auto& [section, what] : *biophysics)
    if (result.sections.contains(section))
      regions += fmt::format("      {}: {{{}}}\n", section, section_text(what));
  result.text += regions.empty() ? "      all: {}\n" : regions;
  if (diagnostics.error_count() > errors) return std::nullopt;
  return result;
}

}  // namespace hillock::io::circuit
