#include "simulator/backends/cpu/layout/layout_parts.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "solver/cable/extracellular.hpp"

namespace hillock::simulator::cpu {

using mechanisms::SharedQuantity;

namespace {

constexpr std::array ion_quantities = {SharedQuantity::current, SharedQuantity::reversal,
                                       SharedQuantity::inside, SharedQuantity::outside};

const CellKind& kind_at(const RangePlan& plan, std::size_t begin, const GroupLayout& group,
                        std::size_t row, std::size_t lane) {
  return *plan.kinds[begin + group.cell_at(row, lane)];
}

LaneArray ion_values(const RangePlan& plan, std::size_t begin,
                     const std::vector<CellIdentity>& identities, const GroupLayout& group,
                     const std::string& ion, SharedQuantity quantity) {
  const std::size_t lanes = group.width(), rows = group.row_count();
  LaneArray values((rows + 1) * lanes, 0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t l = 0; l < lanes; ++l) {
      const int node = group.node_at(row, l);
      // Rows that the lane lacks take what its root has.
      values[row * lanes + l] =
          node < 0 ? values[row % group.packs * lanes + l]
                   : kind_at(plan, begin, group, row, l)
                         .ion_value(ion, quantity, NodeId(node), identities[group.cell_at(row, l)],
                                    plan.population->thermal_mV);
    }
  // And so does the row of fillers.
  std::copy_n(values.begin(), lanes, values.begin() + static_cast<std::ptrdiff_t>(rows * lanes));
  return values;
}

/// Point processes' currents, nA, join an ion's, mA/cm2.
void add_area_factors(const RangePlan& plan, std::size_t begin, const GroupLayout& group,
                      MechanismBlock& block) {
  const std::size_t lanes = group.width();
  block.area_factors.assign(block.count * lanes, 1);
  for (std::size_t i = 0; i < block.area_factors.size(); ++i) {
    const auto row = static_cast<std::size_t>(block.nodes[i]);
    const int node = group.node_at(row, i % lanes);
    if (node < 0) continue;
    const double area =
        kind_at(plan, begin, group, row, i % lanes).cell->area_um2(static_cast<std::size_t>(node));
    block.area_factors[i] = 100 / (area > 0 ? area : end_node_area_um2);
  }
}

/// Where a density mechanism's instance at a node of a cell is: instance·lanes + lane.
std::size_t slot_at_node(const GroupLayout& group, std::size_t block, std::size_t cell,
                         NodeId node) {
  const std::vector<int>& rows = group.blocks[block].nodes;
  const auto row = static_cast<int>(group.row_of(cell, node));
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  return static_cast<std::size_t>(at - rows.begin()) * group.width() + cell % group.width();
}

/// Where the k-th of a block's instances on a cell is.
std::size_t slot_of_instance(const RangePlan& plan, std::size_t begin, const GroupLayout& group,
                             std::size_t block, std::size_t cell, std::size_t k) {
  if (plan.is_density(block))
    return slot_at_node(group, block, cell, NodeId(plan.nodes_of(block, begin + cell)[k]));
  const std::size_t lanes = group.width();
  return (group.blocks[block].first_of_pack[cell / lanes] + k) * lanes + cell % lanes;
}

/// A column of a recording, whose terms' indices are the last ones there.
void add_column(const Probe& probe, std::uint32_t cell, const std::vector<SampledTerm>& terms,
                GroupLayout& group) {
  if (!group.samples.empty()) {
    SampledColumns& last = group.samples.back();
    if (last.recording == probe.recording && last.cell == cell &&
        last.first + last.count == probe.column &&
        std::ranges::equal(terms, std::span(group.terms).subspan(last.first_term))) {
      ++last.count;
      return;
    }
  }
  group.samples.push_back({static_cast<std::uint32_t>(probe.recording), cell, probe.column, 1,
                           group.terms.size(), terms.size(),
                           group.sampled_at.size() - terms.size()});
  group.terms.insert(group.terms.end(), terms.begin(), terms.end());
}

void point_at(GroupLayout& group, std::size_t block, std::size_t cell) {
  group.blocks[block].is_pointed_at = true;
  group.pointed_at.emplace_back(static_cast<std::uint32_t>(block),
                                static_cast<std::uint32_t>(cell));
}

PointerAddress address_of(const RangePlan& plan, std::size_t begin, const GroupLayout& group,
                          const PointerSource& source, std::size_t cell, NodeId node) {
  PointerAddress address;
  const std::size_t at = group.row_of(cell, node) * group.width() + cell % group.width();
  switch (source.kind) {
    case PointerSource::Kind::voltage:
      return {PointerAddress::Kind::voltage, 0, {}, at};
    case PointerSource::Kind::ion:
      return {PointerAddress::Kind::ion, source.ion, source.quantity, at};
    case PointerSource::Kind::variable:
      break;
  }
  const MechanismBlock& target = group.blocks[source.block];
  const std::size_t slot =
      slot_of_instance(plan, begin, group, source.block, cell, source.instance);
  address.kind = PointerAddress::Kind::variable;
  address.block = source.block;
  address.index = target.index_of(group.width(), source.variable, slot);
  return address;
}

}  // namespace

void lay_out_layers(const RangePlan& plan, std::size_t begin, GroupLayout& group) {
  const std::size_t lanes = group.width(), size = group.row_count() * lanes;
  const std::size_t count = plan.population->cable->layer_count();
  if (count == 0) return;
  LayersOfRows& layers = group.layers;
  layers.has.assign(size, 0);
  for (std::vector<LaneArray>* arrays :
       {&layers.along_uS, &layers.across_uS, &layers.capacitance_nF})
    arrays->assign(count, LaneArray(size, 0));
  for (std::size_t row = 0; row < group.row_count(); ++row)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const int node = group.node_at(row, lane);
      if (node < 0) continue;
      const solver::Template& cell = *kind_at(plan, begin, group, row, lane).cell;
      const std::size_t slot = cell.slot_of(static_cast<std::size_t>(node));
      const std::size_t at = row * lanes + lane;
      layers.has[at] = cell.extracellular->has[slot];
      for (std::size_t l = 0; l < count; ++l) {
        const solver::Extracellular::Layer& layer = cell.extracellular->layers[l];
        layers.across_uS[l][at] = layer.across_uS[slot];
        layers.capacitance_nF[l][at] = layer.capacitance_nF[slot];
        if (row >= group.packs) layers.along_uS[l][at] = layer.along_uS[slot];
      }
    }
}

