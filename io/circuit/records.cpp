// Reports of a simulation as records of the model.

#include <fmt/ranges.h>

#include <algorithm>

#include "core/program/file_name.hpp"
#include "io/circuit/inputs.hpp"
#include "io/circuit/number_table.hpp"

namespace hillock::io::circuit {

namespace {

/// "soma(0.5)" for the soma, "all", "{of: [dend, apic]}"; empty of words that are no sections.
std::string places_of(const std::string& sections, const std::set<std::string>& of_cell) {
  if (sections == "soma" || sections == "somatic") return "\"soma[0](0.5)\"";
  if (sections == "all") return "all";
  static const std::map<std::string, std::string> names{{"dend", "dend"}, {"basal", "dend"},
                                                        {"apic", "apic"}, {"apical", "apic"},
                                                        {"axon", "axon"}, {"axonal", "axon"}};
  const auto found = names.find(sections);
  return found != names.end() && of_cell.contains(found->second) ? "{of: " + found->second + "}"
                                                                 : "";
}

class ReportReader {
 public:
  ReportReader(const Wiring& wiring, ModelParts& model) : wiring_(wiring), model_(model) {}

  void read(const Item& report, const std::string& name) {
    if (const auto enabled = find(report, "enabled"); enabled && enabled->node().scalar == "false")
      return;
    const auto module = require(report, "module");
    static const std::vector<std::string> known{
        "module", "variable_name", "cells",    "sections", "file_name", "enabled",
        "dt",     "start_time",    "end_time", "interval", "tstart",    "tstop"};
    if (module && module->node().scalar == "extracellular") return read_potential(report, name);
    warn_of_misspelt(report, known);
    if (module && module->node().scalar != "membrane_report" &&
        module->node().scalar != "multimeter_report")
      return module->warning(
          fmt::format("reports of the module '{}' are not made here; this one "
                      "is left out",
                      module->node().scalar));
    const auto variables = require(report, "variable_name");
    const auto cells = find(report, "cells");
    const auto chosen = cells ? wiring_.sets.resolve(*cells) : std::optional(wiring_.sets.all());
    const auto times = times_of(report);
    if (!module || !variables || !chosen || !times) return;
    const auto all = each_of(*variables);
    for (const Item& variable : all) {
      const auto text = variable.text("the name of a variable");
      if (!text) return;
      const auto file = find(report, "file_name");
      std::string as = std::filesystem::path(file ? file->node().scalar : name).stem().string();
      if (all.size() > 1) as += "_" + *text;
      add(report, is_file_name(as) ? as : name_text(as), *text, *chosen, *times);
    }
  }

 private:
  /// bmtk's `ecp`: lines of sources in a medium of 0.3 S/m, sampled in every step.
  void read_potential(const Item& report, const std::string& name) {
    static const std::vector<std::string> known{"module",
                                                "variable_name",
                                                "cells",
                                                "electrode_positions",
                                                "electrode_channels",
                                                "file_name",
                                                "enabled",
                                                "minimum_distance",
                                                "contributions_dir"};
    warn_of_misspelt(report, known);
    const auto electrodes = require(report, "electrode_positions");
    const auto cells = find(report, "cells");
    const auto chosen = cells ? wiring_.sets.resolve(*cells) : std::optional(wiring_.sets.all());
    const auto distance = minimum_distance_of(report);
    if (const auto channels = find(report, "electrode_channels");
        channels && channels->node().scalar != "all")
      return channels->error("some channels of several are not read; only all");
    if (find(report, "contributions_dir"))
      report.warning("what single cells contribute is not written");
    if (!electrodes || !chosen || !distance) return;
    const auto contacts = read_number_table(*electrodes, {"x_pos", "y_pos", "z_pos"});
    if (!contacts) return;
    const std::vector<std::string> of = slices_with_shapes(wiring_, *chosen);
    if (of.empty()) return report.warning("no cell with a shape is in it; this report is left out");
    std::string table = "x,y,z\n";
    for (std::size_t row = 0; row < contacts->lines.size(); ++row)
      table += fmt::format("{},{},{}\n", number_text(contacts->columns[0][row]),
                           number_text(contacts->columns[1][row]),
                           number_text(contacts->columns[2][row]));
    const std::string file = input_file(model_, wiring_, name);
    model_.files[file] = std::move(table);
    const auto named = find(report, "file_name");
    const std::string as =
        std::filesystem::path(named ? named->node().scalar : name).stem().string();
    model_.record += fmt::format(
        "  - {{name: {}, of: [{}], type: float64, potential: {{electrodes: {}, conductivity: 0.3 "
        "S/m{}}}}}\n",
        quoted_text(model_.record_names.unused(is_file_name(as) ? as : name_text(as))),
        fmt::join(of, ", "), quoted_text(file), *distance);
  }

