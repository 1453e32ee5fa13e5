#include "simulator/backends/cpu/cells/cpu_cell_group.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/backends/cpu/cells/begun_group.hpp"
#include "simulator/backends/cpu/cells/cell_rows.hpp"
#include "simulator/backends/cpu/cells/detectors.hpp"
#include "simulator/backends/cpu/cells/field_strengths.hpp"
#include "simulator/backends/cpu/cells/guest_points.hpp"
#include "simulator/backends/cpu/cells/row_parts.hpp"
#include "simulator/backends/cpu/cells/shared_views.hpp"
#include "simulator/backends/cpu/cells/wired_rows.hpp"
#include "simulator/backends/cpu/events/event_delivery.hpp"
#include "simulator/backends/cpu/groups/block_view.hpp"
#include "simulator/backends/cpu/groups/kernels_of.hpp"
#include "simulator/backends/cpu/groups/probe_schedule.hpp"
#include "simulator/backends/cpu/layout/model_order.hpp"
#include "simulator/plan/range/gap_builder.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"
#include "simulator/step/integrators.hpp"
#include "simulator/step/samples.hpp"

namespace hillock::simulator::cpu {

namespace {

/// Numbers from `next` on what the group's ends give to cells of this rank: ends that give the same
/// have one number. number_of: [GapValues::own]
void number_published(GroupLayout& group, std::uint32_t& next, std::span<std::uint32_t> number_of) {
  std::ranges::stable_sort(group.gaps_published, {}, &GapSlot::index);
  std::vector<GapSlot> given, leaving;
  for (const GapSlot& gap : group.gaps_published) {
    if (gap.value >= number_of.size()) {
      leaving.push_back(gap);
      continue;
    }
    if (given.empty() || given.back().index != gap.index) {
      given.push_back(gap);
      given.back().value = next++;
    }
    number_of[gap.value] = given.back().value;
  }
  given.insert(given.end(), leaving.begin(), leaving.end());
  group.gaps_published = std::move(given);
  for (PublishedNumber& number : group.numbers_published)
    if (number.value < number_of.size()) number.value = number_of[number.value] = next++;
}

using step::Turn;

/// The executor of step/cell_step.hpp whose cells are lanes.
class CpuCellGroup final : public CellGroup {
 public:
  CpuCellGroup(GroupLayout layout, const RunConstants& run)
      : group_(std::move(layout)),
        run_(run),
        lanes_(static_cast<std::size_t>(group_.lanes)),
        shared_(group_),
        rows_(group_, run.implicit_dt_ms()),
        parts_(group_, rows_.size()),
        fields_(group_),
        wired_(group_),
        guests_(group_, run_.guests),
        kernels_(kernels_of(group_, run.arithmetic())),
        events_(group_, run_, views_, kernels_),
        schedule_(group_, run_.samples) {
    shared_.follow(rows_.v());
    group_.forget_nodes();
    for (MechanismBlock& block : group_.blocks) {
      mechanisms::InstanceBlock view = view_of(block, lanes_);
      shared_.attach(views_.size(), view);
      views_.push_back(view);
    }
    find_turns();
    find_changing_rows();
    if (parts_.are_several()) rows_.share(parts_.borders());
    detectors_ = Detectors(group_, solver::sweep_kernels(group_.lanes));
    for (const SampledTerm& term : group_.terms) {
      if (term.kind == step::Summand::membrane_current) wants_membrane_current_ = true;
      if (term.kind == step::Summand::ion ||
          (term.kind == step::Summand::variable &&
           group_.blocks[term.block].mechanism->info->changes_in_current))
        records_moved_ = true;
    }
    const std::size_t size = rows_.size() + lanes_;
    has_electrodes_ = wants_membrane_current_ &&
                      (rows_.layers().are_there() || !group_.fields.empty() ||
                       std::ranges::any_of(group_.blocks, [](const MechanismBlock& block) {
                         return block.mechanism->signature.is_electrode;
                       }));
    if (wants_membrane_current_)
      for (LaneArray* array : {&electrode_rhs_, &electrode_diagonal_, &membrane_nA_})
        array->assign(size, 0);
    const bool moves = ion_turns() > 0 && step::extrapolates(run.integrator);
    if (keeps_assigned_ || moves) unused_.assign(size, 0);
    if (moves) {
      beside_.resize(size);
      begun_.resize(group_.ions.size());
    }
  }

