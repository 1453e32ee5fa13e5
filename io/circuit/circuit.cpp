#include "io/circuit/circuit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "io/circuit/edges.hpp"
#include "io/circuit/inputs.hpp"

namespace hillock::io::circuit {

namespace {

/// The model's `run`; nothing after an error.
std::optional<std::string> run_text(const Config& config) {
  if (const auto run = config.find("run"))
    warn_of_misspelt(*run, {"tstart", "tstop", "dt", "dL", "spike_threshold"});
  if (const auto conditions = config.find("conditions"))
    warn_of_misspelt(*conditions, {"celsius", "v_init"});
  const auto tstop = config.find("run", "tstop");
  if (!tstop) {
    config.root().error("has no run.tstop");
    return std::nullopt;
  }
  const auto number = [](const std::optional<Item>& item, double otherwise) {
    return item ? number_of(*item) : std::optional(otherwise);
  };
  const auto tstart = number(config.find("run", "tstart"), 0);
  const auto duration = number(tstop, 0);
  const auto celsius = number(config.find("conditions", "celsius"), 6.3);
  const auto v_init = number(config.find("conditions", "v_init"), -65);
  const double dt_ms = config.step_ms();
  if (!tstart || !duration || !celsius || !v_init) return std::nullopt;
  if (*tstart != 0) {
    config.find("run", "tstart")->error("a run begins at 0 ms");
    return std::nullopt;
  }
  return fmt::format(
      "run: {{duration: {} ms, dt: {} ms, temperature: {} degC, v_init: {} mV, spike_time: "
      "grid}}\n",
      number_text(*duration), number_text(dt_ms), number_text(*celsius), number_text(*v_init));
}

/// Of which a configuration has one at least.
constexpr std::array sections{"manifest",   "network",    "networks",
                              "simulation", "components", "inputs"};

bool begins_with_brace(const std::filesystem::path& file) {
  std::ifstream stream(file);
  char first = 0;
  return stream >> first && first == '{';
}

void add_section(ImportedCircuit& imported, const char* key, const SectionText& entries) {
  if (entries.empty()) return;
  imported.text += fmt::format("{}:\n", key);
  imported.origins.add(static_cast<int>(std::ranges::count(imported.text, '\n')) + 1, entries);
  imported.text += entries.text();
}

}  // namespace

bool may_be_configuration(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"hillock\"") == std::string_view::npos &&
         std::ranges::any_of(sections, [&](const char* section) {
           return text.find(fmt::format("\"{}\"", section)) != std::string_view::npos;
         });
}

bool is_configuration(const std::filesystem::path& file) {
  if (file.extension() != ".json" && !begins_with_brace(file)) return false;
  Diagnostics unread;  // whoever reads it says what is wrong
  JsonFiles files(unread);
  const NodePtr root = files.read_tree(file, {});
  if (!root || root->kind != Node::Kind::map || root->find("hillock")) return false;
  return std::ranges::any_of(sections,
                             [&](const char* section) { return root->find(section) != nullptr; });
}

ImportedCircuit import_circuit(const std::filesystem::path& config_file,
                               const ImportOptions& options, Diagnostics& diagnostics) {
  ImportedCircuit imported;
  JsonFiles files(diagnostics);
  const auto config = Config::read(config_file, files);
  if (!config) return imported;
  const auto run = run_text(*config);
  auto nodes = Nodes::read(*config, options.column_reader, diagnostics);
  const auto check_others = [&] {
    check_edge_files(*config, options.column_reader, diagnostics);
    check_input_files(*config, diagnostics);
  };
  if (!run || !nodes) return check_others(), imported;
  Mechanisms mechanisms(*config, options);
  const FileNames names(options.names_from.empty() ? config_file.parent_path()
                                                   : options.names_from);
  CellTexts texts(*config, files, mechanisms, names);
  ModelParts model;
  const auto groups = make_populations(*nodes, texts, options.data_folder, model, diagnostics);
  if (diagnostics.has_errors()) return check_others(), imported;
  Synapses synapses(*config, files, mechanisms);
  make_projections(*config, options.column_reader, *nodes, groups, synapses, options.data_folder,
                   model, diagnostics);
  const NodeSets sets(*config, *nodes, files);
  const Wiring wiring{*config, *nodes, sets, groups, options.column_reader, options.data_folder};
  make_stimuli(wiring, model, diagnostics);
  make_records(wiring, model, diagnostics);
  SectionText mods;
  for (const auto& file : mechanisms.used_files())
    mods += fmt::format("  - {}\n", quoted_text(names(file)));
  SectionText head;
  if (const auto given = config->find("run")) head.from(given->place());
  head += *run;
  head.from({});
  imported.origins = std::move(model.origins);
  imported.text = "hillock: 1\n";
  imported.origins.add(2, head);
  imported.text += head.text();
  add_section(imported, "mechanisms", mods);
  add_section(imported, "cells", model.cells);
  add_section(imported, "populations", model.populations);
  add_section(imported, "projections", model.projections);
  add_section(imported, "stimuli", model.stimuli);
  add_section(imported, "record", model.record);
  imported.files = std::move(model.files);
  return imported;
}

}  // namespace hillock::io::circuit