void lay_out_ions(const RangePlan& plan, std::size_t begin,
                  const std::vector<CellIdentity>& identities, GroupLayout& group) {
  for (const IonPlan& ion : plan.ions) {
    IonBlock block;
    block.ion = ion.ion;
    block.kept_by = ion.kept_by;
    for (const SharedQuantity quantity : ion_quantities)
      if (ion.has(quantity))
        block.values(quantity) = ion_values(plan, begin, identities, group, ion.ion, quantity);
    const auto first = std::ranges::lower_bound(ion.nernst, begin, {}, &IonPlan::Nernst::cell);
    for (auto at = first; at != ion.nernst.end() && at->cell < begin + group.indices.size(); ++at) {
      const std::size_t cell = at->cell - begin;
      // A node of no area that nobody uses has no row.
      if (group.tree->row_of(cell % group.width(), at->node) < 0) continue;
      block.nernst.emplace_back(group.row_of(cell, at->node) * group.width() + cell % group.width(),
                                at->factor_mV);
    }
    std::sort(block.nernst.begin(), block.nernst.end());
    group.ions.push_back(std::move(block));
  }
  if (plan.ions.empty()) return;
  for (MechanismBlock& block : group.blocks)
    if (block.mechanism->info->is_point_process) add_area_factors(plan, begin, group, block);
}