  void number_columns(std::span<const models::ReportLayout> reports) override {
    cpu::number_columns(group_, reports);
  }

  void initialise(std::vector<network::CellSpike>& spikes,
                  std::span<const SampleBuffer> samples) override {
    set_out(spikes);
    schedule_.begin_epoch(0, 0);
    samples_ = samples;
    sample(0);
  }

  begin::BegunCell begin(std::vector<network::CellSpike>& spikes) override {
    set_out(spikes);
    begin::BegunCell cell = begun_of(group_, rows_, events_, membrane_nA_);
    cell.is_above = detectors_.is_above(0);
    for (std::size_t b = 0; b < turns_.size(); ++b) {
      cell.blocks[b].is_constant = turns_[b].current == Turn::never;
      cell.blocks[b].prepares_ions = turns_[b].states == Turn::ions;
    }
    return cell;
  }

  void take_gap_values(std::span<const double> gap_values) override {
    for (const GapSlot& gap : group_.gaps_read)
      group_.blocks[gap.block].columns[gap.index] = gap_values[gap.value];
  }
  void number_gap_values(std::uint32_t& next, std::span<std::uint32_t> number_of) override {
    number_published(group_, next, number_of);
  }
  void read_gap_values_by(std::span<const std::uint32_t> number_of) override {
    for (GapSlot& gap : group_.gaps_read)
      if (gap.value < number_of.size()) gap.value = number_of[gap.value];
  }
  void publish_gap_values(std::span<double> gap_values) const override {
    // As in NEURON, gap junctions are between the insides.
    const std::size_t outside = rows_.layers().are_there() ? rows_.layers().begin() : 0;
    for (const GapSlot& gap : group_.gaps_published)
      gap_values[gap.value] =
          rows_.v()[gap.index] + (outside > 0 ? rows_.v()[outside + gap.index] : 0);
    for (const PublishedNumber& number : group_.numbers_published)
      gap_values[number.value] = *shared_.address_of(number.at);
  }

  void begin_epoch(std::int64_t first) override { events_.begin_epoch(first); }
  std::vector<GroupEvent>& events() override { return events_.events(); }
  std::vector<mechanisms::Addition>* additions(std::size_t block) override {
    return events_.additions(block);
  }
  void give_back_events(EventBuffers& buffers) override { events_.give_back(buffers); }

  void advance(Epoch epoch, std::vector<network::CellSpike>& spikes,
               std::span<const SampleBuffer> samples) override {
    schedule_.begin_epoch(epoch.first, epoch.last);
    spikes_ = &spikes;
    samples_ = samples;
    saved_at_ = epoch.is_saved ? epoch.last : -1;
    if (is_wired()) {
      step_ = epoch.first;
      step::begin_step<step::BackwardEuler>(*this, step_, is_sampled(step_ + 1));
      return;
    }
    step::with_integrator(run_.integrator, [&](auto integrator) {
      for (std::int64_t step = epoch.first; step < epoch.last; ++step)
        step::take_step<decltype(integrator)>(*this, step);
    });
  }

  bool is_wired() const override { return !wired_.empty() || run_.guests; }
  void tell(solver::Wiring& wiring) override { wired_.tell(rows_, wiring); }
  void tell_guests(bool is_solved) const override {
    guests_.tell(is_solved ? rows_.x() : rows_.v());
  }
  void hear_guests() override { guests_.hear(); }
  void end_step(const solver::Wiring* wiring, std::vector<network::CellSpike>& spikes) override {
    spikes_ = &spikes;
    if (wiring) wired_.follow(*wiring, rows_);
    step::end_step<step::BackwardEuler>(*this, step_, is_sampled(step_ + 1));
  }

