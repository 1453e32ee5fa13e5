#include "io/circuit/synapses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/circuit/model_text.hpp"

namespace hillock::io::circuit {

namespace {

constexpr double farthest_um = 1e6;  ///< what is beyond is no limit

/// The section that a word of `target_sections` means; empty of others.
std::string section_of(const std::string& word) {
  static const std::map<std::string, std::string> names{
      {"soma", "soma"}, {"somatic", "soma"}, {"dend", "dend"}, {"basal", "dend"},
      {"apic", "apic"}, {"apical", "apic"},  {"axon", "axon"}, {"axonal", "axon"}};
  const auto found = names.find(word);
  return found == names.end() ? "" : found->second;
}

/// NEURON's and bmtk's names of what is built in here.
std::string mechanism_of(const std::string& model_template) {
  if (model_template == "Exp2Syn" || model_template == "exp2syn") return "exp2syn";
  if (model_template == "ExpSyn" || model_template == "expsyn") return "expsyn";
  return model_template;
}

/// bmtk's word for a parameter of a synapse, and the mechanism's.
std::string parameter_of(const std::string& mechanism, const std::string& word) {
  if (word == "erev") return "e";
  if (word == "tau1" && mechanism == "expsyn") return "tau";
  if (word == "tau_1" && (mechanism == "exp1syn" || mechanism == "exp1isyn")) return "tau";
  return word;
}

}  // namespace

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  constexpr std::string_view between = " \t,[]()'\"";
  for (std::size_t at = text.find_first_not_of(between); at != std::string::npos;
       at = text.find_first_not_of(between, at)) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::vector<double>> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : words_in(text)) {
    const auto number = number_in(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<SynapseParameters> Synapses::parameters(const std::optional<Attribute::Text>& file) {
  if (!file) return SynapseParameters{};
  const auto [found, is_new] = known_.try_emplace(file->text);
  if (!is_new) return found->second;
  const auto folder = config_.find("components", "synaptic_models_dir");
  if (!folder) {
    files_.diagnostics().error(file->place,
                               fmt::format("'{}' lies in a folder that the configuration does not "
                                           "name (components: synaptic_models_dir)",
                                           file->text));
    return std::nullopt;
  }
  SynapseParameters parameters;
  parameters.root = files_.read(path_of(*folder) / file->text, file->place);
  if (!parameters.root) return std::nullopt;
  if (const auto sign = find(*parameters.root, "sign")) {
    const auto number = number_of(*sign);
    if (!number) return std::nullopt;
    parameters.sign = *number;
    parameters.has_sign = true;
  }
  found->second = std::move(parameters);
  return found->second;
}

std::optional<Synapses::Text> Synapses::text_of(
    const std::optional<Attribute::Text>& model_template,
    const std::optional<Attribute::Text>& file, const Place& place) {
  Diagnostics& diagnostics = files_.diagnostics();
  if (!model_template) {
    diagnostics.error(place, "edges onto biophysical cells need a model_template (exp2syn)");
    return std::nullopt;
  }
  const auto given = parameters(file);
  if (!given) return std::nullopt;
  const std::string name = mechanism_of(model_template->text);
  const std::size_t errors = diagnostics.error_count();
  const MechanismSignature* mechanism = mechanisms_.find(name, model_template->place, diagnostics);
  if (!mechanism || !mechanism->receives_events) {
    if (diagnostics.error_count() == errors)
      diagnostics.error(model_template->place,
                        fmt::format("model_template '{}' is no synapse: neither a built-in one nor "
                                    "one of the circuit's .mod files",
                                    model_template->text));
    return std::nullopt;
  }
  std::string values;
  if (given->root)
    for (const Node::Entry& entry : given->root->node().entries) {
      const Item value(*entry.value, entry.key, diagnostics);
      if (entry.key == "sign" && !mechanism->find(entry.key)) continue;
      const std::string parameter = parameter_of(name, entry.key);
      const bool is_number = value.is_scalar() && number_in(value.node().scalar);
      const std::string text =
          Mechanisms::value_text(*mechanism, parameter, is_number ? value.node().scalar : "0");
      if (text.empty() && (!value.is_scalar() || (value.node().quoted && !is_number)))
        continue;  // level_of_detail and other words
      if (text.empty()) {
        diagnostics.error(entry.place(), fmt::format("{} has no parameter '{}'", name, parameter));
        continue;
      }
      if (!number_of(value)) continue;
      values += (values.empty() ? "" : ", ") + parameter + ": " + text;
    }
  if (diagnostics.error_count() > errors) return std::nullopt;
  const std::string& unit = mechanism->weight_unit_text;
  return Text{name + ": {" + values + "}", unit == "1" ? "" : unit};
}

std::optional<std::string> Synapses::locations(const std::optional<Attribute::Text>& sections,
                                               const std::optional<Attribute::Text>& distance,
                                               const std::set<std::string>& of_cell,
                                               const Place& place) {
  Diagnostics& diagnostics = files_.diagnostics();
  if (!sections) {
    diagnostics.error(place,
                      "says neither the sections of its synapses (afferent_section_id or sec_id) "
                      "nor where they may lie (target_sections)");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const std::string& word : words_in(sections->text)) {
    const std::string name = section_of(word);
    if (name.empty()) {
      diagnostics.error(sections->place, fmt::format("'{}' is no kind of section", word));
      return std::nullopt;
    }
    if (of_cell.contains(name) && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  if (names.empty()) return "";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  std::string text = "{of: " + (names.size() == 1 ? list : "[" + list + "]");
  if (distance) {
    auto range = numbers_in(distance->text);
    if (range && range->size() == 1) range->insert(range->begin(), 0.0);
    if (!range || range->size() != 2 || (*range)[0] > (*range)[1]) {
      diagnostics.error(distance->place,
                        fmt::format("'{}' is no range of distances", distance->text));
      return std::nullopt;
    }
    if ((*range)[0] > 0 || (*range)[1] < farthest_um)
      text += fmt::format(", distance: [{} um, {} um]", number_text(std::max(0.0, (*range)[0])),
                          number_text(std::min(farthest_um, (*range)[1])));
  }
  return text + "}";
}

}  // namespace hillock::io::circuit
