// Reads `populations:`: how many cells of which kind, and where they lie.

#include <fmt/format.h>

#include "core/text/counted.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/network/read_nodes.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/places_in_space.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/time_grid.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

constexpr std::int64_t most_cells = 1'000'000'000;
constexpr double most_compartments_of_all = 1e11;  ///< terabytes of state

bool read_grid(const Item& item, models::Positions& positions,
               const std::optional<std::uint64_t>& size) {
  MapReader map(item, "a grid");
  const auto counts = map.require("counts");
  const auto spacing = map.require("spacing");
  ValueReader read(map.finish());
  if (counts) {
    const auto entries = counts->list("a list of 3 whole numbers");
    read.note(entries);
    if (entries && entries->size() != 3) {
      read.error(*counts, fmt::format("must have 3 values, not {}", entries->size()));
    } else if (entries) {
      double product = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        read.whole_number((*entries)[axis], 1, most_cells, positions.counts[axis]);
        product *= static_cast<double>(positions.counts[axis]);
      }
      if (read.good() && size && product != static_cast<double>(*size))
        read.error(*counts, fmt::format("{} x {} x {} = {:.12g} places for {}", positions.counts[0],
                                        positions.counts[1], positions.counts[2], product,
                                        counted(*size, "cell")));
    }
  }
  if (spacing) {
    const auto values =
        read_constants(*spacing, Slot::of("um").at_least(0).at_most(farthest_um), 3);
    if (read.note(values)) positions.spacing_um = {(*values)[0], (*values)[1], (*values)[2]};
  }
  return read.good();
}

void read_positions(ReadContext& context, const Item& item, models::Population& population,
                    const std::optional<std::uint64_t>& size) {
  using Kind = models::Positions::Kind;
  enum class Form { uniform_box, grid, list, csv };
  static const OneOf<Form> forms{{"uniform_box", Form::uniform_box},
                                 {"grid", Form::grid},
                                 {"list", Form::list},
                                 {"csv", Form::csv}};
  models::Positions positions;
  MapReader map(item, "positions");
  const auto chosen = map.one_of(forms);
  if (!map.finish() || !chosen) return;
  if (chosen->meaning == Form::uniform_box) {
    const auto box =
        read_constants(chosen->item, Slot::of("um").at_least(0).at_most(farthest_um), 3);
    if (!box) return;
    positions.kind = Kind::uniform_box;
    positions.size_um = {(*box)[0], (*box)[1], (*box)[2]};
  } else if (chosen->meaning == Form::grid) {
    positions.kind = Kind::grid;
    if (!read_grid(chosen->item, positions, size)) return;
  } else {
    auto points = chosen->meaning == Form::list ? read_places(chosen->item)
                                                : read_place_table(context, chosen->item);
    if (!points) return;
    if (size && points->size() != *size)
      return chosen->item.error(
          fmt::format("gives {} for {}", counted(points->size(), "place"), counted(*size, "cell")));
    positions.kind = Kind::list;
    positions.list_um = std::move(*points);
  }
  population.positions = std::move(positions);
}

const Slot angle_slot = Slot::of("").at_least(-1e6).at_most(1e6);

/// Columns by SONATA's names, of which some may lack.
std::optional<PlacesInSpace> read_angle_table(ReadContext& context, const Item& item) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const auto table = read_csv_table(context, *file);
  if (!table) return std::nullopt;
  PlacesInSpace angles(table->rows());
  bool has_some = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto column = table->find(fmt::format("rotation_angle_{}axis", "xyz"[axis]));
    if (!column) continue;
    has_some = true;
    for (std::size_t row = 0; row < angles.size(); ++row) {
      angles[row][axis] = table->columns[*column][row];
      if (angle_slot.contain(angles[row][axis])) continue;
      item.error_at(table->place(row, *column),
                    limit_problem(angle_slot, angles[row][axis], show(angles[row][axis], "")));
      return std::nullopt;
    }
  }
  if (has_some) return angles;
  item.error(
      fmt::format("{} has none of the columns rotation_angle_xaxis, rotation_angle_yaxis and "
                  "rotation_angle_zaxis (in rad)",
                  file->shown));
  return std::nullopt;
}

void read_rotations(ReadContext& context, const Item& item, models::Population& population,
                    const std::optional<std::uint64_t>& size) {
  using Kind = models::Rotations::Kind;
  enum class Form { angles, list, csv, uniform };
  static const OneOf<Form> forms{{"angles", Form::angles},
                                 {"list", Form::list},
                                 {"csv", Form::csv},
                                 {"uniform", Form::uniform}};
  models::Rotations rotations;
  MapReader map(item, "rotations");
  const auto chosen = map.one_of(forms);
  if (!map.finish() || !chosen) return;
  if (chosen->meaning == Form::uniform) {
    const auto axis = chosen->item.choice({"x", "y", "z", "any"});
    if (!axis) return;
    rotations.kind = *axis == 3 ? Kind::any : Kind::about_an_axis;
    rotations.axis = static_cast<int>(*axis % 3);
  } else if (chosen->meaning == Form::angles) {
    const auto three = read_constants(chosen->item, angle_slot, 3);
    if (!three) return;
    rotations.kind = Kind::list;
    rotations.angles_rad = {{(*three)[0], (*three)[1], (*three)[2]}};
  } else {
    auto angles = chosen->meaning == Form::list
                      ? read_triples(chosen->item, angle_slot, "a list of angles about x, y and z")
                      : read_angle_table(context, chosen->item);
    if (!angles) return;
    if (size && angles->size() != *size)
      return chosen->item.error(fmt::format("gives {} for {}", counted(angles->size(), "rotation"),
                                            counted(*size, "cell")));
    rotations.kind = Kind::list;
    rotations.angles_rad = std::move(*angles);
  }
  population.rotations = std::move(rotations);
}

