#pragma once
// A cell on its way forwards: what each step began with is kept.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/backends/taped/moved_events.hpp"
#include "simulator/backends/taped/records.hpp"
#include "simulator/backends/taped/taped_block.hpp"
#include "simulator/backends/taped/taped_cell.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"
#include "simulator/step/instance_events.hpp"
#include "simulator/step/nernst.hpp"
#include "simulator/step/samples.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::simulator::taped {

/// An executor of step/cell_step.hpp. A block of instances is worked on by the loops that the CPU
/// has for a cell by itself.
class ForwardCell : public TapedCell {
 public:
  ForwardCell(const begin::BegunCell& begun, const RunConstants& run, const Adjoints& adjoints)
      : begun_(begun),
        run_(run),
        v_(begun.v_mV),
        x_(v_.size()),
        diagonal_(v_.size()),
        factor_(v_.size()),
        scratch_(v_.size()),
        no_source_(v_.size()),
        constant_(begun.capacity_uS),
        is_above_(begun.is_above) {
    refuse_what_is_not_derived(begun);
    for (std::size_t r = 1; r < rows(); ++r) {
      constant_[r] += coupling(r);
      constant_[above(r)] += coupling(r);
    }
    for (const begin::BegunIon& ion : begun.ions)
      ions_.push_back({ion.current_mA_per_cm2, ion.reversal_mV, ion.inside_mM, ion.outside_mM});
    for (std::size_t b = 0; b < begun.blocks.size(); ++b)
      blocks_.emplace_back(begun.blocks[b], *adjoints[b], begun.ions, ions_);
    runs_ = {{.begin = 0, .end = rows(), .kind = solver::RowRun::Kind::changing}};
    pieces_ = solver::pieces_of(runs_, begun.tree->parent);
    sweep_rows_.count = rows();
    sweep_rows_.parent = begun.tree->parent.data();
    sweep_rows_.coupling = begun.coupling_uS.data();
    sweep_rows_.capacity = begun.capacity_uS.data();
    sweep_rows_.source = no_source_.data();
    sweep_rows_.constant_diagonal = constant_.data();
    sweep_rows_.runs = runs_.data();
    sweep_rows_.run_count = runs_.size();
    sweep_rows_.pieces = pieces_.data();
    sweep_rows_.piece_count = pieces_.size();
    sweep_rows_.factor = factor_.data();
    order_ties();
    order_tape();
    for (const TapedBlock& block : blocks_)
      for (const Tie& tie : block.ties)
        moves_currents_ = moves_currents_ || (step::extrapolates(run.integrator) && !tie.adds &&
                                              tie.quantity == mechanisms::SharedQuantity::current);
  }

  std::size_t record_bytes() override { return record_size() * sizeof(double); }
  void keep_every(std::int64_t steps) override {
    every_ = steps;
    const auto most = static_cast<std::size_t>((run_.steps + steps - 1) / steps);
    kept_ = steps == 1 ? Records(record_size(), most) : Records(lasting_size(), most);
    stretch_ = Records(record_size(), static_cast<std::size_t>(steps));
  }
  void begin_epoch(std::vector<Event> events, std::span<const SampleBuffer> samples) override {
    if (every_ > 1) all_events_.insert(all_events_.end(), events.begin(), events.end());
    events_ = std::move(events);
    next_ = 0;
    samples_ = samples;
  }
  void sample_start() override { sample(0); }
  void advance(Epoch epoch) override {
    step::with_integrator(run_.integrator, [&](auto integrator) {
      for (std::int64_t step = epoch.first; step < epoch.last; ++step)
        step::take_step<decltype(integrator)>(*this, step);
    });
  }
  std::vector<network::CellSpike> take_spikes() override { return std::exchange(spikes_, {}); }
  std::size_t bytes() const override { return kept_.bytes() + stretch_.bytes(); }