  void follow_gaps(std::int64_t step, std::span<const SampleBuffer> samples) override {
    if (!follows_gaps()) return;
    samples_ = samples;
    step::follow_gaps(*this, step);
  }

  void walk(StateWalk& state) override {
    group_.recall_nodes();
    const GroupSlots slots = slots_of(group_);
    walk_numbers(state, group_, slots, run_, rows_.v());
    detectors_.walk(state);
    events_.walk(state, slots.instances);
    group_.forget_nodes();
    has_begun_ = false;
  }

  void take_factors(const FieldFactors& factors) override {
    for (FieldOnRows& field : group_.fields)
      if (field.stimulus == factors.stimulus)
        for (std::size_t lane = 0; lane < field.in_time.size(); ++lane)
          field.in_time[lane].factor =
              factors.of_cells[group_.indices[std::min(lane, group_.indices.size() - 1)]];
  }

  const GroupLayout& layout() const override { return group_; }
  Gang* gang() override { return parts_.gang(); }

  std::size_t bytes() const override {
    std::size_t bytes = sizeof(*this) + group_.bytes() + rows_.bytes() + shared_.bytes() +
                        parts_.bytes() + fields_.bytes() + wired_.bytes() + bytes_of(views_) +
                        bytes_of(kernels_) + detectors_.bytes();
    for (const LaneArray* array :
         {&electrode_rhs_, &electrode_diagonal_, &membrane_nA_, &unused_, &beside_})
      bytes += bytes_of(*array);
    return bytes;
  }

  // As step/cell_step.hpp asks for.
  using Real = double;
  double dt_ms() const { return run_.dt_ms; }
  double time_ms(std::int64_t step) const { return run_.boundary_ms(step); }
  double middle_ms(std::int64_t step) const { return run_.middle_ms(step); }
  double v(std::size_t i) const { return rows_.v()[i]; }
  double& x(std::size_t i) { return rows_.x()[i]; }
  template <class Body>
  void for_unknowns(const Body& body) {
    parts_.each([&](const RowPart& part) {
      for (std::size_t i = part.begin; i < part.end; ++i) body(i);
    });
    if (!rows_.layers().are_there()) return;
    for (std::size_t i = rows_.layers().begin(); i < rows_.layers().end(); ++i) body(i);
  }

  void deliver(std::int64_t step) { events_.deliver(step, rows_.v().data(), *spikes_); }
  void play(double time_ms) {
    for (const PlayedColumn& playback : group_.played)
      group_.blocks[playback.block].columns[playback.index] = value_at(*playback.table, time_ms);
  }
  bool is_sampled(std::int64_t step) const { return schedule_.is_due(step); }

  bool has_begun() const { return has_begun_; }
  void begin_ions() {
    if (!group_.ions.empty()) parts_.each([&](const RowPart& part) { begin_ions(part); });
  }
  void begin_rows(double, bool) {
    parts_.each([&](const RowPart& part) { begin_rows(part); });
  }
  template <Turn turn>
  void add_currents(double time_ms, bool keeps) {
    const mechanisms::KernelTime now = run_.at(time_ms);
    const bool keeps_electrodes = turn == Turn::point && has_electrodes_ && keeps;
    if (keeps_electrodes) {
      std::ranges::fill(electrode_rhs_, 0);
      std::ranges::fill(electrode_diagonal_, 0);
    }
    if constexpr (turn == Turn::density)
      return parts_.each([&](const RowPart& part) {
        for (const std::size_t b : blocks<turn>(currents_)) add_current(b, now, keeps, part);
      });
    if (rows_.layers().are_there()) return add_currents_around_layers<turn>(now, keeps);
    for (const std::size_t b : blocks<turn>(currents_)) {
      if (keeps_electrodes && group_.blocks[b].mechanism->signature.is_electrode)
        keep_electrodes(b, now);
      add_current(b, now, keeps, parts_.whole());
    }
  }
  void add_fields(double time_ms, bool keeps) {
    fields_.each(time_ms, [&](const FieldOnRows& field) {
      if (LayeredRows& layers = rows_.layers(); layers.are_there()) {
        fields_.add(field.nA, layers.electrode_nA(), 0, rows_.size());
        return fields_.add(field.ground_nA, layers.ground_nA(), 0, rows_.size());
      }
      parts_.each([&](const RowPart& part) {
        fields_.add(field.nA, rows_.x(), part.begin, part.end);
        if (keeps && has_electrodes_) fields_.add(field.nA, electrode_rhs_, part.begin, part.end);
      });
    });
  }
  void keep_constant(double time_ms) {
    for (const std::size_t b : blocks<Turn::never>(currents_))
      if (group_.blocks[b].keep_assigned)
        kernels_[b]->current(views_[b], run_.at(time_ms), rows_.v().data(), unused_.data(),
                             unused_.data(), true);
  }

