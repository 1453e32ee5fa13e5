#include "simulator/plan/network/population_cells.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/threads/parallel.hpp"
#include "solver/cable/level_path.hpp"
#include "solver/cable/locations.hpp"
#include "solver/cable/ordered_tree.hpp"

namespace hillock::simulator {

namespace {

std::shared_ptr<const PopulationPlan> plan_of(const models::Network& network,
                                              const mechanisms::Registry& mechanisms,
                                              PopulationId population, const CellMaker& cells,
                                              const OfPopulations& of, const Rest& rest) {
  const models::Population& model = network.populations[population.value];
  const models::Cell& cell = network.cells[model.cell];
  auto plan = std::make_shared<PopulationPlan>();
  plan->id = population;
  plan->cells = &cells;
  plan->name = model.name;
  plan->size = model.size;
  plan->first = of.first_cells[population.value];
  plan->cable = &body_of(cell);
  if (const auto* artificial = std::get_if<models::ArtificialCell>(&cell.kind)) {
    plan->is_artificial = true;
    plan->is_point_neuron = mechanism_of(artificial->mechanism, mechanisms).info->is_point_neuron;
    plan->step = network.step_of(population);
  }
  plan->seed = network.run.seed;
  plan->thermal_mV = network.run.thermal_mV();
  plan->v_init_mV = network.run.v_init_mV;
  plan->begins_at_rest = network.run.begins_at_rest && !plan->is_artificial;
  if (!rest.empty()) plan->rest = rest[population.value];
  plan->detects = plan->cable->detector.has_value();
  if (plan->detects) plan->threshold_mV = plan->cable->detector->threshold_mV;
  return plan;
}

/// Whether cells can differ in how many compartments they have.
bool cut_varies(const models::CableCell& cable, const models::Morphology& morphology) {
  const auto goes_by_length_constant = [](const models::Discretization& rule) {
    return rule.kind == models::Discretization::Kind::d_lambda;
  };
  return solver::matrix_varies(cable) &&
         std::ranges::any_of(
             morphology.branches,
             [](const models::Branch& branch) { return branch.compartments == 0; }) &&
         (goes_by_length_constant(cable.discretization) ||
          std::ranges::any_of(cable.regions, [&](const models::RegionSettings& settings) {
            return settings.discretization && goes_by_length_constant(*settings.discretization);
          }));
}

/// Whether what is where on a cell depends on how long its branches are.
bool goes_by_distance(const models::CableCell& cable, const EndsInUse& used) {
  const auto does = [](const models::Region& region) { return region.distance_um.has_value(); };
  return std::ranges::any_of(cable.regions, does, &models::RegionSettings::region) ||
         std::ranges::any_of(used.at,
                             [&](const models::Locations* at) { return does(at->region); });
}

template <class T>
void raise(std::atomic<T>& most, T value) {
  T known = most.load(std::memory_order_relaxed);
  while (value > known && !most.compare_exchange_weak(known, value)) {
  }
}

}  // namespace

const models::CableCell& body_of(const models::Cell& cell) {
  if (const auto* cable = std::get_if<models::CableCell>(&cell.kind)) return *cable;
  static const models::CableCell bare = [] {
    models::Branch branch{"cell", "cell", -1, 1, {}, 1};
    branch.points = {{0, 0, 0, 10}, {10, 0, 0, 10}};
    models::CableCell body;
    body.morphology = models::Morphology{{branch}};
    return body;
  }();
  return bare;
}

CellMaker::CellMaker(const models::Network& network, const mechanisms::Registry& mechanisms,
                     std::shared_ptr<const OfPopulations> of, Rest rest)
    : network_(network), mechanisms_(mechanisms), of_(std::move(of)), rest_(std::move(rest)) {}

PopulationCells CellMaker::order(PopulationId population, const network::CellSet& cells,
                                 int threads, Activity& progress) {
  PopulationCells ordered;
  ordered.plan = plan_of(network_, mechanisms_, population, *this, *of_, rest_);
  ordered.indices.resize(cells.size());
  for (std::size_t i = 0; i < ordered.indices.size(); ++i) ordered.indices[i] = cells[i];
  const models::CableCell& cable = *ordered.plan->cable;
  ends_used_.try_emplace(&cable, &of_->ends[network_.populations[population.value].cell]);
  if (cells.size() == 0) return ordered;
  if (const auto* morphology = std::get_if<models::Morphology>(&cable.morphology)) {
    auto& shared = shared_kinds_[&cable];
    if (!shared)
      shared = std::make_shared<const CellKind>(
          make_kind(cable, *morphology, ordered.plan->identity(cells.begin).cut_for()));
    if (cut_varies(cable, *morphology)) {
      order_by_cut(cable, cells, threads, progress, ordered);
      return ordered;
    }
    ordered.compartments = cells.size() * shared->cell->compartment_count();
    progress.add(cells.size());
    return ordered;
  }
  const auto& tree = std::get<models::RandomTree>(cable.morphology);
  std::vector<solver::CellShape> shapes(cells.size());
  std::atomic<int> deepest = -1;
  std::atomic<std::size_t> most_branches = 1;
  constexpr std::size_t at_once = 64;
  parallel_for((cells.size() + at_once - 1) / at_once, threads, [&](std::size_t piece) {
    const std::size_t end = std::min<std::size_t>(cells.size(), (piece + 1) * at_once);
    for (std::size_t i = piece * at_once; i < end; ++i) {
      const CellId id(ordered.plan->first.value + cells[i]);
      const models::TreeOutline outline = models::outline_of(tree, network_.run.seed, id);
      raise(deepest, outline.level.back());
      raise(most_branches, outline.size());
      shapes[i] = solver::shape_of(tree, outline);
    }
    progress.add(end - piece * at_once);
  });
  make_path(cable, deepest, most_branches);
  for (const solver::CellShape& shape : shapes) ordered.compartments += shape.compartments;
  std::ranges::stable_sort(ordered.indices, [&](std::uint64_t a, std::uint64_t b) {
    return shapes[cells.before(a)].sizes < shapes[cells.before(b)].sizes;
  });
  return ordered;
}

std::vector<std::shared_ptr<const CellKind>> CellMaker::kinds_of(
    const PopulationPlan& population, std::span<const std::uint64_t> indices) const {
  const models::CableCell& cable = *population.cable;
  if (const auto shared = shared_kinds_.find(&cable); shared != shared_kinds_.end()) {
    if (solver::matrix_varies(cable)) return variants(population, indices);
    return std::vector<std::shared_ptr<const CellKind>>(indices.size(), shared->second);
  }
  std::vector<std::shared_ptr<const CellKind>> kinds;
  kinds.reserve(indices.size());
  for (const std::uint64_t index : indices)
    kinds.push_back(std::make_shared<const CellKind>(make_random_kind(population, index)));
  return kinds;
}

/// Cells with equal sizes, cm and Ra are of one kind.
std::vector<std::shared_ptr<const CellKind>> CellMaker::variants(
    const PopulationPlan& population, std::span<const std::uint64_t> indices) const {
  const models::CableCell& cable = *population.cable;
  const auto& morphology = std::get<models::Morphology>(cable.morphology);
  const CellKind& first = *shared_kinds_.at(&cable);
  const auto alike_with = goes_by_distance(cable, *ends_used_.at(&cable)) ? solver::Lengths::same
                                                                          : solver::Lengths::any;
  std::map<std::vector<double>, std::shared_ptr<const CellKind>> known;
  std::vector<std::shared_ptr<const CellKind>> kinds;
  kinds.reserve(indices.size());
  for (const std::uint64_t index : indices) {
    const solver::CutFor of = population.identity(index).cut_for();
    auto& kind = known[solver::matrix_key(cable, of)];
    if (!kind) {
      auto made = make_variant(first, morphology, mechanisms_, of, alike_with);
      if (!made.cell->same_nodes) mark_ends(cable, made);
      kind = std::make_shared<const CellKind>(std::move(made));
    }
    kinds.push_back(kind);
  }
  return kinds;
}

/// Where cells differ in their numbers of compartments: those that are cut alike stand side by
/// side.
void CellMaker::order_by_cut(const models::CableCell& cable, const network::CellSet& cells,
                             int threads, Activity& progress, PopulationCells& ordered) const {
  const auto& morphology = std::get<models::Morphology>(cable.morphology);
  std::vector<std::vector<int>> cuts(ordered.indices.size());
  constexpr std::size_t at_once = 64;
  parallel_for((cuts.size() + at_once - 1) / at_once, threads, [&](std::size_t piece) {
    const std::size_t end = std::min(cuts.size(), (piece + 1) * at_once);
    std::vector<double> known;
    for (std::size_t i = piece * at_once; i < end; ++i) {
      const solver::CutFor of = ordered.plan->identity(cells[i]).cut_for();
      std::vector<double> key = solver::matrix_key(cable, of);
      cuts[i] = i > piece * at_once && key == known
                    ? cuts[i - 1]
                    : solver::compartments_of_branches(morphology, cable, of);
      known = std::move(key);
    }
    progress.add(end - piece * at_once);
  });
  for (const auto& cut : cuts)
    ordered.compartments += std::accumulate(cut.begin(), cut.end(), 0ULL);
  std::ranges::stable_sort(ordered.indices, [&](std::uint64_t a, std::uint64_t b) {
    return cuts[cells.before(a)] < cuts[cells.before(b)];
  });
}

/// Trees whose branches are told apart by their names have no path, nor have those with which
/// something is wrong: that is said of the cell where it is.
void CellMaker::make_path(const models::CableCell& cable, int deepest, std::size_t most_branches) {
  const auto tells_apart = [](const models::RegionSettings& settings) {
    const auto is_own = [](const std::string& name) {
      return name != "all" && name != "soma" && name != "dend";
    };
    return is_own(settings.region.name) || std::ranges::any_of(settings.region.also, is_own);
  };
  if (std::ranges::any_of(cable.regions, tells_apart) || solver::matrix_varies(cable)) return;
  Path& path = paths_[&cable];
  if (deepest > path.deepest || !path.kind) {
    const models::Morphology levels =
        models::grow(std::get<models::RandomTree>(cable.morphology), solver::level_path(deepest));
    try {
      path.kind = std::make_shared<const CellKind>(make_cell_kind(cable, levels, mechanisms_));
    } catch (const InvalidModel&) {
      paths_.erase(&cable);
      return;
    }
    path.deepest = deepest;
  }
  if (path.names && path.names->size() >= most_branches) return;
  std::vector<solver::BranchName> names;
  names.reserve(most_branches);
  for (std::size_t b = 0; b < most_branches; ++b)
    names.push_back({models::name_in_tree(b), b == 0 ? "soma" : "dend"});
  path.names = std::make_shared<const std::vector<solver::BranchName>>(std::move(names));
}

CellKind CellMaker::make_random_kind(const PopulationPlan& population, std::uint64_t index) const {
  const models::CableCell& cable = *population.cable;
  const auto& tree = std::get<models::RandomTree>(cable.morphology);
  const models::TreeOutline outline =
      models::outline_of(tree, network_.run.seed, CellId(population.first.value + index));
  const auto path = paths_.find(&cable);
  if (path == paths_.end())
    return make_kind(cable, models::grow(tree, outline), population.identity(index).cut_for());
  CellKind kind =
      compose_kind(*path->second.kind, std::make_shared<const solver::Template>(solver::compose(
                                           *path->second.kind->cell, outline, path->second.names)));
  mark_ends(cable, kind);
  return kind;
}

CellKind CellMaker::make_kind(const models::CableCell& cable, const models::Morphology& morphology,
                              const solver::CutFor& of) const {
  CellKind kind = make_cell_kind(cable, morphology, mechanisms_, of);
  mark_ends(cable, kind);
  return kind;
}

void CellMaker::mark_ends(const models::CableCell& cable, CellKind& kind) const {
  const auto mark = [&kind](NodeId node) {
    kind.ends_in_use.resize(kind.cell->node_count());
    kind.ends_in_use[static_cast<std::size_t>(node.value)] = true;
  };
  const EndsInUse& used = *ends_used_.at(&cable);
  for (const models::Locations* at : used.at) {
    try {
      RandomStream none(0, Purpose::location, {});
      for (const NodeId node : solver::resolve(*kind.cell, *at, none)) mark(node);
    } catch (const InvalidModel&) {  // reported where something is put there
    }
  }
  for (const auto& [branch, far] : used.listed)
    if (branch < kind.cell->branches.size())
      mark(solver::node_at(*kind.cell, static_cast<int>(branch), far ? 1 : 0));
}

}  // namespace hillock::simulator
