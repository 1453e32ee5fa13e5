#include "io/circuit/inputs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <system_error>

#include "core/text/counted.hpp"
#include "io/circuit/comsol.hpp"
#include "io/circuit/electrodes.hpp"
#include "io/circuit/fields.hpp"
#include "io/circuit/spike_trains.hpp"

namespace hillock::io::circuit {

namespace {

class InputReader {
 public:
  InputReader(const Wiring& wiring, ModelParts& model) : wiring_(wiring), model_(model) {}

  void read(const Item& input, const std::string& name) {
    name_ = name;
    static const std::vector<std::string> known{
        "module",       "input_type",    "node_set",       "input_file",        "enabled",
        "amp",          "amps",          "delay",          "duration",          "durations",
        "rs",           "resistance",    "file",           "timestamps_column", "amplitudes_column",
        "separator",    "sweep_id",      "downsample",     "sweep_window",      "section_name",
        "section_dist", "section_index", "positions_file", "mesh_files_dir",    "waveform",
        "comsol_files", "waveforms",     "amplitudes",     "set_nrn_mechanisms"};
    warn_of_misspelt(input, known);
    const auto module = require(input, "module");
    const auto type = find(input, "input_type");
    const auto named = find(input, "node_set");
    const auto chosen = named ? wiring_.sets.resolve(*named) : std::optional(wiring_.sets.all());
    if (!module || !chosen) return;
    if (std::ranges::all_of(*chosen, [](const auto& some) { return some.second.empty(); }))
      return input.warning("no node is in its node set; this input is left out");
    const std::string& of = module->node().scalar;
    const std::string kind = type ? type->node().scalar : "";
    if (kind == "spikes" && (of == "h5" || of == "sonata" || of == "csv"))
      read_spikes(input, *chosen, of == "csv");
    else if (of == "IClamp" && is_current(kind))
      read_current_clamp(wiring_, input, name_, *chosen, model_);
    else if (of == "SEClamp" && (kind == "voltage_clamp" || kind.empty()))
      read_voltage_clamp(wiring_, input, name_, *chosen, model_);
    else if (of == "xstim")
      read_xstim(wiring_, input, name_, *chosen, model_);
    else if (of == "comsol")
      read_comsol(wiring_, input, name_, *chosen, model_);
    else
      module->error(fmt::format(
          "inputs of the module '{}'{} are not read (spikes of sonata, h5 and csv files, IClamp "
          "with current_clamp, csv and nwb, SEClamp, xstim and comsol are)",
          of, kind.empty() ? "" : " and the input_type '" + kind + "'"));
  }

 private:
  void read_spikes(const Item& input, const NodeChoice& chosen, bool is_csv) {
    const auto named = require(input, "input_file");
    if (!named) return;
    const auto is_of_circuit = [&](const std::string& name) {
      return wiring_.nodes.find(name) != nullptr;
    };
    std::vector<std::string> missing;
    bool are_virtual = false, has_file_of_it = false;
    std::size_t spikes = 0, used = 0;
    for (const auto& [p, nodes] : chosen) {
      const NodePopulation& population = wiring_.nodes.populations()[p];
      if (!has_virtual(population, nodes)) continue;  // as bmtk does
      are_virtual = true;
      const auto trains = read_spike_trains(*named, path_of(*named), is_csv, population.name,
                                            is_of_circuit, wiring_.column_reader);
      if (!trains) return;
      if (trains->are_missing) {
        missing.push_back(population.name);
        continue;
      }
      has_file_of_it = true;
      if (!trains->population.empty() && trains->population != population.name)
        named->warning(fmt::format("has spikes of '{}', which are taken for those of '{}'",
                                   trains->population, population.name));
      spikes += trains->times_ms.size();
      used += add_trains(*named, *trains, p, nodes);
    }
    if (!are_virtual)
      return input.warning("no node of its node set is virtual; this input is left out");
    if (!has_file_of_it)
      return named->error(fmt::format("has no spikes of '{}'", fmt::join(missing, "' and '")));
    if (spikes == 0)
      named->warning("has no spikes of these nodes");
    else if (used == 0)
      named->warning(
          fmt::format("none of its {} is of a node in the node set", counted(spikes, "spike")));
  }

  bool has_virtual(const NodePopulation& population,
                   const std::vector<std::uint32_t>& nodes) const {
    return std::ranges::any_of(nodes, [&](std::uint32_t node) {
      return wiring_.groups[population.cells[node].group].cell.kind == CellKind::node;
    });
  }