  bool solve_rows() { return rows_.solve(gang()); }
  void begin_again() {
    has_begun_ = false;
    spoiled_cell_ = rows_.spoiled_cell();
  }
  [[noreturn]] void tell_what_spoils(std::int64_t step) {
    const std::size_t rows = group_.row_count();
    const std::size_t pack = spoiled_cell_ / lanes_, lane = spoiled_cell_ % lanes_;
    std::size_t culprit = pack;
    while (culprit + group_.packs < rows && !rows_.spoils(culprit, lane)) culprit += group_.packs;
    if (!rows_.spoils(culprit, lane)) culprit = pack;
    throw NumericalFailure({static_cast<double>(step + 1) * run_.dt_ms, group_.population->name,
                            group_.indices[spoiled_cell_], group_.describe(culprit, lane)},
                           "the membrane potential is not a finite number");
  }

  void detect(std::int64_t step) {
    const LaneArray &before = rows_.v(), &now = rows_.x();
    const double threshold_mV = group_.population->threshold_mV;
    const bool interpolates = run_.spike_time == models::SpikeTime::interpolated;
    detectors_.test(now.data(), threshold_mV, [&](std::size_t cell, std::size_t at) {
      spikes_->push_back({step::spike_ms(step, run_.spike_boundary_ms(step), threshold_mV,
                                         before[at], now[at], interpolates, run_.dt_ms),
                          group_.id_of(cell)});
    });
  }
  void take_voltages(bool settles) {
    rows_.take_voltages();
    shared_.follow(rows_.v());
    if (settles)
      for (double& v : rows_.v()) v = mechanisms::settled(v);
  }
  void settle() {
    for (MechanismBlock& block : group_.blocks) cpu::settle(block, lanes_);
  }

  template <Turn turn>
  void advance(double end_ms, std::int64_t next) {
    const mechanisms::KernelTime end = run_.at(end_ms);
    if constexpr (turn == Turn::density) {
      has_begun_ = may_begin(next);
      if (has_begun_) return advance_and_begin(end, next);
    }
    const auto advance_all = [&](const RowPart& part) {
      for (const std::size_t b : blocks<turn>(states_))
        if (kernels_[b]->advances)
          with_instances_of(part, b, views_[b], [&](const mechanisms::InstanceBlock& view) {
            kernels_[b]->advance(view, end, seen_by(b));
          });
    };
    if (blocks<turn>(states_).empty()) return;
    // Points that set concentrations go in between the densities that do, in the blocks' order.
    if ((turn == Turn::density || turn == Turn::ions) &&
        std::ranges::none_of(blocks<turn>(states_), [&](std::size_t b) { return is_point(b); }))
      parts_.each(advance_all);
    else
      advance_all(parts_.whole());
  }
  void diffuse() {
    for (const std::size_t b : diffusing_) cpu::diffuse(group_.blocks[b], views_[b], run_.dt_ms);
  }
  bool follows_gaps() const { return !blocks<Turn::gaps>(states_).empty(); }