  // As step/cell_step.hpp asks for.
  using Real = double;
  double dt_ms() const { return run_.dt_ms; }
  double time_ms(long long step) const { return run_.boundary_ms(step); }
  double middle_ms(long long step) const { return run_.middle_ms(step); }
  double& v(std::size_t r) { return v_[r]; }
  double& x(std::size_t r) { return x_[r]; }
  template <class Body>
  void for_unknowns(const Body& body) {
    for (std::size_t r = 0; r < rows(); ++r) body(r);
  }
  void deliver(std::int64_t step) {
    step_ = step;
    if (every_ > 1 && !goes_again_ && step % every_ == 0) keep(kept_.add());
    step::deliver(*this, step, run_.boundaries());
    if (every_ == 1 || goes_again_) rest_ = keep((goes_again_ ? stretch_ : kept_).add());
  }
  void play(double) {}
  bool is_sampled(std::int64_t step) const { return begun_.is_sampled(run_.samples, step); }
  bool has_begun() const { return has_begun_; }
  void begin_ions() {
    for (std::size_t k = 0; k < ions_.size(); ++k) {
      std::ranges::fill(ions_[k].current_mA_per_cm2, 0.0);
      for (const auto& [row, factor_mV] : begun_.ions[k].nernst_mV)
        ions_[k].reversal_mV[row] =
            step::nernst_mV(factor_mV, ions_[k].inside_mM[row], ions_[k].outside_mM[row]);
    }
  }
  void begin_rows(double, bool) {
    show_rows();
    sweep_.assemble(sweep_rows_, v_.data());
    // Of what never changes, too: its derivatives by parameters are those of any other current.
    for (TapedBlock& block : blocks_)
      if (block.current == step::Turn::never) add_current(block, run_.at(0));
  }
  template <step::Turn turn>
  void add_currents(double time_ms, bool) {
    for (TapedBlock& block : blocks_)
      if (block.current == turn) add_current(block, run_.at(time_ms));
  }
  void add_fields(double, bool) {}
  void keep_constant(double) {}
  bool solve_rows() {
    if (rest_) keep_rest(std::exchange(rest_, nullptr));
    show_rows();
    sweep_.solve(sweep_rows_);
    return std::isfinite(x_[0]);
  }
  void begin_again() {}
  [[noreturn]] void tell_what_spoils(std::int64_t step) {
    throw NumericalFailure(
        {step::boundary_ms(step + 1, dt_ms()), begun_.population->name, begun_.index, ""},
        "the membrane potential is not a finite number");
  }
  void detect(std::int64_t step) {
    if (begun_.detector_row < 0) return;
    const double threshold_mV = begun_.population->threshold_mV;
    const auto r = static_cast<std::size_t>(begun_.detector_row);
    const bool interpolates = run_.spike_time == models::SpikeTime::interpolated;
    if (!is_above_ && x_[r] > threshold_mV && !goes_again_) {
      spikes_.push_back({step::spike_ms(step, run_.spike_boundary_ms(step), threshold_mV, v_[r],
                                        x_[r], interpolates, dt_ms()),
                         begun_.id});
      crossings_.push_back({step, spikes_.back().time_ms, v_[r], x_[r]});
    }
    is_above_ = x_[r] > threshold_mV;
  }
  void take_voltages(bool settles) {
    std::swap(v_, x_);
    if (settles) for_unknowns([&](std::size_t r) { v_[r] = mechanisms::settled(v_[r]); });
  }
  void settle() {}
  template <step::Turn turn>
  void advance(double end_ms, std::int64_t next) {
    if constexpr (turn == step::Turn::density) return advance_and_begin(end_ms, next);
    for (TapedBlock& block : blocks_)
      if (block.states == turn && block.kernels.advances)
        block.kernels.advance(block.view, run_.at(end_ms), v_.data());
  }
  void diffuse() {}
  bool follows_gaps() const { return false; }
  void sample(std::int64_t step) {
    if (samples_.empty()) return;
    begun_.for_samples(run_.samples, step, [&](const begin::Sampled& one, std::int64_t sample) {
      samples_[one.recording].row(sample)[one.column] =
          step::sum_of(*this, begun_.terms.data() + one.first_term, one.terms);
    });
  }

