#include "simulator/backends/cpu/cpu_cell_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "core/errors.hpp"
#include "core/memory_size.hpp"
#include "mechanisms/settling.hpp"
#include "simulator/backends/cpu/block_view.hpp"
#include "simulator/backends/cpu/detectors.hpp"
#include "simulator/backends/cpu/event_delivery.hpp"
#include "simulator/backends/cpu/model_order.hpp"
#include "simulator/backends/cpu/probe_schedule.hpp"
#include "simulator/backends/cpu/shared_views.hpp"
#include "simulator/plan/gap_builder.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::simulator::cpu {

namespace {

class CpuCellGroup final : public CellGroup {
 public:
  CpuCellGroup(GroupLayout layout, const RunConstants& run)
      : group_(std::move(layout)),
        run_(run),
        lanes_(static_cast<std::size_t>(group_.lanes)),
        sweep_(solver::sweep_kernels(group_.lanes)),
        v_(std::move(group_.v_init_mV)),
        shared_(group_),
        events_(group_, run_, views_, kernels_),
        schedule_(group_.samples, run_.samples) {
    const std::size_t size = group_.row_count() * lanes_;
    // One row more than there are nodes: instances that only fill a lane sit on it.
    for (LaneArray* array : {&rhs_, &diagonal_, &source_}) array->assign(size + lanes_, 0);
    factor_.assign(size, 0);
    shared_.follow(v_);
    capacity_.resize(size);
    make_constant_rows();
    group_.forget_nodes();
    for (MechanismBlock& block : group_.blocks) {
      mechanisms::InstanceBlock view = view_of(block, lanes_);
      shared_.attach(views_.size(), view);
      views_.push_back(view);
      kernels_.push_back(&block.mechanism->kernels(group_.lanes));
    }
    for (const PlayedColumn& playback : group_.played) is_played_.insert(playback.block);
    for (std::size_t b = 0; b < views_.size(); ++b) {
      if (shared_.prepares_ions(b)) preparing_.push_back(b);
      if (!group_.blocks[b].links.empty()) diffusing_.push_back(b);
      sets_voltage_ = sets_voltage_ || group_.blocks[b].mechanism->info->sets_voltage;
      changes_in_current_ =
          changes_in_current_ || group_.blocks[b].mechanism->info->changes_in_current;
      const bool constant = group_.blocks[b].mechanism->info->is_constant &&
                            !is_played_.contains(b) && !group_.blocks[b].is_pointed_at;
      (constant ? constant_blocks_ : is_density(b) ? densities_ : points_).push_back(b);
      if (!constant && !is_preparing(b) && follows_gaps(*group_.blocks[b].mechanism))
        following_.push_back(b);
      keeps_assigned_ = keeps_assigned_ || group_.blocks[b].keep_assigned;
    }
    detectors_ = Detectors(group_, sweep_);
    find_runs();
    rows_ = {
        group_.row_count(), group_.packs,   group_.parent.data(),      group_.coupling_uS.data(),
        capacity_.data(),   source_.data(), constant_diagonal_.data(), runs_.data(),
        runs_.size(),       factor_.data(), diagonal_.data(),          rhs_.data()};
    for (const SampledTerm& term : group_.terms) {
      if (term.kind == ProbeTerm::Kind::membrane_current) wants_membrane_current_ = true;
      if (term.kind == ProbeTerm::Kind::ion) records_ions_ = true;
    }
    if (wants_membrane_current_)
      for (LaneArray* array : {&electrode_rhs_, &electrode_diagonal_, &membrane_nA_})
        array->assign(size + lanes_, 0);
    const bool retakes =
        !group_.ions.empty() && run_.integrator == models::Integrator::crank_nicolson;
    if (keeps_assigned_ || retakes) unused_.assign(size + lanes_, 0);
    if (retakes) {
      beside_.resize(size + lanes_);
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
    sample(0, samples);
  }

  StartedGroup begin(std::vector<network::CellSpike>& spikes) override {
    set_out(spikes);
    StartedGroup started{&group_,   &v_,      &capacity_,
                         &source_,  &factor_, &membrane_nA_,
                         diagonal_, {},       detectors_.is_above(0),
                         {},        {},       &events_};
    started.kinds.resize(group_.row_count());
    for (const solver::RowRun& run : runs_) {
      std::fill(started.kinds.begin() + static_cast<std::ptrdiff_t>(run.begin),
                started.kinds.begin() + static_cast<std::ptrdiff_t>(run.end), run.kind);
      if (run.kind == solver::RowRun::Kind::changing)
        std::copy_n(&constant_diagonal_[run.kept * lanes_], (run.end - run.begin) * lanes_,
                    &started.constant[run.begin * lanes_]);
    }
    started.is_constant.resize(views_.size());
    for (const std::size_t b : constant_blocks_) started.is_constant[b] = 1;
    for (std::size_t b = 0; b < views_.size(); ++b)
      started.prepares_ions.push_back(is_preparing(b));
    return started;
  }

  void take_gap_values(std::span<const double> gap_values) override {
    for (const GapSlot& gap : group_.gaps_read)
      group_.blocks[gap.block].columns[gap.index] = gap_values[gap.value];
  }
  void number_gap_values(std::uint32_t& next, std::span<std::uint32_t> number_of) override {
    std::ranges::stable_sort(group_.gaps_published, {}, &GapSlot::index);
    std::vector<GapSlot> given, leaving;
    for (const GapSlot& gap : group_.gaps_published) {
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
    group_.gaps_published = std::move(given);
    for (PublishedNumber& number : group_.numbers_published)
      if (number.value < number_of.size()) number.value = number_of[number.value] = next++;
  }
  void read_gap_values_by(std::span<const std::uint32_t> number_of) override {
    for (GapSlot& gap : group_.gaps_read)
      if (gap.value < number_of.size()) gap.value = number_of[gap.value];
  }
  void publish_gap_values(std::span<double> gap_values) const override {
    for (const GapSlot& gap : group_.gaps_published) gap_values[gap.value] = v_[gap.index];
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
    const std::int64_t first = epoch.first, last = epoch.last;
    schedule_.begin_epoch(first, last);
    const bool extrapolate = run_.integrator == models::Integrator::crank_nicolson;
    for (std::int64_t step = first; step < last; ++step) {
      events_.deliver(step, v_.data(), spikes);
      const double middle_ms = middle_of(step);
      play(middle_ms);
      const bool sampled = schedule_.is_due(step + 1);
      const Keep keep = sampled ? Keep::recorded : Keep::nothing;
      if (are_rows_begun_)
        add_points(middle_ms, keep);
      else
        assemble(middle_ms, keep);
      sweep_.solve(rows_);
      check_finite(step);
      if (wants_membrane_current_ && sampled) store_membrane_currents(rhs_);
      if (extrapolate) {
        take_ion_currents(middle_ms);
        for (std::size_t i = 0; i < capacity_.size(); ++i) rhs_[i] = 2 * rhs_[i] - v_[i];
      }
      std::swap(v_, rhs_);  // rhs_ now holds the v before the step
      shared_.follow(v_);
      rows_.rhs = rhs_.data();
      detect(step + 1, rhs_, spikes);
      if ((step + 1) % mechanisms::settling_interval == 0) settle();
      // Gates of this step and currents of the next see the same v: one pass does both, unless what
      // currents leave behind is sampled in between.
      are_rows_begun_ = !(epoch.is_saved && step + 1 == last) &&
                        !(keeps_assigned_ && schedule_.is_due(step + 2)) &&
                        !((records_ions_ || changes_in_current_) && sampled) &&
                        diffusing_.empty() && !sets_voltage_ &&
                        !shared_.has_pointers() &&  // what POINTERs tie together keeps its order
                        group_.numbers_published.empty();
      const mechanisms::KernelTime end = run_.at(static_cast<double>(step + 1) * run_.dt_ms);
      for (const std::size_t b : preparing_) advance_block(b, end);
      if (are_rows_begun_)
        advance_and_begin_rows(end, step + 1);
      else
        advance_blocks(densities_, end);
      advance_blocks(points_, end);
      for (const std::size_t b : diffusing_) diffuse(group_.blocks[b], views_[b], run_.dt_ms);
      if (sampled && following_.empty()) sample(step + 1, samples);
    }
  }

  void follow_gaps(std::int64_t step, std::span<const SampleBuffer> samples) override {
    if (following_.empty()) return;
    const mechanisms::KernelTime end = run_.at(static_cast<double>(step) * run_.dt_ms);
    for (const std::size_t b : following_) advance_block(b, end);
    if (schedule_.is_due(step)) sample(step, samples);
  }

  void walk(StateWalk& state) override {
    group_.recall_nodes();
    const GroupSlots slots = slots_of(group_);
    walk_numbers(state, group_, slots, run_, v_);
    detectors_.walk(state);
    events_.walk(state, slots.instances);
    group_.forget_nodes();
    are_rows_begun_ = false;
  }

  const GroupLayout& layout() const override { return group_; }

  std::size_t bytes() const override {
    std::size_t bytes = sizeof(*this) + group_.bytes() + bytes_of(runs_) + bytes_of(views_) +
                        bytes_of(kernels_) + detectors_.bytes();
    for (const LaneArray* array :
         {&v_, &rhs_, &diagonal_, &source_, &capacity_, &factor_, &constant_diagonal_,
          &electrode_rhs_, &electrode_diagonal_, &membrane_nA_, &unused_, &beside_})
      bytes += bytes_of(*array);
    return bytes;
  }

 private:
  /// What a step keeps of its currents: what is recorded of them, where a sample follows.
  enum class Keep { nothing, recorded };

  /// Everything of t = 0 but the samples.
  void set_out(std::vector<network::CellSpike>& spikes) {
    const mechanisms::KernelTime start = run_.at(0);
    for (const std::size_t b : preparing_) initialise_block(b, start);
    for (std::size_t b = 0; b < views_.size(); ++b)
      if (!is_preparing(b)) initialise_block(b, start);
    events_.start(v_.data(), spikes);
    // rhs_ is all 0: what the constant mechanisms say at 0 mV is their constant part.
    for (const std::size_t b : constant_blocks_)
      kernels_[b]->current(views_[b], start, rhs_.data(), diagonal_.data(), source_.data());
    keep_constant_diagonal();
    sweep_.prepare(rows_);
    play(0);
    // Currents of t = 0, so that they can be recorded there; the rows are made afresh each step.
    assemble(0, Keep::recorded);
    if (wants_membrane_current_) store_membrane_currents(v_);
    detect(0, v_, spikes);
  }

  bool is_preparing(std::size_t b) const {
    return std::find(preparing_.begin(), preparing_.end(), b) != preparing_.end();
  }

  void initialise_block(std::size_t b, const mechanisms::KernelTime& start) {
    cpu::initialise(group_.blocks[b], views_[b], lanes_, group_.packs, start, v_.data());
  }

  /// crank_nicolson: what gathers an ion's current does so with that of the step's middle, whose
  /// voltages rhs_ holds: moved there from the step's beginning along its slope, as the membrane's
  /// charge was, and as in NEURON.
  void take_ion_currents(double middle_ms) {
    if (!shared_.has_ions()) return;
    constexpr double secant_mV = 1e-3;  // NEURON's, too
    for (std::size_t i = 0; i < v_.size(); ++i) beside_[i] = v_[i] + secant_mV;
    for (std::size_t k = 0; k < begun_.size(); ++k) begun_[k] = group_.ions[k].current_mA_per_cm2;
    shared_.clear_currents();
    const mechanisms::KernelTime middle = run_.at(middle_ms);
    for (std::size_t b = 0; b < views_.size(); ++b)
      if (views_[b].shared)
        kernels_[b]->current(views_[b], middle, beside_.data(), unused_.data(), unused_.data());
    for (std::size_t k = 0; k < begun_.size(); ++k) {
      LaneArray& current = group_.ions[k].current_mA_per_cm2;
      for (std::size_t i = 0; i < current.size(); ++i)
        current[i] =
            begun_[k][i] + (current[i] - begun_[k][i]) / (beside_[i] - v_[i]) * (rhs_[i] - v_[i]);
    }
  }

  double middle_of(std::int64_t step) const {
    return (static_cast<double>(step) + 0.5) * run_.dt_ms;
  }

  bool is_density(std::size_t b) const {
    return group_.blocks[b].mechanism->signature.kind == MechanismKind::density;
  }

  /// Capacities, and what capacities and couplings add to the diagonal.
  void make_constant_rows() {
    const solver::LaneTree& tree = *group_.tree;
    const double dt_ms = run_.implicit_dt_ms();
    for (std::size_t i = 0; i < group_.capacitance_nF.size(); ++i)
      capacity_[i] = group_.capacitance_nF[i] / dt_ms;
    // Else all packs have the tree's.
    const std::size_t in_a_row = group_.packs * lanes_;
    const std::size_t of_tree = group_.capacitance_nF.empty() ? tree.capacitance_nF.size() : 0;
    for (std::size_t i = 0; i < of_tree; ++i) {
      const double capacity = tree.capacitance_nF[i] / dt_ms;
      const std::size_t at = i / lanes_ * in_a_row + i % lanes_;
      for (std::size_t p = 0; p < in_a_row; p += lanes_) capacity_[at + p] = capacity;
    }
    std::ranges::copy(capacity_, diagonal_.begin());
    for (std::size_t row = group_.packs; row < group_.row_count(); ++row)
      for (std::size_t l = 0; l < lanes_; ++l) {
        const double coupling = group_.coupling_uS[row * lanes_ + l];
        diagonal_[row * lanes_ + l] += coupling;
        diagonal_[parent_of(row) * lanes_ + l] += coupling;
      }
  }

  std::size_t parent_of(std::size_t row) const {
    return static_cast<std::size_t>(group_.parent[row]);
  }

  /// Which pivots change: those of rows with a mechanism that does, and of all above them.
  void find_runs() {
    const std::size_t rows = group_.row_count(), roots = group_.packs;
    std::vector<char> changes(rows + 1, group_.may_have_synapses_anywhere ? 1 : 0);
    std::fill_n(changes.begin(), roots, 1);
    for (const auto* blocks : {&densities_, &points_})
      for (const std::size_t b : *blocks)
        for (const int row : group_.blocks[b].nodes) changes[static_cast<std::size_t>(row)] = 1;
    for (std::size_t row = rows; row-- > roots;)
      if (changes[row]) changes[parent_of(row)] = 1;
    for (std::size_t row = rows; row-- > 0;) {
      using Kind = solver::RowRun::Kind;
      const Kind kind = changes[row]              ? Kind::changing
                        : changes[parent_of(row)] ? Kind::border
                                                  : Kind::constant;
      if (!runs_.empty() && runs_.back().kind == kind)
        runs_.back().begin = row;
      else
        runs_.push_back({row, row + 1, kind});
    }
    std::size_t kept = 0;
    for (solver::RowRun& run : runs_) {
      if (run.kind != solver::RowRun::Kind::changing) continue;
      run.kept = kept;
      kept += run.end - run.begin;
    }
    constant_diagonal_.assign(kept * lanes_, 0);
  }

  /// Of the rows that change, before the first step.
  void keep_constant_diagonal() {
    for (const solver::RowRun& run : runs_)
      if (run.kind == solver::RowRun::Kind::changing)
        std::copy(&diagonal_[run.begin * lanes_], &diagonal_[run.end * lanes_],
                  &constant_diagonal_[run.kept * lanes_]);
  }

  /// Sets to 0 what has become negligible of voltages and states.
  void settle() {
    for (double& v : v_) v = mechanisms::settled(v);
    for (MechanismBlock& block : group_.blocks) cpu::settle(block, lanes_);
  }

  void play(double time_ms) {
    for (const PlayedColumn& playback : group_.played)
      group_.blocks[playback.block].columns[playback.index] = value_at(*playback.table, time_ms);
  }

  /// Makes the rows of the matrix from v and states: (C/dt + G) v' = C/dt v + g v - i.
  void assemble(double time_ms, Keep keep) {
    sweep_.assemble(rows_, v_.data());
    shared_.begin_step();
    const mechanisms::KernelTime now = run_.at(time_ms);
    for (const std::size_t b : densities_) add_current(b, now, keep);
    add_points(time_ms, keep);
  }

  void add_current(std::size_t b, const mechanisms::KernelTime& now, Keep keep) {
    const bool store = (keep == Keep::recorded && group_.blocks[b].keep_assigned) ||
                       group_.blocks[b].is_pointed_at;
    const auto kernel = store ? kernels_[b]->current_and_store : kernels_[b]->current;
    kernel(views_[b], now, v_.data(), diagonal_.data(), rhs_.data());
  }

  /// The rest of the rows: point processes, and what is only recorded.
  void add_points(double time_ms, Keep keep) {
    const mechanisms::KernelTime now = run_.at(time_ms);
    const bool keep_electrodes = wants_membrane_current_ && keep == Keep::recorded;
    if (keep_electrodes) {
      std::fill(electrode_rhs_.begin(), electrode_rhs_.end(), 0);
      std::fill(electrode_diagonal_.begin(), electrode_diagonal_.end(), 0);
    }
    for (const std::size_t b : points_) {
      add_current(b, now, keep);
      // Electrode currents are no membrane currents: they are kept apart a second time.
      if (keep_electrodes && group_.blocks[b].mechanism->signature.is_electrode)
        kernels_[b]->current(views_[b], now, v_.data(), electrode_diagonal_.data(),
                             electrode_rhs_.data());
    }
    if (keep == Keep::recorded)
      for (const std::size_t b : constant_blocks_)
        if (group_.blocks[b].keep_assigned)
          kernels_[b]->current_and_store(views_[b], now, v_.data(), unused_.data(), unused_.data());
  }

  void advance_block(std::size_t b, const mechanisms::KernelTime& end) {
    if (kernels_[b]->advance) kernels_[b]->advance(views_[b], end, v_.data());
  }

  /// Those of the blocks that advance_block() has not gone before, but for those that follow_gaps()
  /// does.
  void advance_blocks(const std::vector<std::size_t>& blocks, const mechanisms::KernelTime& end) {
    for (const std::size_t b : blocks)
      if (!is_preparing(b) && std::ranges::find(following_, b) == following_.end())
        advance_block(b, end);
  }

  /// Integrates the density mechanisms' states and begins the rows of step `step`.
  void advance_and_begin_rows(const mechanisms::KernelTime& end, std::int64_t step) {
    sweep_.assemble(rows_, v_.data());
    shared_.begin_step();
    const mechanisms::KernelTime next = run_.at(middle_of(step));
    for (const std::size_t b : densities_) {
      if (kernels_[b]->advance_and_current && !is_preparing(b))
        kernels_[b]->advance_and_current(views_[b], end, next, v_.data(), diagonal_.data(),
                                         rhs_.data());
      else
        add_current(b, next, Keep::nothing);
    }
  }

  /// What crosses the membrane at each node, outward, nA: what flows in along the cable and from
  /// electrodes. v: the voltages that the step's implicit part gave.
  void store_membrane_currents(const LaneArray& v) {
    for (std::size_t i = 0; i < capacity_.size(); ++i)
      membrane_nA_[i] = electrode_rhs_[i] - electrode_diagonal_[i] * v[i];
    for (std::size_t row = group_.packs; row < group_.row_count(); ++row) {
      const std::size_t p = parent_of(row);
      for (std::size_t l = 0; l < lanes_; ++l) {
        const double flow =
            group_.coupling_uS[row * lanes_ + l] * (v[p * lanes_ + l] - v[row * lanes_ + l]);
        membrane_nA_[row * lanes_ + l] += flow;
        membrane_nA_[p * lanes_ + l] -= flow;
      }
    }
  }

  /// A root's voltage takes in every row of its tree, so it alone tells whether all are finite.
  void check_finite(std::int64_t step) {
    if (sweep_.are_roots_finite(rows_)) return;
    for (std::size_t cell = 0; cell < group_.indices.size(); ++cell)
      if (!std::isfinite(rhs_[cell])) fail(step, cell);
  }

  [[noreturn]] void fail(std::int64_t step, std::size_t cell) {
    // v and the states still are those before the solve: find the first row that they spoil.
    assemble(middle_of(step), Keep::nothing);
    const std::size_t rows = group_.row_count();
    const std::size_t pack = cell / lanes_, lane = cell % lanes_;
    const auto spoiled = [&](std::size_t row) {
      const double d = diagonal_[row * lanes_ + lane];
      return !std::isfinite(rhs_[row * lanes_ + lane]) || !std::isfinite(d) || d <= 0;
    };
    std::size_t culprit = pack;
    while (culprit + group_.packs < rows && !spoiled(culprit)) culprit += group_.packs;
    if (!spoiled(culprit)) culprit = pack;
    throw NumericalFailure({static_cast<double>(step + 1) * run_.dt_ms, group_.population->name,
                            group_.indices[cell], group_.describe(culprit, lane)},
                           "the membrane potential is not a finite number");
  }

  /// Upward crossings of the threshold in the step that ends at `step`. before: v at its start.
  void detect(std::int64_t step, const LaneArray& before, std::vector<network::CellSpike>& spikes) {
    const double threshold_mV = group_.population->threshold_mV;
    detectors_.test(v_.data(), threshold_mV, [&](std::size_t cell, std::size_t at) {
      double steps = static_cast<double>(step);
      if (run_.spike_time == models::SpikeTime::interpolated && step > 0)
        steps = static_cast<double>(step - 1) + (threshold_mV - before[at]) / (v_[at] - before[at]);
      spikes.push_back({steps * run_.dt_ms, group_.id_of(cell)});
    });
  }

  void sample(std::int64_t step, std::span<const SampleBuffer> samples) {
    schedule_.write_due(step, samples, group_.terms,
                        [&](const SampledTerm& term) { return value_of(term); });
  }

  double value_of(const SampledTerm& term) {
    switch (term.kind) {
      case ProbeTerm::Kind::constant:
        return term.factor;
      case ProbeTerm::Kind::voltage:
        return v_[term.index];
      case ProbeTerm::Kind::membrane_current:
        return membrane_nA_[term.index];
      case ProbeTerm::Kind::variable:
        return term.factor * group_.blocks[term.block].columns[term.index];
      case ProbeTerm::Kind::ion:
        return group_.ions[term.block].values(term.quantity)[term.index];
    }
    return 0;
  }

  GroupLayout group_;
  const RunConstants& run_;
  std::size_t lanes_;
  const solver::SweepKernels& sweep_;
  solver::LaneRows rows_;                  ///< the arrays below, as the sweeps take them
  LaneArray v_, rhs_, diagonal_, source_;  ///< [row + 1][lane]
  LaneArray capacity_, factor_;            ///< [row][lane]
  LaneArray constant_diagonal_;            ///< [row that changes][lane]
  std::vector<solver::RowRun> runs_;
  SharedViews shared_;
  std::vector<mechanisms::InstanceBlock> views_;
  std::vector<const mechanisms::CpuKernels*> kernels_;
  EventDelivery events_;
  ProbeSchedule schedule_;
  std::vector<std::size_t> constant_blocks_, densities_, points_;  ///< every block in one of them
  std::set<std::size_t> is_played_;  ///< blocks with a parameter that follows a table
  Detectors detectors_;
  std::vector<std::size_t> preparing_;  ///< blocks that prepares_ions() names
  std::vector<std::size_t> following_;  ///< blocks with states that follow gap junctions
  std::vector<std::size_t> diffusing_;  ///< blocks with states that spread along the cable
  bool records_ions_ = false;
  bool changes_in_current_ = false;  ///< of some block
  bool sets_voltage_ = false;        ///< events of some block do
  bool keeps_assigned_ = false;
  bool wants_membrane_current_ = false;
  LaneArray electrode_rhs_, electrode_diagonal_, membrane_nA_;
  bool are_rows_begun_ = false;   ///< densities' part of the next step's, with the last step
  LaneArray unused_;              ///< takes rows that nobody needs
  LaneArray beside_;              ///< voltages next to v_, for slopes
  std::vector<LaneArray> begun_;  ///< [ion] currents of the step's beginning
};

}  // namespace

std::unique_ptr<CellGroup> make_cell_group(GroupLayout layout, const RunConstants& run) {
  return std::make_unique<CpuCellGroup>(std::move(layout), run);
}

}  // namespace hillock::simulator::cpu