  /// The number of spikes that nodes of the choice have.
  std::size_t add_trains(const Item& named, const SpikeTrains& trains, std::size_t p,
                         const std::vector<std::uint32_t>& nodes) {
    const auto refuse = [&](const std::string& problem) {
      named.error(problem);
      return std::size_t{1};  // what follows would only repeat it
    };
    const NodePopulation& population = wiring_.nodes.populations()[p];
    std::vector<bool> is_chosen(population.ids.size());
    for (const std::uint32_t node : nodes) is_chosen[node] = true;
    const double step_ms = wiring_.config.step_ms();
    std::map<std::uint32_t, std::string> tables, early_tables;
    std::size_t used = 0;
    for (std::size_t i = 0; i < trains.times_ms.size(); ++i) {
      const auto node = population.at.find(trains.nodes[i]);
      if (node == population.at.end() || !is_chosen[node->second]) continue;
      const CellOf cell = population.cells[node->second];
      if (wiring_.groups[cell.group].cell.kind != CellKind::node)
        return refuse(fmt::format("has spikes of node {} of {}, which is not virtual",
                                  trains.nodes[i], population.name));
      if (!(trains.times_ms[i] >= 0) || !std::isfinite(trains.times_ms[i]))
        return refuse(fmt::format("has a spike at {} ms", trains.times_ms[i]));
      ++used;
      auto& table = tables[cell.group];
      if (table.empty()) table = "cell,time_ms\n";
      fmt::format_to(std::back_inserter(table), "{},{}\n", cell.cell, trains.times_ms[i]);
      if (!model_.early.contains(cell.group)) continue;
      if (trains.times_ms[i] < step_ms)
        return refuse(
            fmt::format("has a spike of node {} at {} ms, and edges lead from there along "
                        "which it arrives in the step in which it is sent: such a spike "
                        "must not come before the end of the first step, {} ms",
                        trains.nodes[i], trains.times_ms[i], step_ms));
      auto& early = early_tables[cell.group];
      if (early.empty()) early = "cell,time_ms\n";
      fmt::format_to(std::back_inserter(early), "{},{}\n", cell.cell,
                     before(trains.times_ms[i], step_ms));
    }
    for (auto& [group, table] : tables) add_table(wiring_.groups[group].name, std::move(table));
    for (auto& [group, table] : early_tables) add_table(model_.early.at(group), std::move(table));
    return used;
  }

  /// Of a population's spikes.
  void add_table(const std::string& of, std::string table) {
    const std::string file = input_file(model_, wiring_, fmt::format("{}_{}", name_, of));
    model_.stimuli +=
        fmt::format("  - {{name: {}, to: {}, spikes: {{csv: {}}}, weight: 1}}\n",
                    quoted_text(fmt::format("{} of {}", name_, of)), of, quoted_text(file));
    model_.files[file] = std::move(table);
  }

  /// The number that gives `time_ms` when `step_ms` is added to it, or one beside it.
  static double before(double time_ms, double step_ms) {
    double earlier = time_ms - step_ms;
    for (const double to : {-step_ms, time_ms})
      if (const double next = std::nextafter(earlier, to);
          earlier + step_ms != time_ms && next + step_ms == time_ms)
        earlier = next;
    return earlier;
  }

  const Wiring& wiring_;
  ModelParts& model_;
  std::string name_;
};

/// Calls use(input, entry) for each that is enabled. A file of it that cannot be read is reported.
template <class Use>
void for_each_input(const Config& config, Diagnostics& diagnostics, const Use& use) {
  const auto inputs = config.find("inputs");
  if (!inputs || (inputs->is_list() && inputs->node().items.empty())) return;
  if (!inputs->is_map()) return inputs->wrong_form("a map of inputs by their names");
  for (const Node::Entry& entry : inputs->node().entries) {
    const Item input(*entry.value, "inputs." + entry.key, diagnostics);
    if (const auto enabled = find(input, "enabled"); enabled && enabled->node().scalar == "false")
      continue;
    const auto named = find(input, "input_file"), table = find(input, "file");
    read_named(named ? *named : table ? *table : input, [&] { use(input, entry); });
  }
}

}  // namespace

std::string input_file(ModelParts& model, const Wiring& wiring, const std::string& name) {
  return fmt::format("{}/input_{}.csv", wiring.data_folder,
                     model.input_files.unused(name_text(name)));
}

std::map<std::uint32_t, std::vector<std::uint32_t>> cells_of(const Wiring& wiring,
                                                             const NodeChoice& choice) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> cells;
  for (const auto& [population, nodes] : choice)
    for (const std::uint32_t node : nodes) {
      const CellOf cell = wiring.nodes.populations()[population].cells[node];
      cells[cell.group].push_back(cell.cell);
    }
  for (auto& [group, some] : cells) std::ranges::sort(some);
  return cells;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of(
    const std::vector<std::uint32_t>& numbers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (const std::uint32_t number : numbers)
    if (!runs.empty() && runs.back().second == number)
      ++runs.back().second;
    else
      runs.emplace_back(number, number + 1);
  return runs;
}

std::string slice_text(const CellGroup& group, const std::pair<std::uint32_t, std::uint32_t>& run) {
  if (run.first == 0 && run.second == group.rows.size()) return group.name;
  return fmt::format("\"{}[{}:{}]\"", group.name, run.first, run.second);
}

void make_stimuli(const Wiring& wiring, ModelParts& model, Diagnostics& diagnostics) {
  InputReader reader(wiring, model);
  for_each_input(wiring.config, diagnostics, [&](const Item& input, const Node::Entry& entry) {
    model.stimuli.from(entry.place());
    reader.read(input, entry.key);
  });
}

void check_input_files(const Config& config, Diagnostics& diagnostics) {
  for_each_input(config, diagnostics, [](const Item& input, const Node::Entry&) {
    for (const char* const key : {"input_file", "file"})
      if (const auto named = find(input, key))
        if (std::ifstream stream(path_of(*named)); !stream.good())
          throw InputOutputError(path_of(*named).string(), std::generic_category().message(errno));
  });
}

std::vector<std::string> slices_with_shapes(const Wiring& wiring, const NodeChoice& choice) {
  std::vector<std::string> slices;
  for (const auto& [number, cells] : cells_of(wiring, choice)) {
    const CellGroup& group = wiring.groups[number];
    if (group.cell.kind != CellKind::cable) continue;
    for (const auto& run : runs_of(cells)) slices.push_back(slice_text(group, run));
  }
  return slices;
}

}  // namespace hillock::io::circuit