  // As step/samples.hpp asks for.
  double voltage(const begin::NumberSource& term) const { return v_[term.index]; }
  double membrane_nA(const begin::NumberSource&) const { return 0; }
  double& number(const begin::NumberSource& term) {
    return term.kind == step::Summand::ion
               ? ions_[term.block].of(term.quantity)[term.index]
               : blocks_[term.block].columns.of(static_cast<int>(term.variable))[term.index];
  }

  // As step/membrane.hpp and step/integrators/crank_nicolson.hpp ask for, of nothing that they do.
  bool keeps_membrane_currents() const { return false; }
  void gather_electrodes(double) {}
  double electrode_nA(std::size_t) const { return 0; }
  double electrode_uS(std::size_t) const { return 0; }
  double inside(std::size_t r) const { return x_[r]; }
  void forget_electrodes() {}
  template <class Start>
  void keep_axial(const Start&) {}
  int ion_turns() const { return moves_currents_ ? 1 : 0; }
  void set_currents_aside(int) {
    begun_currents_.clear();
    for (Ion& ion : ions_) {
      begun_currents_.push_back(ion.current_mA_per_cm2);
      std::ranges::fill(ion.current_mA_per_cm2, 0.0);
    }
  }
  void add_ion_currents(int, double secant_mV, double time_ms) {
    secant_mV_ = secant_mV;
    beside_ = v_;
    for (double& v : beside_) v += secant_mV;
    for (TapedBlock& block : blocks_)
      if (!block.ties.empty())
        block.kernels.current(block.view, run_.at(time_ms), beside_.data(), scratch_.data(),
                              scratch_.data());
    currents_beside_.clear();
    for (const Ion& ion : ions_) currents_beside_.push_back(ion.current_mA_per_cm2);
  }
  template <class Body>
  void for_ion_currents_of(int, const Body& body) {
    for (std::size_t k = 0; k < ions_.size(); ++k)
      for (std::size_t r = 0; r < rows(); ++r)
        body(r, begun_currents_[k][r], ions_[k].current_mA_per_cm2[r]);
  }
  void forget_aside() {}

  // As a store of step/instance_events.hpp.
  static constexpr bool sends = false, has_watches = false;
  double next_connection_ms() const {
    return next_ < events_.size() && events_[next_].step <= step_ ? events_[next_].time_ms
                                                                  : step::none;
  }
  void receive_connection() {
    const Event& event = events_[next_++];
    TapedBlock& block = blocks_[event.block];
    if (every_ == 1 || goes_again_) {
      TapedEvent& kept = taped_events_.emplace_back(TapedEvent{event, step_, {}});
      for (int c = 0; c < block.info.count(); ++c)
        kept.before.push_back(block.columns.of(c)[event.instance]);
    }
    receive(block.kernels, block.view, event);
  }

 protected:
  /// A spike, in the step that ended at the boundary before `step`.
  struct Crossing {
    std::int64_t step;
    double time_ms, before_mV, now_mV;
    double by_ms = 0;  ///< what the run's number is derived by it
  };

  /// Of an ion's values those that may change.
  struct KeptRows {
    std::size_t ion;
    mechanisms::SharedQuantity quantity;
    std::size_t first, last;

    std::size_t count() const { return last - first; }
    double* of(std::vector<Ion>& ions) const { return ions[ion].of(quantity).data() + first; }
  };

  std::size_t above(std::size_t r) const {
    return static_cast<std::size_t>(begun_.tree->parent[r]);
  }
  double coupling(std::size_t r) const { return begun_.coupling_uS[r]; }
  std::size_t rows() const { return begun_.row_count(); }
  void show_rows() {
    sweep_rows_.diagonal = diagonal_.data();
    sweep_rows_.rhs = x_.data();
  }

