#include "simulator/backends/cpu/cells/begun_group.hpp"

#include <span>
#include <utility>

namespace hillock::simulator::cpu {

namespace {

/// Without the row of instances that only fill a lane.
std::vector<double> by_row(const GroupLayout& group, const LaneArray& values) {
  if (values.empty()) return {};
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(group.row_count())};
}

begin::BegunIon begun_of(const GroupLayout& group, const IonBlock& ion) {
  return {ion.ion,
          ion.kept_by,
          by_row(group, ion.current_mA_per_cm2),
          by_row(group, ion.reversal_mV),
          by_row(group, ion.inside_mM),
          by_row(group, ion.outside_mM),
          ion.nernst};
}

begin::BegunBlock begun_of(const MechanismBlock& block) {
  begin::BegunBlock begun;
  begun.mechanism = block.mechanism;
  begun.is_pointed_at = block.is_pointed_at;
  begun.keeps_assigned = block.keep_assigned;
  begun.is_looked_into = block.is_looked_into;
  begun.rows = block.nodes;
  begun.area_factors.assign(block.area_factors.begin(), block.area_factors.end());
  begun.columns.resize(block.mechanism->signature.variables.size());
  for (std::size_t c = 0; c < begun.columns.size() && block.count > 0; ++c) {
    const double* const first = &block.columns[block.index_of(1, c, 0)];
    if (block.count > 1 && block.index_of(1, c, 1) == block.index_of(1, c, 0))
      begun.columns[c].append(block.count, *first);
    else
      begun.columns[c].append(std::span(first, block.count));
  }
  begun.arguments = block.arguments;
  begun.connections = block.connections;
  begun.first_connection = block.first_connection;
  begun.first_connection_of_range = block.first_connection_of_range;
  begun.links = block.links;
  return begun;
}

}  // namespace

begin::BegunCell begun_of(const GroupLayout& group, const CellRows& rows,
                          const EventDelivery& events, const LaneArray& membrane_nA) {
  begin::BegunCell cell;
  cell.population = group.population;
  cell.index = group.indices.front();
  cell.id = group.id_of(0);
  if (!group.detector_rows.empty()) cell.detector_row = group.detector_rows.front();
  cell.v_mV = by_row(group, rows.v());
  cell.membrane_nA = by_row(group, membrane_nA);
  cell.coupling_uS = by_row(group, group.coupling_uS);
  cell.capacity_uS = by_row(group, rows.capacity_uS());
  cell.source_nA = by_row(group, rows.source_nA());
  cell.constant_uS = by_row(group, rows.constant());
  cell.factor = by_row(group, rows.factor());
  cell.changes = rows.changes();
  for (const FieldOnRows& field : group.fields)
    cell.fields.push_back({field.stimulus, field.in_time.front(), by_row(group, field.nA),
                           by_row(group, field.ground_nA)});
  cell.layers = rows.layers().begun();
  for (const IonBlock& ion : group.ions) cell.ions.push_back(begun_of(group, ion));
  auto awaited = events.awaited();
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    begin::BegunBlock& block = cell.blocks.emplace_back(begun_of(group.blocks[b]));
    block.awaited = std::move(awaited[b].front());
    block.watch_bits = events.watches(b).bits;
    block.watches = events.watches(b).all;
  }
  return cell;
}

}  // namespace hillock::simulator::cpu
