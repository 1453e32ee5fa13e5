#include "io/circuit/circuit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "io/circuit/edges.hpp"
#include "io/circuit/inputs.hpp"

namespace hillock::io::circuit {

namespace {

/// The model's `run`.
SectionText run_text(const Config& config) {
  if (const auto run = config.find("run"))
    warn_of_misspelt(*run, {"tstart", "tstop", "dt", "dL", "spike_threshold"});
  if (const auto conditions = config.find("conditions"))
    warn_of_misspelt(*conditions, {"celsius", "v_init"});
  SectionText text;
  text += "run:\n";
  const auto add = [&](const char* section, const char* key, double otherwise, const char* name,
                       const char* unit) {
    const auto item = config.find(section, key);
    const auto number = item ? number_of(*item) : std::optional(otherwise);
    text.from(item ? item->place() : Place{}, fmt::format("run.{}", name),
              fmt::format("{}.{}", section, key));
    text += fmt::format("  {}: {} {}\n", name, number_text(number.value_or(otherwise)), unit);
  };
  add("run", "tstop", 0, "duration", "ms");
  add("run", "dt", config.step_ms(), "dt", "ms");
  add("conditions", "celsius", 6.3, "temperature", "degC");
  add("conditions", "v_init", -65, "v_init", "mV");
  text.from({});
  text += "  spike_time: grid\n";
  if (!config.find("run", "tstop")) config.root().error("has no run.tstop");
  const auto tstart = config.find("run", "tstart");
  if (tstart && number_of(*tstart).value_or(0) != 0) tstart->error("a run begins at 0 ms");
  return text;
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
  if (!nodes) return check_others(), imported;
  Mechanisms mechanisms(*config, options);
  const FileNames names(options.names_from.empty() ? config_file.parent_path()
                                                   : options.names_from);
  CellTexts texts(*config, files, mechanisms, names);
  ModelParts model;
  const auto groups = make_populations(*nodes, texts, options.data_folder, model, diagnostics);
  if (!groups) return check_others(), imported;
  Synapses synapses(*config, files, mechanisms);
  make_projections(*config, options.column_reader, *nodes, *groups, synapses, options.data_folder,
                   model, diagnostics);
  const NodeSets sets(*config, *nodes, files);
  const Wiring wiring{*config, *nodes, sets, *groups, options.column_reader, options.data_folder};
  make_stimuli(wiring, model, diagnostics);
  make_records(wiring, model, diagnostics);
  SectionText mods;
  for (const auto& file : mechanisms.used_files())
    mods += fmt::format("  - {}\n", quoted_text(names(file)));
  imported.origins = std::move(model.origins);
  imported.text = "hillock: 1\n";
  imported.origins.add(2, run);
  imported.text += run.text();
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