  void sample(std::int64_t step) { schedule_.write_due(step, samples_, *this); }
  const double* at_nodes(step::Summand kind) const {
    return kind == step::Summand::voltage            ? rows_.v().data()
           : kind == step::Summand::membrane_current ? membrane_nA_.data()
                                                     : nullptr;
  }
  double voltage(const SampledTerm& term) const { return rows_.v()[term.index]; }
  double membrane_nA(const SampledTerm& term) const { return membrane_nA_[term.index]; }
  double number(const SampledTerm& term) {
    return term.kind == step::Summand::ion
               ? group_.ions[term.block].values(term.quantity)[term.index]
               : group_.blocks[term.block].columns[term.index];
  }

  // As step/membrane.hpp asks for; electrodes' part is kept when currents are added up.
  bool keeps_membrane_currents() const { return wants_membrane_current_; }
  void gather_electrodes(double) {
    LayeredRows& layers = rows_.layers();
    inside_ = rows_.inside();
    if (!has_electrodes_) return;
    given_nA_ = (layers.are_there() ? layers.electrode_nA() : electrode_rhs_).data();
    conducted_uS_ = (layers.are_there() ? layers.electrode_uS() : electrode_diagonal_).data();
  }
  double electrode_nA(std::size_t i) const { return given_nA_[i]; }
  double electrode_uS(std::size_t i) const { return conducted_uS_[i]; }
  double inside(std::size_t i) const { return inside_[i]; }
  void forget_electrodes() {}
  template <class Start>
  void keep_axial(const Start& start) {
    if (has_electrodes_)
      for (std::size_t i = 0; i < rows_.size(); ++i) membrane_nA_[i] = start(i);
    rows_.take_axial(inside_, membrane_nA_.data(), has_electrodes_);
  }

  // As step/integrators/crank_nicolson.hpp asks for: all ions at once.
  int ion_turns() const { return group_.ions.empty() ? 0 : 1; }
  void set_currents_aside(int) {
    for (std::size_t k = 0; k < begun_.size(); ++k) begun_[k] = group_.ions[k].current_mA_per_cm2;
    shared_.clear_currents(0, rows_.size() + lanes_);
  }
  void add_ion_currents(int, double secant_mV, double time_ms) {
    for (std::size_t i = 0; i < beside_.size(); ++i) beside_[i] = rows_.v()[i] + secant_mV;
    for (std::size_t b = 0; b < views_.size(); ++b)
      if (views_[b].shared)
        kernels_[b]->current(views_[b], run_.at(time_ms), beside_.data(), unused_.data(),
                             unused_.data());
  }
  template <class Body>
  void for_ion_currents_of(int, const Body& body) {
    for (std::size_t k = 0; k < begun_.size(); ++k)
      for (std::size_t i = 0; i < begun_[k].size(); ++i)
        body(i, begun_[k][i], group_.ions[k].current_mA_per_cm2[i]);
  }
  void forget_aside() {}

 private:
  /// Numbers of blocks by whose turn it is.
  using BlocksByTurn = std::array<std::vector<std::size_t>, 5>;
  struct Turns {
    Turn states, current;
  };

  template <Turn turn>
  static const std::vector<std::size_t>& blocks(const BlocksByTurn& all) {
    return all[static_cast<std::size_t>(turn)];
  }

  void find_turns() {
    std::set<std::size_t> played;  // with a parameter that follows a table
    for (const PlayedColumn& playback : group_.played) {
      played.insert(playback.block);
      plays_densities_ = plays_densities_ || !is_point(playback.block);
    }
    for (std::size_t b = 0; b < views_.size(); ++b) {
      const MechanismBlock& block = group_.blocks[b];
      const mechanisms::MechanismInfo& info = *block.mechanism->info;
      const bool is_constant = info.is_constant && !played.contains(b) && !block.is_pointed_at &&
                               !is_electrode_inside(b);
      const step::TurnFacts facts{is_constant, shared_.prepares_ions(b),
                                  simulator::follows_gaps(*block.mechanism), info.is_point_process};
      turns_.push_back({step::turn_of_states(facts), step::turn_of_current(facts)});
      states_[static_cast<std::size_t>(turns_.back().states)].push_back(b);
      currents_[static_cast<std::size_t>(turns_.back().current)].push_back(b);
      if (!block.links.empty()) diffusing_.push_back(b);
      sets_voltage_ = sets_voltage_ || info.sets_voltage;
      keeps_assigned_ = keeps_assigned_ || block.keep_assigned;
    }
  }

