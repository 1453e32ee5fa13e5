#include "simulator/backends/taped/moved_events.hpp"

#include <utility>

#include "simulator/step/cell_step.hpp"

namespace hillock::simulator::taped {

MovedEvents::Tried::Tried(const TapedBlock& block)
    : columns(block.info, 1),
      kept(block.ties.size()),
      shared(block.shared.size(), nullptr),
      view(columns.view(&row, &area_factor)) {
  std::size_t tie = 0;
  for (std::size_t k = 0; k < shared.size(); ++k)
    if (block.shared[k]) shared[k] = &kept[tie++];
  if (tie > 0) view.shared = shared.data();
}

MovedEvents::Tried& MovedEvents::tried(std::size_t block) {
  return tried_.try_emplace(block, blocks_[block]).first->second;
}

MovedEvents::Led MovedEvents::lead(const TapedEvent& event, const StepEnds& ends, bool is_late) {
  TapedBlock& block = blocks_[event.event.block];
  Tried& one = tried(event.event.block);
  const std::size_t i = event.event.instance, row = block.row(i);
  if (!block.begun.area_factors.empty()) one.area_factor = block.begun.area_factors[i];
  for (std::size_t c = 0; c < event.before.size(); ++c)
    one.columns.of(static_cast<int>(c))[0] = event.before[c];
  const auto receive = [&](double time_ms, double v_mV) {
    one.v_mV = v_mV;
    double weight = event.event.weight;
    mechanisms::Delivery delivery;
    delivery.arguments = &weight;
    block.kernels.receive(one.view, 0, 0, run_.at(time_ms), &one.v_mV, delivery);
  };
  const auto see = [&](bool is_advance) {
    for (std::size_t t = 0; t < block.ties.size(); ++t) {
      const Tie& tie = block.ties[t];
      std::vector<Ion>& ions = is_advance && tie.is_set_before ? ends.next_ions : ends.ions;
      one.kept[t] = tie.adds ? 0 : ions[tie.ion].of(tie.quantity)[row];
    }
  };
  Led led;
  if (!is_late) receive(event.event.time_ms, ends.v[row]);
  see(false);
  one.v_mV = ends.v[row];
  one.diagonal = one.rhs = 0;
  block.kernels.current(one.view, run_.at(run_.middle_ms(ends.step)), &one.v_mV, &one.diagonal,
                        &one.rhs);
  led.diagonal = one.diagonal;
  led.rhs = one.rhs;
  led.gathered = one.kept;
  see(true);
  one.v_mV = ends.next_v[row];
  if (block.kernels.advances)
    block.kernels.advance(one.view, run_.at(run_.boundary_ms(ends.step + 1)), &one.v_mV);
  led.set = one.kept;
  if (is_late) receive(event.event.time_ms + run_.dt_ms, ends.next_v[row]);
  for (int c = 0; c < block.info.count(); ++c) led.variables.push_back(one.columns.of(c)[0]);
  return led;
}

void MovedEvents::begin(std::span<const TapedEvent> events, const StepEnds& ends,
                        std::vector<Ion>& by_ions) {
  moved_.clear();
  for (const TapedEvent& event : events) {
    TapedBlock& block = blocks_[event.event.block];
    const std::size_t i = event.event.instance, row = block.row(i);
    const Led late = lead(event, ends, true), now = lead(event, ends, false);
    Moved moved{&block, row, 0, late.diagonal - now.diagonal, late.rhs - now.rhs, late.gathered};
    for (std::size_t c = 0; c < late.variables.size(); ++c)
      if (const int by = block.derivatives[c]; by >= 0 && late.variables[c] != now.variables[c])
        moved.by_step += block.back.of(by)[i] * (late.variables[c] - now.variables[c]);
    for (std::size_t t = 0; t < block.ties.size(); ++t) {
      const Tie& tie = block.ties[t];
      moved.gathered[t] = tie.adds ? late.gathered[t] - now.gathered[t] : 0;
      if (tie.sets)
        moved.by_step += by_ions[tie.ion].of(tie.quantity)[row] * (late.set[t] - now.set[t]);
    }
    moved_.push_back(std::move(moved));
  }
}

void MovedEvents::add_ion_currents(std::vector<Ion>& by_ions) {
  for (Moved& moved : moved_)
    for (std::size_t t = 0; t < moved.gathered.size(); ++t)
      if (moved.gathered[t] != 0)
        moved.by_step +=
            by_ions[moved.block->ties[t].ion].current_mA_per_cm2[moved.row] * moved.gathered[t];
}

void MovedEvents::add_rows(const std::vector<double>& by_rhs, const std::vector<double>& solved) {
  for (Moved& moved : moved_)
    moved.by_step += by_rhs[moved.row] * (moved.rhs - moved.diagonal * solved[moved.row]);
}

}  // namespace hillock::simulator::taped
