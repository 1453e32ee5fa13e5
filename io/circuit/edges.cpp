#include "io/circuit/edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "io/circuit/edge_weight.hpp"

namespace hillock::io::circuit {

namespace {

constexpr double nest_delay_ms = 1;  ///< where an edge has none
constexpr double most_sections = 1e9;

/// Connections of one projection.
struct Rows {
  std::size_t example = 0;  ///< an edge that they are of
  bool are_placed = false;  ///< each says where it leads
  std::vector<std::uint32_t> edges, sources, targets;
  std::vector<double> weights, delays_ms, branches, positions;
};

/// A type, the groups of the sources and the targets, the edges' group in their file, whether their
/// sources are `early`.
using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, bool>;

/// Columns that differ from row to row; what all share stands in the projection.
std::string table_of(const Rows& rows, bool weights, bool delays) {
  std::string table = "source,target";
  if (weights) table += ",weight";
  if (delays) table += ",delay";
  if (rows.are_placed) table += ",branch,position";
  table += '\n';
  for (std::size_t i = 0; i < rows.sources.size(); ++i) {
    fmt::format_to(std::back_inserter(table), "{},{}", rows.sources[i], rows.targets[i]);
    if (weights) fmt::format_to(std::back_inserter(table), ",{}", rows.weights[i]);
    if (delays) fmt::format_to(std::back_inserter(table), ",{}", rows.delays_ms[i]);
    if (rows.are_placed)
      fmt::format_to(std::back_inserter(table), ",{},{}", rows.branches[i], rows.positions[i]);
    table += '\n';
  }
  return table;
}

bool are_one(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

/// The edges of one population in a file.
class EdgePopulation {
 public:
  EdgePopulation(const Elements& edges, const NodePopulation& sources,
                 const NodePopulation& targets, const std::vector<CellGroup>& groups,
                 Synapses& synapses, double step_ms, Diagnostics& diagnostics)
      : edges_(edges),
        sources_(sources),
        targets_(targets),
        groups_(groups),
        synapses_(synapses),
        step_ms_(step_ms),
        diagnostics_(diagnostics),
        weight_(edges, *sources.elements, *targets.elements),
        delay_(edges.numbers("delay")),
        nsyns_(edges.numbers("nsyns")),
        section_(edges.numbers("sec_id")),
        section_x_(edges.numbers("sec_x")),
        afferent_(edges.numbers("afferent_section_id")),
        afferent_x_(edges.numbers("afferent_section_pos")),
        template_(edges.attribute("model_template")),
        parameters_(edges.attribute("dynamics_params")),
        target_sections_(edges.attribute("target_sections")),
        distance_(edges.attribute("distance_range")),
        gap_(edges.attribute("is_gap_junction")) {}

  /// False after an error.
  bool read(const std::vector<std::uint64_t>& source_ids,
            const std::vector<std::uint64_t>& target_ids) {
    if (!can_have_synapses(target_ids)) return false;
    for (std::size_t edge = 0; edge < edges_.size(); ++edge)
      if (!read(edge, source_ids[edge], target_ids[edge])) return false;
    return true;
  }

  /// False after an error.
  bool write(const std::string& name, const std::string& data_folder, ModelParts& model) {
    bool good = true;
    for (const auto& [key, rows] : rows_) good = write(name, key, rows, data_folder, model) && good;
    return good;
  }

 private:
  bool refuse(const Place& place, const std::string& problem) {
    diagnostics_.error(place, problem);
    return false;
  }

  /// Whether the synapses of all edges can be listed at all, before any is. Those onto point
  /// neurons and those with a place of their own are one an edge.
  bool can_have_synapses(const std::vector<std::uint64_t>& target_ids) {
    constexpr double most_synapses = 50'000'000;
    double all = 0;
    for (std::size_t edge = 0; edge < edges_.size(); ++edge)
      if (!section_.has(edge) && !afferent_.has(edge) && is_cable(target_ids[edge]))
        all += std::max(0.0, nsyns_.number(edge).value_or(1));
    return all <= most_synapses ||
           refuse(edges_.place(), fmt::format("its edges have {:.12g} synapses (nsyns); at most {} "
                                              "are possible",
                                              all, most_synapses));
  }

  bool is_cable(std::uint64_t target_id) const {
    const auto target = targets_.at.find(target_id);
    return target != targets_.at.end() &&
           groups_[targets_.cells[target->second].group].cell.kind == CellKind::cable;
  }

  bool read(std::size_t edge, std::uint64_t source_id, std::uint64_t target_id) {
    const auto source = sources_.at.find(source_id);
    const auto target = targets_.at.find(target_id);
    if (source == sources_.at.end() || target == targets_.at.end())
      return refuse(edges_.place(),
                    fmt::format("edge {} joins node {} of {} to node {} of {}, one of which is not "
                                "there",
                                edge, source_id, sources_.name, target_id, targets_.name));
    const CellOf from = sources_.cells[source->second], to = targets_.cells[target->second];
    const CellGroup& group = groups_[to.group];
    if (group.cell.kind == CellKind::node)
      return refuse(edges_.place(), fmt::format("edge {} leads to node {} of {}, which is virtual",
                                                edge, target_id, targets_.name));
    if (is_gap_junction(edge))
      return refuse(edges_.type_place(edge), "gap junctions of circuits are not read");
    std::string problem;
    auto weight = weight_.of(edge, source->second, target->second, problem);
    if (!weight)
      return refuse(weight_.place(edge, edges_.type_place(edge)),
                    fmt::format("edge {} of {}: {}", edge, edges_.place().file, problem));
    auto delay = delay_.number(edge);
    if (!delay && !group.cell.nest_weight_unit.empty()) delay = nest_delay_ms;
    if (!delay) return refuse(edges_.type_place(edge), "edges of this type have no delay");
    if (!std::isfinite(*weight) || !(*delay >= 0 && std::isfinite(*delay)))
      return refuse(edges_.place(), fmt::format("edge {} has the weight {} and the delay {} ms",
                                                edge, *weight, *delay));
    const bool is_placed = section_.has(edge) || afferent_.has(edge);
    const bool is_early =
        groups_[from.group].cell.kind == CellKind::node && *delay < step_ms_ * (1 - 1e-9);
    if (is_early) *delay += step_ms_;
    Rows& rows = rows_[{edges_.type(edge), from.group, to.group, edges_.group(edge), is_early}];
    if (!may_join(rows, edge, group.cell.kind == CellKind::cable && is_placed)) return false;
    const double nsyns = is_placed ? 1 : nsyns_.number(edge).value_or(1);
    if (!(nsyns >= 0 && nsyns <= 1e6) || nsyns != std::floor(nsyns))
      return refuse(edges_.place(), fmt::format("edge {} has {} synapses", edge, nsyns));
    int count = static_cast<int>(nsyns);
    if (group.cell.kind == CellKind::point) {
      if (!group.cell.nest_weight_unit.empty())
        *weight *= nsyns;
      else if (!is_placed && nsyns_.has(edge) && !with_sign(edge, nsyns, *weight))
        return false;
      count = 1;
    }
    double branch = -1, position = -1;
    if (rows.are_placed && !place_of(edge, branch, position)) return false;
    for (int k = 0; k < count; ++k) {
      rows.edges.push_back(static_cast<std::uint32_t>(edge));
      rows.sources.push_back(from.cell);
      rows.targets.push_back(to.cell);
      rows.weights.push_back(*weight);
      rows.delays_ms.push_back(*delay);
      if (!rows.are_placed) continue;
      rows.branches.push_back(branch);
      rows.positions.push_back(position);
    }
    return true;
  }

  /// An edge's rows have one synapse, which the first of them says. False after an error.
  bool may_join(Rows& rows, std::size_t edge, bool are_placed) {
    if (rows.sources.empty()) {
      rows.example = edge;
      rows.are_placed = are_placed;
      return true;
    }
    return have_equal_texts(edge, rows.example) ||
           refuse(edges_.place(),
                  fmt::format("edges {} and {} of one type and group have other synapses "
                              "(model_template, dynamics_params, target_sections or "
                              "distance_range): give each a type of its own",
                              rows.example, edge));
  }

  bool is_gap_junction(std::size_t edge) const {
    const auto number = gap_.number(edge);
    const auto text = number ? std::nullopt : gap_.text(edge);
    return number ? *number != 0 : text && text->text != "False" && text->text != "false";
  }

  /// The section of a synapse and where on it. False after an error.
  bool place_of(std::size_t edge, double& branch, double& position) {
    const bool by_section = section_.has(edge);
    const auto section = (by_section ? section_ : afferent_).number(edge);
    const auto at = (by_section ? section_x_ : afferent_x_).number(edge);
    if (!section || !at)
      return refuse(edges_.place(),
                    fmt::format("edge {} has the section of its synapse, and not where on it "
                                "(sec_x or afferent_section_pos)",
                                edge));
    if (!(*section >= 0 && *section <= most_sections) || *section != std::floor(*section) ||
        !(*at >= 0 && *at <= 1))
      return refuse(edges_.place(),
                    fmt::format("edge {} leads to {} of the section {}; a section has a number "
                                "from 0, and places from 0 to 1",
                                edge, *at, *section));
    branch = *section;
    position = *at;
    return true;
  }

  /// Of what is one for all rows of a list.
  bool have_equal_texts(std::size_t one, std::size_t other) const {
    const auto text_of = [](const Attribute& attribute, std::size_t edge) {
      const auto found = attribute.text(edge);
      return found ? found->text : std::string();
    };
    return std::ranges::all_of(
        std::array{&template_, &parameters_, &target_sections_, &distance_},
        [&](const Attribute* each) { return text_of(*each, one) == text_of(*each, other); });
  }

  /// Onto point neurons edges that have a number of synapses are as strong as all of these, with
  /// the sign that their parameters have.
  bool with_sign(std::size_t edge, double nsyns, double& weight) {
    const auto parameters = synapses_.parameters(parameters_.text(edge));
    if (!parameters) return false;
    if (!parameters->has_sign)
      return refuse(edges_.type_place(edge),
                    "edges onto point neurons need dynamics_params with a sign");
    weight *= parameters->sign * nsyns;
    return true;
  }

  bool write(const std::string& name, const Key& key, const Rows& rows,
             const std::string& data_folder, ModelParts& model) {
    if (rows.sources.empty()) return true;
    const auto& [type, from, to, edge_group, is_early] = key;
    const std::string& source =
        is_early ? early_population(model, groups_, from) : groups_[from].name;
    const std::size_t edge = rows.example;
    const CellGroup& target = groups_[to];
    const Place place = edges_.type_place(edge);
    std::string synapse, unit;
    if (target.cell.kind == CellKind::cable) {
      const auto text = synapses_.text_of(template_.text(edge), parameters_.text(edge), place);
      if (!text) return false;
      const auto at = rows.are_placed
                          ? std::optional<std::string>("list")
                          : synapses_.locations(target_sections_.text(edge), distance_.text(edge),
                                                target.cell.sections, place);
      if (!at) return false;
      if (at->empty()) {
        diagnostics_.warning(place, fmt::format("cells of {} have none of the sections that edges "
                                                "of type {} lead to; these are left out",
                                                target.name, type));
        return true;
      }
      synapse = fmt::format(", synapse: {{{}, at: {}}}", text->mechanism, *at);
      if (!text->weight_unit.empty()) unit = " " + text->weight_unit;
    } else if (!target.cell.nest_weight_unit.empty()) {
      const auto nest_synapse = template_.text(edge);
      if (nest_synapse && nest_synapse->text != "static_synapse")
        return refuse(
            nest_synapse->place,
            fmt::format("model_template '{}' of edges onto a neuron of NEST's is not read "
                        "(static_synapse is)",
                        nest_synapse->text));
      if (target.cell.nest_weight_unit != "1") unit = " " + target.cell.nest_weight_unit;
    }
    const bool weights = !are_one(rows.weights), delays = !are_one(rows.delays_ms);
    const std::string own = edge_group == 0 ? "" : fmt::format("_{}", edge_group);
    const std::string full = model.projection_names.unused(
        fmt::format("{}_{}_{}_{}{}", name_text(name), type, source, target.name, own));
    const std::string file = fmt::format("{}/edges_{}.csv", data_folder, full);
    model.files[file] = table_of(rows, weights, delays);
    model.origins.add_table(file, {edges_.place().file, "edge", rows.edges});
    model.projections.from(place);
    model.projections += fmt::format(
        "  - {{name: {}, from: {}, to: {}, connect: {{list: {{csv: {}}}}}{},\n     weight: {}{}, "
        "delay: {} ms}}\n",
        full, source, target.name, quoted_text(file), synapse, number_text(rows.weights.front()),
        unit, number_text(rows.delays_ms.front()));
    return true;
  }

  const Elements& edges_;
  const NodePopulation& sources_;
  const NodePopulation& targets_;
  const std::vector<CellGroup>& groups_;
  Synapses& synapses_;
  double step_ms_;
  Diagnostics& diagnostics_;
  EdgeWeight weight_;
  Attribute delay_, nsyns_, section_, section_x_, afferent_, afferent_x_, template_, parameters_,
      target_sections_, distance_, gap_;
  std::map<Key, Rows> rows_;
};

/// Whose nodes a column of ids names.
const NodePopulation* ends_of(ConfinedFile& file, const std::string& column, const Nodes& nodes,
                              Diagnostics& diagnostics) {
  const std::string name = file.text(column, "node_population");
  const NodePopulation* population = nodes.find(name);
  if (!population)
    diagnostics.error({file.path().string(), 0, 0},
                      name.empty() ? column + " has no attribute node_population"
                                   : fmt::format("{} names nodes of '{}', which are in no file of "
                                                 "nodes",
                                                 column, name));
  return population;
}

using Types = std::shared_ptr<const TypesTable>;

/// Calls use(file, types, name) for each population of edges. What cannot be read is reported.
template <class Use>
void for_each_population(const Config& config, const std::filesystem::path& column_reader,
                         Diagnostics& diagnostics, const Use& use) {
  const auto entries = config.find("networks", "edges");
  if (!entries) return;
  for (const Item& entry : each_of(*entries)) {
    const auto named = require(entry, "edges_file");
    const std::size_t errors = diagnostics.error_count();
    const Types types = read_types(entry, "edge", diagnostics);
    const bool have_types = diagnostics.error_count() == errors;
    if (!named) continue;
    read_named(*named, [&] {
      const auto file = std::make_shared<ConfinedFile>(path_of(*named), column_reader);
      for (const std::string& name : file->children("/edges"))
        if (have_types) use(file, types, name);
    });
  }
}

}  // namespace

void check_edge_files(const Config& config, const std::filesystem::path& column_reader,
                      Diagnostics& diagnostics) {
  for_each_population(config, column_reader, diagnostics, [](const auto&...) {});
}

void make_projections(const Config& config, const std::filesystem::path& column_reader,
                      const Nodes& nodes, const std::vector<CellGroup>& groups, Synapses& synapses,
                      const std::string& data_folder, ModelParts& model, Diagnostics& diagnostics) {
  const auto add = [&](const std::shared_ptr<ConfinedFile>& file, const Types& types,
                       const std::string& name) {
    const std::string path = "/edges/" + name;
    const NodePopulation* sources = ends_of(*file, path + "/source_node_id", nodes, diagnostics);
    const NodePopulation* targets = ends_of(*file, path + "/target_node_id", nodes, diagnostics);
    if (!sources || !targets) return;
    const auto edges = Elements::read(file, path, "edge", types, diagnostics);
    const auto from = Elements::whole_numbers(*file, path + "/source_node_id", diagnostics);
    const auto to = Elements::whole_numbers(*file, path + "/target_node_id", diagnostics);
    if (!edges || !from || !to) return;
    if (from->size() != edges->size() || to->size() != edges->size())
      return diagnostics.error(edges->place(),
                               path + " has another number of sources or targets than of edges");
    for (const std::string& unread : edges->unread())
      diagnostics.error(edges->place(), unread + ": parameters of single edges are not read");
    const std::size_t before = diagnostics.error_count();
    EdgePopulation population(*edges, *sources, *targets, groups, synapses, config.step_ms(),
                              diagnostics);
    if (diagnostics.error_count() > before) return;
    if (population.read(*from, *to)) population.write(name, data_folder, model);
  };
  for_each_population(config, column_reader, diagnostics, add);
}

}  // namespace hillock::io::circuit