  void find_changing_rows() {
    std::vector<char> changes(group_.row_count() + 1, group_.may_have_synapses_anywhere ? 1 : 0);
    for (std::size_t b = 0; b < views_.size(); ++b)
      if (turns_[b].current != Turn::never)
        for (const int row : group_.blocks[b].nodes) changes[static_cast<std::size_t>(row)] = 1;
    rows_.find_changing(std::move(changes));
  }

  bool is_point(std::size_t b) const { return group_.blocks[b].mechanism->info->is_point_process; }
  /// Whether a block's currents pass by the layers that are there.
  bool is_electrode_inside(std::size_t b) const {
    return rows_.layers().are_there() && group_.blocks[b].mechanism->signature.is_electrode;
  }
  /// The voltages that a block's instances see: electrodes, as in NEURON, those of the inside.
  const double* seen_by(std::size_t b) {
    return is_electrode_inside(b) ? rows_.layers().inside_of(rows_.v()).data() : rows_.v().data();
  }
  template <Turn turn>
  void add_currents_around_layers(const mechanisms::KernelTime& now, bool keeps) {
    LayeredRows& layers = rows_.layers();
    if (turn == Turn::point) layers.clear();
    for (const std::size_t b : blocks<turn>(currents_))
      if (is_electrode_inside(b))
        kernels_[b]->current(views_[b], now, seen_by(b), layers.electrode_uS().data(),
                             layers.electrode_nA().data(), stores(b, keeps));
      else
        add_current(b, now, keeps, parts_.whole());
  }

  /// Everything of t = 0 but the samples.
  void set_out(std::vector<network::CellSpike>& spikes) {
    spikes_ = &spikes;
    const mechanisms::KernelTime start = run_.at(0);
    LaneArray& v = rows_.v();
    for (const bool prepares : {true, false})
      for (std::size_t b = 0; b < views_.size(); ++b)
        if (prepares == (turns_[b].states == Turn::ions))
          cpu::initialise(group_.blocks[b], views_[b], lanes_, group_.packs, *kernels_[b], start,
                          v.data());
    events_.start(v.data(), spikes);
    // x is all 0: what the constant mechanisms say at 0 mV is their constant part.
    for (const std::size_t b : blocks<Turn::never>(currents_))
      kernels_[b]->current(views_[b], start, rows_.x().data(), rows_.diagonal(), rows_.source());
    rows_.keep_constant();
    play(0);
    // Currents of t = 0, so that they can be recorded there; the rows are made afresh each step.
    step::assemble(*this, 0, true);
    rows_.x() = v;  // of a step that led nowhere
    step::keep_membrane_currents(*this, 0);
    detect(0);
  }

  void begin_ions(const RowPart& part) {
    // The last one has the instances that only fill a lane.
    shared_.begin_step(part.begin, part.end == rows_.size() ? part.end + lanes_ : part.end);
  }
  void begin_rows(const RowPart& part) {
    parts_.are_several() ? rows_.begin(part.number) : rows_.begin();
  }
  void add_current(std::size_t b, const mechanisms::KernelTime& now, bool keeps,
                   const RowPart& part) {
    with_instances_of(part, b, views_[b], [&](const mechanisms::InstanceBlock& view) {
      kernels_[b]->current(view, now, rows_.v().data(), rows_.diagonal(), rows_.x().data(),
                           stores(b, keeps));
    });
  }
  /// Electrode currents are no membrane currents: they are kept apart, as if nothing had happened.
  void keep_electrodes(std::size_t b, const mechanisms::KernelTime& now) {
    MechanismBlock& block = group_.blocks[b];
    LaneArray before;
    if (block.mechanism->info->changes_in_current) before = block.columns;
    kernels_[b]->current(views_[b], now, rows_.v().data(), electrode_diagonal_.data(),
                         electrode_rhs_.data());
    std::ranges::copy(before, block.columns.begin());
  }
  /// Whether what a block's currents leave behind is wanted.
  bool stores(std::size_t b, bool keeps) const {
    return (keeps && group_.blocks[b].keep_assigned) || group_.blocks[b].is_pointed_at;
  }

