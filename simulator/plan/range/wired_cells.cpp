#include "simulator/plan/range/wired_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/step_input.hpp"
#include "simulator/step/integrators.hpp"
#include "solver/cable/extracellular.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

/// As many unknowns as a dense system may have.
constexpr std::size_t most_together = 4000;

void refuse_beside_wiring(const models::Network& network) {
  const Place& place = network.wiring->place;
  if (step::extrapolates(network.run.integrator))
    reject(place, "a wiring needs integrator: backward_euler");
  if (network.run.begins_at_rest)
    reject(place, "v_init: rest looks at each cell alone, and a wiring ties some together");
  for (const models::Recording& recording : network.recordings)
    if (recording.variable &&
        recording.variable->kind == models::RecordedVariable::Kind::membrane_current)
      reject(recording.place, "membrane currents are not recorded where there is a wiring");
}

}  // namespace

WiredCells::WiredCells(const models::Network& network) : network_(network) {
  refuse_beside_wiring(network);
  const models::Wiring& wiring = *network.wiring;
  const std::vector<CellId> first_cells = network.first_cells();
  const auto cell_of = [&](std::uint32_t spot) {
    const models::Wiring::Spot& one = wiring.spots[spot];
    return CellId(first_cells[one.population.value].value + one.cell);
  };
  spot_of_.resize(wiring.spots.size());
  std::iota(spot_of_.begin(), spot_of_.end(), 0U);
  std::ranges::stable_sort(spot_of_, {}, cell_of);
  std::vector<std::uint32_t> unknown_of(spot_of_.size());  // [spot]
  for (std::uint32_t u = 0; u < spot_of_.size(); ++u) {
    const models::Wiring::Spot& spot = wiring.spots[spot_of_[u]];
    const CellId cell = cell_of(spot_of_[u]);
    unknown_of[spot_of_[u]] = u;
    if (u > 0 && cells_.back() == cell && (spot.is_free || equations_.is_free.back() != 0))
      reject(wiring.place,
             fmt::format("a free spot needs a cell of its own, and {}[{}] has another",
                         network.populations[spot.population.value].name, spot.cell));
    if (u > 0 && cells_.back() != cell) equations_.first_of_cell.push_back(u);
    if (u == 0 || cells_.back() != cell) cells_.push_back(cell);
    equations_.is_free.push_back(spot.is_free ? 1 : 0);
    sources_.push_back(spot.source);
  }
  equations_.first_of_cell.push_back(static_cast<std::uint32_t>(spot_of_.size()));
  for (const models::Wiring::Term& term : wiring.terms)
    equations_.terms.push_back({unknown_of[term.equation], unknown_of[term.unknown],
                                term.capacitance_nF, term.conductance_uS});
  leave_to_cells();
  for (const models::Wiring::Played& played : wiring.played)
    played_.push_back({unknown_of[played.spot], &played.table});
  if (const std::size_t most = solver::Wiring(equations_, network.run.dt_ms).largest();
      most > most_together)
    reject(wiring.place,
           fmt::format("{} spots are tied together, and there may be {}", most, most_together));
}

/// What ties a layer to ground may be the wiring alone: a cell is solved with that part of it.
void WiredCells::leave_to_cells() {
  ground_uS_.assign(equations_.size(), 0);
  for (solver::WiringTerm& term : equations_.terms) {
    const double a = term.capacitance / network_.run.dt_ms + term.conductance;
    if (term.equation != term.unknown || a <= 0 ||
        network_.wiring->spots[spot_of_[term.unknown]].layer == 0)
      continue;
    ground_uS_[term.unknown] += a;
    term.conductance -= a;
  }
}

void WiredCells::find_sources(double now_ms, std::span<double> sources) const {
  std::ranges::copy(sources_, sources.begin());
  for (const Played& played : played_) sources[played.unknown] = value_at(*played.table, now_ms);
}

std::pair<std::string, std::uint64_t> WiredCells::cell_of(std::size_t unknown) const {
  const models::Wiring::Spot& spot = network_.wiring->spots[spot_of_[unknown]];
  return {network_.populations[spot.population.value].name, spot.cell};
}

void WiredCells::add_to_cell(RangeDraft& draft) const {
  const auto at = std::ranges::lower_bound(cells_, draft.identity().id);
  if (at == cells_.end() || *at != draft.identity().id) return;
  WiredCellPlan plan;
  plan.cell = static_cast<std::uint32_t>(draft.cell());
  plan.number = static_cast<std::size_t>(at - cells_.begin());
  plan.first_unknown = equations_.first_of_cell[plan.number];
  const solver::Template& cell = *draft.kind().cell;
  for (std::uint32_t u = plan.first_unknown; u < equations_.first_of_cell[plan.number + 1]; ++u) {
    const models::Wiring::Spot& spot = network_.wiring->spots[spot_of_[u]];
    plan.nodes.push_back(solver::node_at(cell, static_cast<int>(spot.branch), spot.position));
    plan.layers.push_back(spot.layer);
    plan.ground_uS.push_back(ground_uS_[u]);
    plan.is_free = spot.is_free;
    if (spot.layer > 0 &&
        (!cell.extracellular || spot.layer > cell.extracellular->layers.size() ||
         cell.extracellular->has[cell.slot_of(static_cast<std::size_t>(plan.nodes.back().value))] ==
             0))
      reject(network_.wiring->place,
             fmt::format("{} of {} has no extracellular layer {}", cell.describe(plan.nodes.back()),
                         draft.identity().name(), spot.layer));
    if (spot.is_free && cell.compartment_count() != 1)
      reject(network_.wiring->place,
             fmt::format("a free spot needs a cell of one compartment, and "
                         "{} has {}",
                         draft.identity().name(), cell.compartment_count()));
  }
  draft.plan().wired.push_back(std::move(plan));
}

}  // namespace hillock::simulator
