// What a model's POINTERs stand for, as far as it can be known without making cells: what exactly
// is at each location is looked up when they are made (pointer_builder.cpp).

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "simulator/loop/simulation.hpp"
#include "simulator/plan/cells/cell_kind.hpp"

namespace hillock::simulator {

namespace {

class PointerCheck {
 public:
  PointerCheck(const models::Network& network, const Signatures& signatures,
               Diagnostics& diagnostics)
      : network_(network), signatures_(signatures), diagnostics_(diagnostics) {
    find_points();
  }

  void check_all() {
    for (std::size_t c = 0; c < network_.cells.size(); ++c) {
      const models::Cell& cell = network_.cells[c];
      cell_ = cell.name;
      std::vector<const models::MechanismUse*> uses;
      if (const auto* cable = std::get_if<models::CableCell>(&cell.kind))
        for (const auto& settings : cable->regions)
          for (const auto& use : settings.mechanisms) uses.push_back(&use);
      const std::size_t densities = uses.size();
      uses.insert(uses.end(), points_[c].begin(), points_[c].end());
      for (std::size_t u = 0; u < uses.size(); ++u) {
        // Regions share parameters where they overlap: one that gives the pointer may do for all.
        const auto begin = uses.begin() + static_cast<std::ptrdiff_t>(u < densities ? 0 : u);
        const auto end =
            u < densities ? uses.begin() + static_cast<std::ptrdiff_t>(densities) : begin + 1;
        check(*uses[u], {begin, end}, uses);
      }
      for (const std::size_t target : read_by_others_[c])
        check_target(network_.pointer_targets[target], uses);
    }
  }

 private:
  using Uses = std::vector<const models::MechanismUse*>;

  std::size_t cell_of(const models::PopulationSlice& slice) const {
    return network_.populations[slice.population.value].cell;
  }

  /// The point processes on cells of each definition, and what gap junctions read there.
  void find_points() {
    points_.resize(network_.cells.size());
    read_by_others_.resize(network_.cells.size());
    for (std::size_t c = 0; c < network_.cells.size(); ++c)
      if (const auto* artificial = std::get_if<models::ArtificialCell>(&network_.cells[c].kind))
        points_[c].push_back(&artificial->mechanism);
    for (const auto& projection : network_.projections) {
      if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
        add(projection.to, synapse->mechanism);
      const auto* junction = std::get_if<models::GapJunction>(&projection.link);
      if (!junction) continue;
      if (junction->mechanism) add(projection.to, *junction->mechanism);
      if (junction->peer_mechanism) add(projection.from, *junction->peer_mechanism);
      if (junction->reads) read_by_others_[cell_of(projection.from)].push_back(*junction->reads);
    }
    for (const auto& points : network_.points)
      points_[network_.populations[points.on.value].cell].push_back(&points.mechanism);
    for (const auto& stimulus : network_.stimuli) {
      if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
        add(stimulus.to, placed->point.mechanism);
      if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
        add(stimulus.to, events->synapse.mechanism);
    }
  }

  void add(const models::PopulationSlice& on, const models::MechanismUse& use) {
    if (!use.name.empty()) points_[cell_of(on)].push_back(&use);
  }

  /// may_give: uses of which one of the same name may give the pointer; here: all on the cell.
  void check(const models::MechanismUse& use, const Uses& may_give, const Uses& here) {
    const auto signature = signatures_.find(use.name);
    if (signature == signatures_.end()) return;  // reported where it is named
    for (const MechanismVariable& variable : signature->second.variables) {
      if (!variable.is_pointer) continue;
      const bool given = std::ranges::any_of(may_give, [&](const models::MechanismUse* other) {
        return other->name == use.name && other->parameters.contains(variable.name);
      });
      if (!given)
        diagnostics_.error(use.place,
                           fmt::format("{0} has no {1}: a POINTER, which must name a variable at "
                                       "its place (as {1}: v, {1}: cai or {1}: hh.m)",
                                       use.name, variable.name));
      if (const auto own = use.parameters.find(variable.name); own != use.parameters.end())
        check_target(network_.pointer_targets[static_cast<std::size_t>(own->second.constant())],
                     here);
    }
  }

  void check_target(const models::PointerTarget& target, const Uses& here) {
    if (target.text == "v" || !reported_.insert(&target).second) return;
    const std::size_t dot = target.text.find('.');
    std::string ion;
    auto quantity = mechanisms::SharedQuantity::current;
    const bool found =
        dot != std::string::npos
            ? has_variable(here, target.text.substr(0, dot), target.text.substr(dot + 1))
            : split_ion_variable(target.text, ion, quantity) && has_ion(here, ion);
    if (!found)
      diagnostics_.error(target.place,
                         fmt::format("there is none of '{}' on cell {}, where a POINTER stands for "
                                     "it or a gap junction reads it",
                                     target.text, cell_));
  }

  bool has_variable(const Uses& here, const std::string& mechanism,
                    const std::string& variable) const {
    const auto signature = signatures_.find(mechanism);
    return signature != signatures_.end() && signature->second.find(variable) &&
           std::ranges::any_of(here, [&](const auto* use) { return use->name == mechanism; });
  }

  bool has_ion(const Uses& here, const std::string& ion) const {
    return std::ranges::any_of(here, [&](const auto* use) {
      const auto signature = signatures_.find(use->name);
      return signature != signatures_.end() &&
             std::ranges::any_of(signature->second.ions,
                                 [&](const IonUse& ion_use) { return ion_use.ion == ion; });
    });
  }

  const models::Network& network_;
  const Signatures& signatures_;
  Diagnostics& diagnostics_;
  std::vector<Uses> points_;  ///< [definition of cells]
  std::vector<std::vector<std::size_t>> read_by_others_;
  std::string cell_;                                 ///< the definition that is being checked
  std::set<const models::PointerTarget*> reported_;  ///< once, however many cells have it
};

}  // namespace

void check_pointers(const models::Network& network, const Signatures& signatures,
                    Diagnostics& diagnostics) {
  PointerCheck(network, signatures, diagnostics).check_all();
}

}  // namespace hillock::simulator