  /// Gates of this step and currents of the next see the same v, so that one pass may do both,
  /// unless something comes in between or what currents leave behind is sampled there.
  bool may_begin(std::int64_t next) const {
    return next != saved_at_ && !(keeps_assigned_ && is_sampled(next + 1)) &&
           !(records_moved_ && is_sampled(next)) && diffusing_.empty() && !sets_voltage_ &&
           !plays_densities_ &&
           !shared_.has_pointers() &&  // what POINTERs tie together keeps its order
           group_.numbers_published.empty();
  }
  void advance_and_begin(const mechanisms::KernelTime& end, std::int64_t next) {
    const mechanisms::KernelTime middle = run_.at(run_.middle_ms(next));
    parts_.each([&](const RowPart& part) {
      begin_ions(part);
      begin_rows(part);
      for (const std::size_t b : blocks<Turn::density>(currents_)) {
        const mechanisms::CpuKernels& kernels = *kernels_[b];
        if (kernels.advances && turns_[b].states == Turn::density)
          with_instances_of(part, b, views_[b], [&](const mechanisms::InstanceBlock& view) {
            kernels.turn(view, mechanisms::asks::advance | mechanisms::asks::flow, end, middle,
                         rows_.v().data(), rows_.diagonal(), rows_.x().data());
          });
        else
          add_current(b, middle, false, part);
      }
    });
  }

  GroupLayout group_;
  const RunConstants& run_;
  std::size_t lanes_;
  SharedViews shared_;
  CellRows rows_;
  RowParts parts_;
  FieldStrengths fields_;
  WiredRows wired_;
  GuestPoints guests_;
  std::vector<mechanisms::InstanceBlock> views_;
  std::vector<const mechanisms::CpuKernels*> kernels_;
  std::vector<Turns> turns_;  ///< [block]
  BlocksByTurn states_, currents_;
  EventDelivery events_;
  ProbeSchedule schedule_;
  Detectors detectors_;
  std::vector<std::size_t> diffusing_;  ///< blocks with states that spread along the cable
  bool records_moved_ = false;          ///< what currents change: of ions, or of a block that lasts
  bool sets_voltage_ = false;           ///< events of some block do
  bool plays_densities_ = false;        ///< some table is played into a parameter of theirs
  bool keeps_assigned_ = false;
  bool wants_membrane_current_ = false;
  bool has_electrodes_ = false;  ///< or the like, where membrane currents are wanted
  LaneArray electrode_rhs_, electrode_diagonal_, membrane_nA_;
  // While membrane currents are kept: by row, what electrodes give and conduct, and potentials.
  const double *given_nA_ = nullptr, *conducted_uS_ = nullptr;
  double* inside_ = nullptr;
  bool has_begun_ = false;        ///< the last step did, with densities' part of the next one's
  LaneArray unused_;              ///< takes rows that nobody needs
  LaneArray beside_;              ///< voltages next to v, for slopes
  std::vector<LaneArray> begun_;  ///< [ion] currents of the step's beginning
  std::size_t spoiled_cell_ = 0;  ///< of a solve that gave no numbers
  std::int64_t step_ = 0;         ///< of a wired group, that began
  std::int64_t saved_at_ = -1;    ///< the boundary of this epoch that is saved
  std::vector<network::CellSpike>* spikes_ = nullptr;  ///< of this epoch
  std::span<const SampleBuffer> samples_;
};

}  // namespace

std::unique_ptr<CellGroup> make_cell_group(GroupLayout layout, const RunConstants& run) {
  return std::make_unique<CpuCellGroup>(std::move(layout), run);
}

}  // namespace hillock::simulator::cpu
