#include "python/bindings/model.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <variant>

#include "network/connectivity.hpp"
#include "network/positions.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/model_holder.hpp"
#include "python/bindings/model_source.hpp"
#include "python/bindings/worker.hpp"
#include "simulator/plan/range/placed_sources.hpp"
#include "simulator/session/first_cell.hpp"
#include "solver/cable/centre_lines.hpp"
#include "solver/cable/compartments.hpp"
#include "solver/cable/ordered_tree.hpp"

namespace hillock::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

ModelHolder load(const std::string& file, std::optional<std::string> text, const Files& files,
                 const Arrays& arrays, const Overrides& overrides, const std::string& library,
                 const nb::callable& announce) {
  const session::ModelSource source =
      source_of(file, std::move(text), files, arrays, overrides, library);
  ModelHolder holder{file, nullptr};
  simulator::Activity activity;
  const auto say = listener_of(announce);
  Worker worker;
  worker.do_job(
      activity,
      [&] {
        holder.model = std::make_shared<const session::LoadedModel>(session::load_model(
            source, session::OwnMechanisms::loaded, session::Use::looked_at, {activity, say}));
      },
      [] {});
  return holder;
}

nb::list warnings_of(const ModelHolder& holder) {
  nb::list all;
  for (const Diagnostic& warning : holder.model->warnings) all.append(to_string(warning));
  return all;
}

/// What problem_of() has of each warning.
nb::list problems_of(const ModelHolder& holder) {
  nb::list all;
  for (const Diagnostic& warning : holder.model->warnings) all.append(problem_of(warning));
  return all;
}

nb::dict run_of(const ModelHolder& holder) {
  const models::Run& run = holder.network().run;
  nb::dict all;
  all["duration_ms"] = run.duration_ms;
  all["dt_ms"] = run.dt_ms;
  all["steps"] = run.steps;
  all["seed"] = run.seed;
  all["temperature_degC"] = run.temperature_degC;
  return all;
}

/// [(name, cell, size)]
nb::list populations_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::Population& population : holder.network().populations)
    all.append(nb::make_tuple(population.name, holder.network().cells[population.cell].name,
                              population.size));
  return all;
}

/// {population: (its name in the output, [cell] id there)} of those that have others there.
nb::dict nodes_of(const ModelHolder& holder) {
  nb::dict all;
  for (const models::Population& population : holder.network().populations)
    if (population.nodes)
      all[population.name.c_str()] =
          nb::make_tuple(population.nodes->population, array_of(population.nodes->ids));
  return all;
}

/// Of the run, or of a population of point neurons that has longer ones.
double longest_step_ms(const ModelHolder& holder) {
  const models::Network& network = holder.network();
  double longest = network.run.dt_ms;
  for (const models::Population& population : network.populations)
    if (population.step) longest = std::max(longest, population.step->ms);
  return longest;
}

/// [(name, from, to, synapse)]
nb::list projections_of(const ModelHolder& holder) {
  const models::Network& network = holder.network();
  const auto name_of = [&](const models::PopulationSlice& slice) {
    return network.populations[slice.population.value].name;
  };
  nb::list all;
  for (const models::Projection& projection : network.projections) {
    const auto* synapse = std::get_if<models::Synapse>(&projection.link);
    const bool is_gap = std::holds_alternative<models::GapJunction>(projection.link);
    all.append(nb::make_tuple(projection.name, name_of(projection.from), name_of(projection.to),
                              is_gap    ? "gap junction"
                              : synapse ? synapse->mechanism.name
                                        : std::string()));
  }
  return all;
}

/// (name, population, first cell, behind the last one)
nb::tuple place_of(const models::Network& network, const std::string& name,
                   const models::PopulationSlice& slice) {
  return nb::make_tuple(name, network.populations[slice.population.value].name, slice.begin,
                        slice.end);
}

nb::list recordings_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::Recording& recording : holder.network().recordings)
    all.append(place_of(holder.network(), recording.name, recording.of));
  return all;
}

nb::list stimuli_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::Stimulus& stimulus : holder.network().stimuli)
    all.append(place_of(holder.network(), stimulus.name, stimulus.to));
  return all;
}

/// The names of lists of points.
nb::list points_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::PointList& list : holder.network().points) all.append(list.name);
  return all;
}

nb::list cells_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::Cell& cell : holder.network().cells) {
    const auto* point = std::get_if<models::ArtificialCell>(&cell.kind);
    all.append(nb::make_tuple(cell.name, point ? point->mechanism.name : std::string()));
  }
  return all;
}