  /// ", minimum_distance: 5 um"; bmtk's is none where nothing is said, and a compartment's radius
  /// for auto.
  std::optional<std::string> minimum_distance_of(const Item& report) {
    const auto given = find(report, "minimum_distance");
    if (given && given->node().scalar == "auto") return "";
    const auto number = number_or(report, "minimum_distance", 0);
    if (!number) return std::nullopt;
    return fmt::format(", minimum_distance: {} um", number_text(std::max(0.0, *number)));
  }

  /// " every: 0.1 ms," and the like, of what the report says of time.
  std::optional<std::string> times_of(const Item& report) {
    std::string text;
    bool is_good = true;
    for (const auto& [key, to] : {std::pair{"dt", "every"},
                                  {"start_time", "start"},
                                  {"end_time", "stop"},
                                  {"interval", "every"},
                                  {"tstart", "start"},
                                  {"tstop", "stop"}}) {
      const auto given = find(report, key);
      if (!given) continue;
      const auto number = number_of(*given);
      is_good = is_good && number;
      text += fmt::format(", {}: {} ms", to, number_text(number.value_or(0)));
    }
    return is_good ? std::optional(text) : std::nullopt;
  }

  void add(const Item& report, const std::string& name, const std::string& variable,
           const NodeChoice& chosen, const std::string& times) {
    const auto given = find(report, "sections");
    std::string sections = given && given->is_scalar() ? given->node().scalar : "all";
    if (given && given->is_list() && given->node().items.size() == 1)
      sections = given->node().items.front()->scalar;
    else if (given && given->is_list() && !given->node().items.empty())
      return given->error("several kinds of sections in one report are not read; name one, or all");
    std::map<std::pair<std::size_t, std::string>, std::string>
        slices;  // by population of nodes, what is recorded and where
    for (const auto& [number, cells] : cells_of(wiring_, chosen)) {
      const CellGroup& group = wiring_.groups[number];
      const std::string what = what_of(group.cell, variable, sections);
      if (what.empty()) continue;
      std::string& of = slices[{group.nodes, what}];
      for (const auto& run : runs_of(cells))
        of += (of.empty() ? "" : ", ") + slice_text(group, run);
    }
    if (slices.empty())
      return report.warning(
          "no cell with a membrane and no neuron of NEST's has what it names; "
          "this report is left out");
    for (const auto& [key, of] : slices)
      model_.record +=
          fmt::format("  - {{name: {}, of: [{}], {}{}}}\n",
                      quoted_text(model_.record_names.unused(name)), of, key.second, times);
  }

  /// "variable: "v", at: soma(0.5)"; empty where a cell has nothing of the kind.
  std::string what_of(const CellText& cell, const std::string& variable,
                      const std::string& sections) {
    if (cell.kind == CellKind::point) {
      if (cell.nest_model.empty()) return "";
      const bool is_quadratic = cell.nest_model == "izhikevich";
      const std::string own = is_quadratic && variable == "V_m"   ? "v"
                              : is_quadratic && variable == "U_m" ? "u"
                                                                  : variable;
      return "variable: " + quoted_text(own);
    }
    const std::string at =
        cell.kind == CellKind::cable ? places_of(sections, cell.sections) : std::string();
    return at.empty() ? at
                      : fmt::format("variable: {}, at: {}", quoted_text(variable_of(variable)), at);
  }

  /// bmtk names a mechanism's variable as NEURON does, "m_NaTs".
  std::string variable_of(const std::string& variable) {
    const std::size_t gap = variable.find('_');
    if (gap == std::string::npos || variable == "i_membrane") return variable;
    return variable.substr(gap + 1) + "." + variable.substr(0, gap);
  }

  const Wiring& wiring_;
  ModelParts& model_;
};

}  // namespace

void make_records(const Wiring& wiring, ModelParts& model, Diagnostics& diagnostics) {
  model.record_names.unused("spikes");  // the file of spikes
  for (const CellGroup& group : wiring.groups)
    if (group.cell.kind != CellKind::node)
      model.record += fmt::format("  - {{name: {}, of: {}}}\n",
                                  model.record_names.unused("spikes_of_" + group.name), group.name);
  const auto reports = wiring.config.find("reports");
  if (!reports || (reports->is_list() && reports->node().items.empty())) return;
  if (!reports->is_map()) return reports->wrong_form("a map of reports by their names");
  ReportReader reader(wiring, model);
  for (const Node::Entry& entry : reports->node().entries) {
    model.record.from(entry.place());
    reader.read(Item(*entry.value, "reports." + entry.key, diagnostics), entry.key);
  }
}

}  // namespace hillock::io::circuit