  /// Who of a step's states sees what another has set.
  void order_ties() {
    std::vector<std::pair<std::size_t, mechanisms::SharedQuantity>> set;
    for (const step::Turn turn : {step::Turn::ions, step::Turn::density, step::Turn::point})
      for (TapedBlock& block : blocks_) {
        if (block.states != turn) continue;
        for (Tie& tie : block.ties)
          tie.is_set_before = std::ranges::find(set, std::pair(tie.ion, tie.quantity)) != set.end();
        for (const Tie& tie : block.ties)
          if (tie.sets) set.emplace_back(tie.ion, tie.quantity);
      }
    // What a density mechanism's states and its current behind them see of ions is then the same.
    const bool last_is_density = std::ranges::none_of(blocks_, [](const TapedBlock& block) {
      return block.states == step::Turn::point &&
             std::ranges::any_of(block.ties, [](const Tie& tie) { return tie.sets; });
    });
    for (TapedBlock& block : blocks_)
      block.is_whole = last_is_density && block.back_info.undoes_both &&
                       block.states == step::Turn::density && block.kernels.advances &&
                       block.current == step::Turn::density;
  }

  /// Gates of this step and currents of the next see the same v.
  void advance_and_begin(double end_ms, std::int64_t next) {
    begin_ions();
    begin_rows(0, false);
    const mechanisms::KernelTime end = run_.at(end_ms), middle = run_.at(middle_ms(next));
    for (TapedBlock& block : blocks_)
      if (block.states == step::Turn::density && block.kernels.advances)
        block.kernels.turn(block.view, mechanisms::asks::advance | mechanisms::asks::flow, end,
                           middle, v_.data(), diagonal_.data(), x_.data());
      else if (block.current == step::Turn::density)
        add_current(block, middle);
    has_begun_ = true;
  }

  void add_current(TapedBlock& block, const mechanisms::KernelTime& at) {
    block.kernels.current(block.view, at, v_.data(), diagonal_.data(), x_.data());
  }

  void receive(const mechanisms::CpuKernels& kernels, const mechanisms::InstanceBlock& view,
               const Event& event) {
    double weight = event.weight;
    mechanisms::Delivery delivery;
    delivery.arguments = &weight;
    kernels.receive(view, event.instance, 0, run_.at(event.time_ms), v_.data(), delivery);
  }

  // The tape: what each step begins with, once events have arrived, and the rest of what its solve
  // sees; or what every so many begin with before that, and all of those that are gone back over.

  void order_tape() {
    const auto note = [](std::vector<KeptRows>& list, std::size_t ion,
                         mechanisms::SharedQuantity quantity, std::size_t row) {
      auto found = std::ranges::find_if(
          list, [&](const KeptRows& one) { return one.ion == ion && one.quantity == quantity; });
      if (found == list.end()) found = list.insert(found, {ion, quantity, row, row + 1});
      found->first = std::min(found->first, row);
      found->last = std::max(found->last, row + 1);
    };
    // Of a current that somebody sees all of it, which is moved to the middles of steps.
    std::vector<bool> is_seen(ions_.size());
    for (const TapedBlock& block : blocks_)
      for (const Tie& tie : block.ties)
        if (!tie.adds && tie.quantity == mechanisms::SharedQuantity::current)
          is_seen[tie.ion] = true;
    for (const TapedBlock& block : blocks_)
      for (const Tie& tie : block.ties)
        for (std::size_t i = 0; i < block.count(); ++i) {
          if (tie.sets) note(lasting_, tie.ion, tie.quantity, block.row(i));
          if (is_seen[tie.ion] && tie.quantity == mechanisms::SharedQuantity::current)
            note(passing_, tie.ion, tie.quantity, block.row(i));
        }
    for (std::size_t k = 0; k < ions_.size(); ++k)
      for (const auto& [row, factor_mV] : begun_.ions[k].nernst_mV)
        note(passing_, k, mechanisms::SharedQuantity::reversal, row);
  }