void lay_out_pointers(const RangePlan& plan, std::size_t begin, GroupLayout& group) {
  const std::size_t lanes = group.width();
  for (const PointerPlan& pointers : plan.pointers) {
    MechanismBlock& block = group.blocks[pointers.block];
    const mechanisms::MechanismInfo& info = *block.mechanism->info;
    block.pointers.resize(static_cast<std::size_t>(info.coupling_count));
    auto& addresses = block.pointers[pointers.coupling];
    addresses.resize(block.count * lanes);
    const auto column = static_cast<std::size_t>(info.couplings[pointers.coupling].column);
    for (std::size_t at = 0; at < addresses.size(); ++at)
      addresses[at].index = block.index_of(lanes, column, at);
    std::uint64_t number = plan.first_instance(pointers.block, begin);
    for (std::size_t cell = 0; cell < group.indices.size(); ++cell) {
      const auto nodes = plan.nodes_of(pointers.block, begin + cell);
      for (std::size_t k = 0; k < nodes.size(); ++k, ++number) {
        const PointerSource& source = pointers.sources[number];
        addresses[slot_of_instance(plan, begin, group, pointers.block, cell, k)] =
            address_of(plan, begin, group, source, cell, NodeId(nodes[k]));
        if (source.kind == PointerSource::Kind::variable) point_at(group, source.block, cell);
      }
    }
  }
}

void lay_out_probes(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group) {
  const std::size_t lanes = group.width();
  // An instance of a point process, numbered as in the plan.
  const auto slot_of_point = [&](std::size_t block, std::size_t cell, std::uint32_t instance) {
    return slot_of_instance(plan, begin, group, block, cell,
                            instance - plan.first_instance(block, begin + cell));
  };
  const std::span probes(std::ranges::lower_bound(plan.probes, begin, {}, &Probe::cell),
                         std::ranges::lower_bound(plan.probes, end, {}, &Probe::cell));
  std::vector<SampledTerm> terms;  // of a probe
  for (const Probe& probe : probes) {
    const std::size_t cell = probe.cell - begin;
    terms.clear();
    for (const ProbeTerm& term : probe.terms) {
      SampledTerm& sampled = terms.emplace_back();
      sampled.kind = term.kind;
      sampled.factor = term.factor;
      sampled.quantity = term.quantity;
      std::size_t at = 0;
      if (term.kind == step::Summand::variable) {
        MechanismBlock& block = group.blocks[term.block];
        sampled.block = static_cast<std::uint32_t>(term.block);
        at = block.index_of(lanes, term.variable,
                            plan.is_density(term.block)
                                ? slot_at_node(group, term.block, cell, term.node)
                                : slot_of_point(term.block, cell, term.instance));
        const VariableRole role = block.mechanism->signature.variables[term.variable].role;
        if (role == VariableRole::assigned) block.keep_assigned = true;
        if (role != VariableRole::state) block.is_looked_into = true;
      } else if (term.kind != step::Summand::constant) {
        sampled.block = static_cast<std::uint32_t>(term.ion);
        at = group.row_of(cell, term.node) * lanes + cell % lanes;
        // Layers lie behind the voltages and the row of instances that only fill a lane.
        if (term.layer > 0) at += lanes + term.layer * group.row_count() * lanes;
      }
      group.sampled_at.push_back(static_cast<std::uint32_t>(at));
    }
    add_column(probe, static_cast<std::uint32_t>(cell), terms, group);
  }
  group.samples.shrink_to_fit();
  group.terms.shrink_to_fit();
  group.sampled_at.shrink_to_fit();
  for (const Playback& playback : plan.playbacks) {
    std::size_t cell = playback.cell;
    if (!playback.is_density) {
      const PointSet& set = plan.points[playback.block - plan.density_count()];
      const auto cell_of = std::ranges::upper_bound(set.first, playback.instance) - 1;
      cell = static_cast<std::size_t>(cell_of - set.first.begin());
    }
    if (cell < begin || cell >= end) continue;
    const std::size_t slot = playback.is_density
                                 ? slot_at_node(group, playback.block, cell - begin, playback.node)
                                 : slot_of_point(playback.block, cell - begin, playback.instance);
    MechanismBlock& block = group.blocks[playback.block];
    block.is_looked_into = true;
    group.played.push_back(
        {playback.block, block.index_of(lanes, playback.variable, slot), playback.table});
  }
}