/// Of point neurons a step of their own.
void read_step(ReadContext& context, const Item& item, const CellInfo* cell,
               models::Population& population) {
  constexpr std::int64_t most_run_steps = 1'000'000;
  const auto step_ms = read_constant(item, Slot::of("ms").more_than(0));
  if (cell && cell->kind_known && !(cell->artificial && cell->artificial->is_point_neuron))
    return item.error(fmt::format("only point neurons have a step of their own; these are {}",
                                  cell->is_cable ? "cells with a morphology" : "artificial cells"));
  if (!step_ms || !context.run_known) return;
  const double dt_ms = context.network.run.dt_ms;
  if (const std::string problem = whole_steps_problem(*step_ms, dt_ms); !problem.empty())
    return item.error(problem);
  const std::int64_t run_steps = nearest_step(*step_ms, dt_ms);
  if (run_steps > most_run_steps)
    return item.error(
        fmt::format("is {} steps of the run; at most {} are possible", run_steps, most_run_steps));
  population.step = models::PointStep{*step_ms, run_steps};
}

/// How much a population is.
struct Amount {
  double cells = 0;
  double compartments = 0;
};

/// The number of the cell of that name, which is used from now on.
std::optional<std::size_t> read_cell_name(ReadContext& context, const Item& item,
                                          const std::vector<std::string>& cell_names) {
  const auto name = item.text("the name of a cell");
  if (!name) return std::nullopt;
  const auto found = context.cell_index.find(*name);
  if (found == context.cell_index.end()) {
    item.error(fmt::format("there is no cell '{}'.{}", *name, did_you_mean(*name, cell_names)));
    return std::nullopt;
  }
  context.cells[found->second].used = true;
  return found->second;
}

Amount read_population(ReadContext& context, const Node::Entry& entry,
                       const std::vector<std::string>& cell_names) {
  Amount all;
  const Item inner(*entry.value, "populations." + entry.key, context.diagnostics);
  models::Population population;
  population.name = entry.key;
  population.place = entry.place();
  PopulationInfo info;
  if (!is_region_name(entry.key) || entry.key.find('[') != std::string::npos)
    inner.error_at(entry.place(), fmt::format("'{}' cannot name a population (letters, digits, _"
                                              " and -)",
                                              entry.key));
  MapReader map(inner, "a population");
  const auto cell = map.require("cell");
  const auto size = map.require("size");
  const auto positions = map.find("positions");
  const auto rotations = map.find("rotations");
  const auto step = map.find("step");
  const auto nodes = map.find("nodes");
  map.finish();
  if (cell) info.cell = read_cell_name(context, *cell, cell_names);
  population.cell = info.cell.value_or(population.cell);
  if (size)
    if (const auto count = size->whole_number(1, most_cells)) {
      population.size = static_cast<std::uint64_t>(*count);
      info.size = population.size;
      all.cells = static_cast<double>(*count);
    }
  if (step) read_step(context, *step, info.cell ? &context.cells[*info.cell] : nullptr, population);
  if (nodes) population.nodes = read_nodes(context, *nodes, info.size);
  if (positions) read_positions(context, *positions, population, info.size);
  if (rotations) read_rotations(context, *rotations, population, info.size);
  const PopulationId id(static_cast<std::uint32_t>(context.populations.size()));
  context.population_index[entry.key] = id.value;
  context.populations.push_back(std::move(info));
  context.network.populations.push_back(std::move(population));
  if (const CellInfo* kind = context.cell_of(id)) {
    check_columns(context, kind->columns,
                  {id, 0, context.populations.back().size.value_or(0), entry.place()});
    all.compartments =
        kind->compartments * static_cast<double>(context.populations.back().size.value_or(0));
  }
  return all;
}

}  // namespace

void read_populations(ReadContext& context, const Item& item) {
  if (!item.is_map()) return item.wrong_form("a map of populations");
  if (item.node().entries.empty()) item.error("there are no populations");
  std::vector<std::string> cell_names;
  for (const auto& cell : context.network.cells) cell_names.push_back(cell.name);
  double total = 0;
  double compartments = 0;
  for (const auto& entry : item.node().entries) {
    const auto [cells, compartments_here] = read_population(context, entry, cell_names);
    total += cells;
    compartments += compartments_here;
  }
  check_nodes(context, item);
  if (total > static_cast<double>(most_cells))
    item.error(fmt::format("{:.12g} cells in all; at most 1e9 are possible", total));
  else if (compartments > most_compartments_of_all)
    item.error(
        fmt::format("about {:.2g} compartments in all; at most 1e11 are possible", compartments));
}

}  // namespace hillock::io