  /// Registers are filled from it.
  static std::size_t in_record(std::size_t numbers) { return (numbers + 7) / 8 * 8; }
  template <class Body>
  void for_what_lasts(const Body& body) {
    body(v_.data(), v_.size());
    for (TapedBlock& block : blocks_) body(block.columns.states(), block.lasting_size());
    for (const KeptRows& some : lasting_) body(some.of(ions_), some.count());
  }
  template <class Body>
  void for_the_rest(const Body& body) {
    body(diagonal_.data(), diagonal_.size());
    for (const KeptRows& some : passing_) body(some.of(ions_), some.count());
  }
  std::size_t lasting_size() {
    std::size_t size = 0;
    for_what_lasts([&](const double*, std::size_t count) { size += in_record(count); });
    return size;
  }
  std::size_t record_size() {
    std::size_t size = lasting_size();
    for_the_rest([&](const double*, std::size_t count) { size += in_record(count); });
    return size;
  }
  /// Returns where the rest goes.
  double* keep(double* next) {
    for_what_lasts([&](const double* numbers, std::size_t count) {
      std::copy_n(numbers, count, next);
      next += in_record(count);
    });
    return next;
  }
  void keep_rest(double* next) {
    for_the_rest([&](const double* numbers, std::size_t count) {
      std::copy_n(numbers, count, next);
      next += in_record(count);
    });
  }
  const double* load(const double* next) {
    has_begun_ = false;
    for_what_lasts([&](double* numbers, std::size_t count) {
      std::copy_n(next, count, numbers);
      next += in_record(count);
    });
    return next;
  }
  void load_rest(const double* next) {
    for_the_rest([&](double* numbers, std::size_t count) {
      std::copy_n(next, count, numbers);
      next += in_record(count);
    });
  }
  const double* record_of(std::int64_t step) const {
    return every_ == 1 ? kept_.at(static_cast<std::size_t>(step))
                       : stretch_.at(static_cast<std::size_t>(step % every_));
  }
  /// Steps [first, last) again, all of which are kept.
  template <class Integrator>
  void go_again(std::int64_t first, std::int64_t last) {
    load(kept_.at(static_cast<std::size_t>(first / every_)));
    stretch_.clear();
    taped_events_.clear();
    events_ = all_events_;
    next_ = static_cast<std::size_t>(std::ranges::lower_bound(events_, first, {}, &Event::step) -
                                     events_.begin());
    samples_ = {};
    goes_again_ = true;
    for (std::int64_t step = first; step < last; ++step) step::take_step<Integrator>(*this, step);
    goes_again_ = false;
  }

  const begin::BegunCell& begun_;
  const RunConstants& run_;
  std::vector<double> v_, x_, diagonal_, factor_, scratch_, no_source_, constant_;  ///< by row
  const solver::SweepKernels& sweep_ = solver::sweep_kernels(1);
  std::vector<solver::RowRun> runs_, pieces_;
  solver::LaneRows sweep_rows_;
  std::vector<Ion> ions_;
  std::deque<TapedBlock> blocks_;
  bool is_above_;              ///< the threshold
  std::vector<Event> events_;  ///< of the epoch
  std::size_t next_ = 0;       ///< the first of them that has not arrived
  std::int64_t step_ = 0;      ///< the boundary before it
  std::vector<network::CellSpike> spikes_;
  std::vector<Crossing> crossings_;  ///< of the whole run
  std::span<const SampleBuffer> samples_;
  bool has_begun_ = false;  ///< the last step did, with densities' part of the next one's
  std::int64_t every_ = 1;  ///< so many steps lie between those that are kept
  Records kept_, stretch_;  ///< all along; of the steps that are gone back over
  double* rest_ = nullptr;  ///< where that of the step at hand goes
  /// Ions' values that steps leave to each other, and others that the solve's step sees.
  std::vector<KeptRows> lasting_, passing_;
  std::vector<Event> all_events_;  ///< where not all steps are kept
  std::vector<TapedEvent> taped_events_;
  bool goes_again_ = false;
  bool moves_currents_ = false;  ///< to the middles of steps: someone reads them there
  double secant_mV_ = 0;
  std::vector<double> beside_;                                         ///< v + secant
  std::vector<std::vector<double>> begun_currents_, currents_beside_;  ///< [ion] by row
};

}  // namespace hillock::simulator::taped