void lay_out_fields(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group) {
  const std::size_t lanes = group.width();
  const std::span fields(std::ranges::lower_bound(plan.fields, begin, {}, &FieldOnCell::cell),
                         std::ranges::lower_bound(plan.fields, end, {}, &FieldOnCell::cell));
  for (const FieldOnCell& field : fields) {
    // A cell's are added up in the order of stimuli, whichever cells are beside it.
    const auto number = [](const auto& of) { return std::pair(of.stimulus, of.frame); };
    auto on = std::ranges::lower_bound(group.fields, number(field), {}, number);
    if (on == group.fields.end() || number(*on) != number(field)) {
      on = group.fields.insert(on, {field.stimulus, field.frame, {}, {}, {}});
      on->in_time.resize(group.packs * lanes);
      on->nA.assign(group.row_count() * lanes, 0);
      on->ground_nA.assign(group.layers.has.size(), 0);
    }
    const std::size_t cell = field.cell - begin, pack = cell / lanes, lane = cell % lanes;
    // Lanes beyond the cells go with the last one.
    std::fill(on->in_time.begin() + static_cast<std::ptrdiff_t>(cell),
              cell + 1 == end - begin ? on->in_time.end()
                                      : on->in_time.begin() + static_cast<std::ptrdiff_t>(cell) + 1,
              field.in_time);
    std::vector<double> potential_mV(group.row_count());
    for (std::size_t row = pack; row < group.row_count(); row += group.packs)
      if (const int node = group.node_at(row, lane); node >= 0)
        potential_mV[row] = field.potential_mV[static_cast<std::size_t>(node)];
    // Around layers it is what their outermost is tied to.
    for (std::size_t row = pack; row < group.row_count() && group.layers.count() > 0;
         row += group.packs) {
      const std::size_t at = row * lanes + lane;
      if (group.layers.has[at] == 0) continue;
      on->ground_nA[at] += group.layers.across_uS.back()[at] * potential_mV[row];
      potential_mV[row] = 0;
    }
    // What flows along the cable, of which the inner potential is v and the one outside.
    for (std::size_t row = group.packs + pack; row < group.row_count(); row += group.packs) {
      const auto above = static_cast<std::size_t>(group.parent[row]);
      const double flow =
          group.coupling_uS[row * lanes + lane] * (potential_mV[above] - potential_mV[row]);
      on->nA[row * lanes + lane] += flow;
      on->nA[above * lanes + lane] -= flow;
    }
  }
}

void lay_out_gaps(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group) {
  const std::size_t lanes = group.width();
  const std::span ends(std::ranges::lower_bound(plan.gap_ends, begin, {}, &GapEndPlan::cell),
                       std::ranges::lower_bound(plan.gap_ends, end, {}, &GapEndPlan::cell));
  for (const GapEndPlan& gap : ends) {
    const std::size_t cell = gap.cell - begin;
    if (gap.publishes != GapEndPlan::none) {
      const PointerAddress at = address_of(plan, begin, group, gap.source, cell, gap.node);
      if (at.kind == PointerAddress::Kind::voltage)
        group.gaps_published.push_back({gap.publishes, 0, at.index});
      else
        group.numbers_published.push_back({gap.publishes, at});
      if (at.kind == PointerAddress::Kind::variable) point_at(group, at.block, cell);
    }
    if (gap.reads == GapEndPlan::none) continue;
    const std::size_t slot =
        slot_of_instance(plan, begin, group, gap.block, cell,
                         gap.instance - plan.first_instance(gap.block, gap.cell));
    group.gaps_read.push_back({gap.reads, static_cast<std::uint32_t>(gap.block),
                               group.blocks[gap.block].index_of(lanes, gap.variable, slot)});
  }
}

void lay_out_wiring(const RangePlan& plan, std::size_t begin, std::size_t end, GroupLayout& group) {
  for (const WiredCellPlan& wired : plan.wired) {
    if (wired.cell < begin || wired.cell >= end) continue;
    const std::size_t cell = wired.cell - begin;
    WiredCell& on = group.wired.emplace_back();
    on.number = wired.number;
    on.first_unknown = wired.first_unknown;
    on.pack = cell / group.width();
    on.lane = cell % group.width();
    for (const NodeId node : wired.nodes) on.rows.push_back(group.row_of(cell, node));
    on.layers = wired.layers;
    on.ground_uS = wired.ground_uS;
    on.is_free = wired.is_free;
  }
}

}  // namespace hillock::simulator::cpu
