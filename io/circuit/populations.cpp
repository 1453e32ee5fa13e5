#include "io/circuit/populations.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "io/circuit/synapses.hpp"

namespace hillock::io::circuit {

namespace {

const std::array<std::string, 3> rotation_angles{"rotation_angle_xaxis", "rotation_angle_yaxis",
                                                 "rotation_angle_zaxis"};

/// Where nodes lie, as bmtk finds it: positions, position, or x with y with z; and how they are
/// turned.
class NodePlaces {
 public:
  explicit NodePlaces(const Elements& elements)
      : many_(elements.numbers("positions", 3)),
        one_(elements.numbers("position", 3)),
        xyz_{elements.numbers("x"), elements.numbers("y"), elements.numbers("z")},
        angles_{elements.numbers(rotation_angles[0]), elements.numbers(rotation_angles[1]),
                elements.numbers(rotation_angles[2])} {}

  bool has_rotation(std::size_t node) const {
    return std::ranges::any_of(angles_, [&](const Attribute& angle) { return angle.has(node); });
  }
  /// About x, y and z, rad.
  std::array<double, 3> angles(std::size_t node) const {
    std::array<double, 3> rad{};
    for (std::size_t axis = 0; axis < 3; ++axis) rad[axis] = angles_[axis].number(node).value_or(0);
    return rad;
  }
  bool has_position(std::size_t node) const {
    return many_.has(node) || one_.has(node) || xyz_[0].has(node);
  }
  std::array<double, 3> position(std::size_t node) const {
    std::array<double, 3> um{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (many_.has(node))
        um[axis] = many_.number(node, axis).value_or(0);
      else if (one_.has(node))
        um[axis] = one_.number(node, axis).value_or(0);
      else
        um[axis] = xyz_[axis].number(node).value_or(0);
    }
    return um;
  }

 private:
  Attribute many_, one_;
  std::array<Attribute, 3> xyz_, angles_;
};

/// bmtk's functions of a cell, "aibs_perisomatic,extracellular", but for the one that makes room
/// for potentials outside, which changes no number of a run without any.
std::string without_extracellular(const std::string& processing) {
  std::string others;
  for (const std::string& word : words_in(processing))
    if (word != "extracellular") others += (others.empty() ? "" : ",") + word;
  return others;
}

/// What nodes of one population are.
class Descriptions {
 public:
  explicit Descriptions(const Elements& elements)
      : elements_(elements),
        model_type_(elements.attribute("model_type")),
        model_template_(elements.attribute("model_template")),
        morphology_(elements.attribute("morphology")),
        model_processing_(elements.attribute("model_processing")),
        dynamics_params_(elements.attribute("dynamics_params")) {}

  CellDescription of(std::size_t node) const {
    const auto word = [&](const Attribute& attribute) {
      const auto text = attribute.text(node);
      return text ? text->text : std::string();
    };
    CellDescription cell{elements_.type(node), word(model_type_), "", "", "", ""};
    if (cell.model_type == "virtual") return cell;
    cell.model_template = word(model_template_);
    cell.morphology = word(morphology_);
    cell.model_processing = without_extracellular(word(model_processing_));
    cell.dynamics_params = word(dynamics_params_);
    return cell;
  }

 private:
  const Elements& elements_;
  Attribute model_type_, model_template_, morphology_, model_processing_, dynamics_params_;
};

std::string population_text(const CellGroup& group, const NodePopulation& nodes,
                            const NodePlaces& places, const std::string& data_folder,
                            ModelParts& model) {
  const auto some = [&](const auto& has) { return std::ranges::any_of(group.rows, has); };
  const bool have_positions = some([&](std::uint32_t row) { return places.has_position(row); });
  const bool are_turned = group.cell.kind == CellKind::cable &&
                          some([&](std::uint32_t row) { return places.has_rotation(row); });
  std::string table = "node_id";
  if (have_positions) table += ",x,y,z";
  if (are_turned)
    for (const std::string& name : rotation_angles) table += "," + name;
  table += '\n';
  for (const std::uint32_t row : group.rows) {
    table += fmt::format("{}", nodes.ids[row]);
    if (have_positions)
      for (const double um : places.position(row)) table += "," + number_text(um);
    if (are_turned)
      for (const double rad : places.angles(row)) table += "," + number_text(rad);
    table += '\n';
  }
  const std::string file = fmt::format("{}/nodes_{}.csv", data_folder, group.name);
  model.files[file] = std::move(table);
  model.origins.add_table(file, {nodes.elements->place().file, "row", group.rows});
  return fmt::format(
      "  {}: {{cell: {}, size: {}, nodes: {{population: {}, ids: {{csv: {}, column: "
      "node_id}}}}{}{}}}\n",
      group.name, group.name, group.rows.size(), quoted_text(nodes.name), quoted_text(file),
      have_positions ? fmt::format(", positions: {{csv: {}}}", quoted_text(file)) : "",
      are_turned ? fmt::format(", rotations: {{csv: {}}}", quoted_text(file)) : "");
}

}  // namespace

const std::string& early_population(ModelParts& model, const std::vector<CellGroup>& groups,
                                    std::uint32_t group) {
  std::string& name = model.early[group];
  if (name.empty()) {
    const CellGroup& of = groups[group];
    name = model.population_names.unused(of.name + "_early");
    model.populations +=
        fmt::format("  {}: {{cell: {}, size: {}}}\n", name, of.name, of.rows.size());
  }
  return name;
}

std::optional<std::vector<CellGroup>> make_populations(Nodes& nodes, CellTexts& texts,
                                                       const std::string& data_folder,
                                                       ModelParts& model,
                                                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  std::vector<CellGroup> groups;
  std::vector<NodePlaces> places;  ///< [population of nodes]
  for (std::size_t p = 0; p < nodes.populations().size(); ++p) {
    NodePopulation& population = nodes.populations()[p];
    for (const std::string& unread : population.elements->unread())
      diagnostics.error(population.elements->place(),
                        unread + ": parameters of single nodes are not read");
    const std::size_t errors = diagnostics.error_count();
    const Descriptions descriptions(*population.elements);
    places.emplace_back(*population.elements);
    if (diagnostics.error_count() > errors) continue;
    std::map<CellDescription, std::optional<std::uint32_t>> known;
    population.cells.resize(population.ids.size());
    for (std::uint32_t row = 0; row < population.ids.size(); ++row) {
      const CellDescription cell = descriptions.of(row);
      const auto [found, is_new] = known.try_emplace(cell);
      if (is_new)
        if (auto text = texts.text_of(cell, population.elements->type_place(row))) {
          found->second = static_cast<std::uint32_t>(groups.size());
          groups.push_back({model.population_names.unused(
                                fmt::format("{}_{}", name_text(population.name), cell.type)),
                            p,
                            {},
                            std::move(*text)});
        }
      if (!found->second) continue;
      CellGroup& group = groups[*found->second];
      population.cells[row] = {*found->second, static_cast<std::uint32_t>(group.rows.size())};
      group.rows.push_back(row);
    }
  }
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  for (const CellGroup& group : groups) {
    const NodePopulation& of = nodes.populations()[group.nodes];
    const Place place = of.elements->type_place(group.rows.front());
    model.cells.from(place);
    model.populations.from(place);
    model.cells += fmt::format("  {}: {}\n", group.name, group.cell.text);
    model.populations += population_text(group, of, places[group.nodes], data_folder, model);
  }
  return groups;
}

}  // namespace hillock::io::circuit