nb::list regions_of(const models::CableCell& cell) {
  nb::list all;
  for (const models::RegionSettings& settings : cell.regions) {
    nb::list mechanisms;
    for (const models::MechanismUse& use : settings.mechanisms) mechanisms.append(use.name);
    std::string names = settings.region.name;
    for (const std::string& also : settings.region.also) names += ", " + also;
    all.append(nb::make_tuple(names, mechanisms));
  }
  return all;
}

/// [node for which a voltage is solved] its compartment's number, or -1, where nothing is put on or
/// recorded at the ends of branches.
nb::object solved_nodes(const solver::Template& tree) {
  const solver::OrderedTree ordered(tree);
  std::vector<std::int32_t> numbers;
  std::int32_t compartment = 0;
  for (std::size_t node = 0; node < tree.node_count(); ++node) {
    const bool is_compartment = tree.location(node).is_compartment;
    const bool is_left_out = node == 0 ? ordered.root != 0 : ordered.size[node] == 0;
    if (!is_left_out) numbers.push_back(is_compartment ? compartment : -1);
    compartment += is_compartment ? 1 : 0;
  }
  return array_of(std::move(numbers));
}

/// [cell][axis] where a population's cells lie in um, or None where the model does not say so.
nb::object positions_of(const ModelHolder& holder, std::uint32_t population) {
  const models::Network& network = holder.network();
  const models::Population& of = network.populations.at(population);
  if (of.positions.kind == models::Positions::Kind::none) return nb::none();
  std::vector<double> numbers;
  do_job([&] {
    for (std::uint64_t cell = 0; cell < of.size; ++cell) {
      const auto at = network::position_of(network, PopulationId(population), cell);
      numbers.insert(numbers.end(), at.begin(), at.end());
    }
  });
  return array_of(std::move(numbers)).attr("reshape")(-1, 3);
}

/// [compartment][its beginning, its end][axis] in um, of one cell where it stands.
nb::object placed_ends_of(const ModelHolder& holder, std::uint32_t population, std::uint64_t cell) {
  std::vector<double> numbers;
  do_job([&] {
    for (const solver::CurrentSource& source :
         simulator::placed_compartments(holder.network(), PopulationId(population), cell))
      for (const auto& end : {source.begin_um, source.end_um})
        numbers.insert(numbers.end(), end.begin(), end.end());
  });
  return array_of(std::move(numbers)).attr("reshape")(-1, 2, 3);
}

/// [compartment][its beginning, its end][axis] in um.
nb::object ends_of_compartments(const models::Morphology& morphology,
                                const solver::Template& tree) {
  const solver::CentreLines lines(morphology);
  std::vector<double> numbers;
  for (std::size_t b = 0; b < tree.branches.size(); ++b)
    for (int i = 0; i < tree.branches[b].compartments; ++i)
      for (const int end : {i, i + 1}) {
        const double along = static_cast<double>(end) / tree.branches[b].compartments;
        const models::Point at = lines.at(b, along * lines.lengths_um[b]);
        numbers.insert(numbers.end(), {at.x_um, at.y_um, at.z_um});
      }
  return array_of(std::move(numbers)).attr("reshape")(-1, 2, 3);
}

/// Columns of branches and of compartments of one kind of cell, or None where it has no shape.
nb::object shape_of(const ModelHolder& holder, const std::string& name) {
  const models::Network& network = holder.network();
  const auto named = std::ranges::find(network.cells, name, &models::Cell::name);
  if (named == network.cells.end()) throw nb::key_error(name.c_str());
  const auto* cell = std::get_if<models::CableCell>(&named->kind);
  if (!cell) return nb::none();
  const auto number = static_cast<std::size_t>(named - network.cells.begin());
  const models::Morphology shape = session::shape_of_first(network, *cell);
  const solver::Template tree =
      solver::discretise(shape, *cell, session::cut_for_first(network, number));
  nb::list branches;
  std::vector<std::int32_t> branch_of;
  std::vector<double> position, length, diameter, area, x, y, z, distance;
  for (std::size_t b = 0; b < tree.branches.size(); ++b) {
    const solver::DiscreteBranch& branch = tree.branches[b];
    branches.append(nb::make_tuple(tree.name_of(b).name, tree.name_of(b).region, branch.parent,
                                   branch.at, branch.length_um));
    for (int i = 0; i < branch.compartments; ++i) {
      const auto node = static_cast<std::size_t>(branch.first_node + i);
      const solver::NodeLocation& at = tree.location(node);
      branch_of.push_back(static_cast<std::int32_t>(b));
      position.push_back(at.position);
      length.push_back(branch.length_um / branch.compartments);
      diameter.push_back(tree.diameter_um(node));
      area.push_back(tree.area_um2(node));
      x.push_back(at.x_um);
      y.push_back(at.y_um);
      z.push_back(at.z_um);
      distance.push_back(at.distance_um);
    }
  }
  nb::dict compartments;
  compartments["branch"] = array_of(std::move(branch_of));
  compartments["position"] = array_of(std::move(position));
  compartments["length_um"] = array_of(std::move(length));
  compartments["diameter_um"] = array_of(std::move(diameter));
  compartments["area_um2"] = array_of(std::move(area));
  compartments["x_um"] = array_of(std::move(x));
  compartments["y_um"] = array_of(std::move(y));
  compartments["z_um"] = array_of(std::move(z));
  compartments["distance_um"] = array_of(std::move(distance));
  nb::list points;
  if (const auto* morphology = std::get_if<models::Morphology>(&cell->morphology))
    for (const models::Branch& branch : morphology->branches) {
      std::vector<double> numbers;
      for (const models::Point& p : branch.points)
        numbers.insert(numbers.end(), {p.x_um, p.y_um, p.z_um, p.diameter_um});
      points.append(array_of(std::move(numbers)).attr("reshape")(-1, 4));
    }
  return nb::make_tuple(branches, compartments, points, regions_of(*cell), solved_nodes(tree),
                        ends_of_compartments(shape, tree));
}

/// The names of the files that the model was read from.
nb::list inputs_of(const ModelHolder& holder) {
  nb::list all;
  for (const models::InputFile& file : holder.network().inputs) all.append(file.path);
  return all;
}

/// Columns of all connections of a projection, by target and then by source.
nb::dict connections_of(const ModelHolder& holder, std::size_t projection) {
  if (projection >= holder.network().projections.size())
    throw nb::index_error("no such projection");
  std::vector<std::uint64_t> sources, targets;
  std::vector<double> weights, delays;
  do_job([&] {
    for (const network::Connection& one : network::connect(holder.network(), projection)) {
      sources.push_back(one.source);
      targets.push_back(one.target);
      weights.push_back(one.weight);
      delays.push_back(one.delay_ms);
    }
  });
  nb::dict columns;
  columns["source"] = array_of(std::move(sources));
  columns["target"] = array_of(std::move(targets));
  columns["weight"] = array_of(std::move(weights));
  columns["delay_ms"] = array_of(std::move(delays));
  return columns;
}

/// {mechanism: [parameter]} of all mechanisms that the model may use.
nb::dict parameters_of(const ModelHolder& holder) {
  nb::dict all;
  for (const auto& [name, signature] : holder.model->mechanisms.signatures()) {
    nb::list parameters;
    for (const MechanismVariable& variable : signature.variables)
      if (variable.role == VariableRole::parameter) parameters.append(variable.name);
    all[name.c_str()] = parameters;
  }
  return all;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<ModelHolder>(module, "Model", "A model that was read and checked.")
      .def_prop_ro("warnings", &warnings_of)
      .def_prop_ro("problems", &problems_of)
      .def_prop_ro("run", &run_of)
      .def_prop_ro("populations", &populations_of)
      .def_prop_ro("nodes", &nodes_of)
      .def_prop_ro("longest_step_ms", &longest_step_ms)
      .def_prop_ro("projections", &projections_of)
      .def_prop_ro("recordings", &recordings_of)
      .def_prop_ro("stimuli", &stimuli_of)
      .def_prop_ro("has_potentials",
                   [](const ModelHolder& holder) {
                     return std::ranges::any_of(
                         holder.network().recordings,
                         [](const models::Recording& one) { return one.potential != nullptr; });
                   })
      .def_prop_ro("goes_by_number",
                   [](const ModelHolder& holder) { return holder.network().goes_by_number; })
      .def_prop_ro("points", &points_of)
      .def_prop_ro("cells", &cells_of)
      .def_prop_ro("parameters", &parameters_of)
      .def_prop_ro("inputs", &inputs_of)
      .def("connections_of", &connections_of, "projection"_a)
      .def("positions_of", &positions_of, "population"_a)
      .def("placed_ends_of", &placed_ends_of, "population"_a, "cell"_a)
      .def("shape_of", &shape_of, "cell"_a);
  module.def("load", &load, "file"_a, "text"_a.none(), "files"_a, "arrays"_a, "overrides"_a,
             "library"_a, "announce"_a);
}

}  // namespace hillock::python
