#include "simulator/backends/cpu/cpu_cell_group.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "solver/hines.hpp"

namespace hillock::simulator::cpu {

namespace {

/// A table's value at a time, linear between rows, 0 before the first and after the last.
double table_value(const std::vector<std::pair<double, double>>& table, double time_ms) {
  const auto after = std::upper_bound(
      table.begin(), table.end(), time_ms,
      [](double time, const std::pair<double, double>& row) { return time < row.first; });
  if (after == table.begin() || after == table.end()) return 0;
  const auto before = after - 1;
  const double fraction = (time_ms - before->first) / (after->first - before->first);
  return before->second + fraction * (after->second - before->second);
}

template <int lanes>
class CpuCellGroup final : public CellGroup {
  using V = typename PackOf<lanes>::type;

 public:
  CpuCellGroup(GroupPlan plan, const RunConstants& run, std::int64_t epoch_steps)
      : plan_(std::move(plan)), run_(run), queue_(epoch_steps) {
    const solver::Template& cell = *plan_.cell;
    const std::size_t nodes = cell.node_count();
    // One row more than there are nodes: instances that only fill a lane sit on it.
    v_.assign((nodes + 1) * lanes, 0);
    rhs_.assign((nodes + 1) * lanes, 0);
    diagonal_.assign((nodes + 1) * lanes, 1);
    // crank_nicolson takes half an implicit step, then extrapolates.
    const double implicit_dt =
        run_.integrator == models::Integrator::crank_nicolson ? run_.dt_ms / 2 : run_.dt_ms;
    capacity_.resize(nodes);
    constant_diagonal_.resize(nodes);
    for (std::size_t n = 0; n < nodes; ++n) {
      capacity_[n] = cell.capacitance_nF[n] / implicit_dt;
      constant_diagonal_[n] += capacity_[n];
      if (n == 0) continue;
      constant_diagonal_[n] += cell.coupling_uS[n];
      constant_diagonal_[static_cast<std::size_t>(cell.parent[n])] += cell.coupling_uS[n];
    }
    for (MechanismBlock& block : plan_.blocks) {
      views_.push_back({block.count, block.columns.data(), block.nodes.data(),
                        block.area_factors.data()});
      kernels_.push_back(&block.mechanism->kernels(lanes));
    }
    for (const Probe& probe : plan_.probes)
      for (const ProbeTerm& term : probe.terms)
        if (term.kind == ProbeTerm::Kind::membrane_current) wants_membrane_current_ = true;
    if (wants_membrane_current_) {
      electrode_rhs_.assign((nodes + 1) * lanes, 0);
      electrode_diagonal_.assign((nodes + 1) * lanes, 0);
      membrane_nA_.assign((nodes + 1) * lanes, 0);
    }
  }

  void initialise(std::vector<CellSpike>& spikes, std::vector<SampleBuffer>& samples) override {
    std::copy(plan_.v_init_mV.begin(), plan_.v_init_mV.end(), v_.begin());
    const mechanisms::KernelTime start{0, run_.dt_ms, run_.celsius};
    for (std::size_t b = 0; b < views_.size(); ++b)
      kernels_[b]->initialise(views_[b], start, v_.data());
    play(0);
    // Currents of t = 0, so that they can be recorded there; the rows are made afresh each step.
    assemble(0);
    if (wants_membrane_current_) store_membrane_currents(v_);
    detect(0, v_, spikes);
    sample(0, samples);
  }

  void add_event(const network::Event& event) override { queue_.add(event); }

  void advance(std::int64_t first, std::int64_t last, std::vector<CellSpike>& spikes,
               std::vector<SampleBuffer>& samples) override {
    const std::vector<network::Event> events = queue_.take(first);
    const solver::Tree tree{plan_.cell->parent, plan_.cell->coupling_uS};
    const bool extrapolate = run_.integrator == models::Integrator::crank_nicolson;
    std::size_t next_event = 0;
    for (std::int64_t step = first; step < last; ++step) {
      for (; next_event < events.size() && events[next_event].step <= step; ++next_event)
        receive(events[next_event]);
      const double middle_ms = (static_cast<double>(step) + 0.5) * run_.dt_ms;
      play(middle_ms);
      assemble(middle_ms);
      solver::hines_solve<V>(tree, diagonal_.data(), rhs_.data());
      check_finite(step);
      if (wants_membrane_current_ && sampled(step + 1)) store_membrane_currents(rhs_);
      if (extrapolate) {
        for (std::size_t i = 0; i < plan_.cell->node_count() * lanes; ++i)
          rhs_[i] = 2 * rhs_[i] - v_[i];
      }
      std::swap(v_, rhs_);  // rhs_ now holds the v before the step
      const mechanisms::KernelTime end{static_cast<double>(step + 1) * run_.dt_ms, run_.dt_ms,
                                       run_.celsius};
      for (std::size_t b = 0; b < views_.size(); ++b)
        if (kernels_[b]->advance) kernels_[b]->advance(views_[b], end, v_.data());
      detect(step + 1, rhs_, spikes);
      sample(step + 1, samples);
    }
  }

  std::size_t bytes() const override {
    std::size_t doubles = v_.size() + rhs_.size() + diagonal_.size();
    for (const auto& block : plan_.blocks) doubles += block.columns.size();
    return doubles * sizeof(double);
  }

 private:
  void receive(const network::Event& event) {
    const auto b = event.target.block;
    kernels_[b]->receive(views_[b], event.target.instance, static_cast<int>(event.target.lane),
                         event.weight, event.time_ms);
  }

  void play(double time_ms) {
    for (const Playback& playback : plan_.playbacks)
      plan_.blocks[playback.block].columns[playback.column_index] =
          table_value(*playback.table, time_ms);
  }

  /// Makes the rows of the matrix from v and states: (C/dt + G) v' = C/dt v + g v - i.
  void assemble(double time_ms) {
    const std::size_t nodes = plan_.cell->node_count();
    for (std::size_t n = 0; n < nodes; ++n) {
      store(diagonal_.data() + n * lanes, V{} + constant_diagonal_[n]);
      store<V>(rhs_.data() + n * lanes, capacity_[n] * load<V>(v_.data() + n * lanes));
    }
    const mechanisms::KernelTime now{time_ms, run_.dt_ms, run_.celsius};
    if (wants_membrane_current_) {
      std::fill(electrode_rhs_.begin(), electrode_rhs_.end(), 0);
      std::fill(electrode_diagonal_.begin(), electrode_diagonal_.end(), 0);
    }
    for (std::size_t b = 0; b < views_.size(); ++b) {
      const auto kernel =
          plan_.blocks[b].keep_assigned ? kernels_[b]->current_and_store : kernels_[b]->current;
      kernel(views_[b], now, v_.data(), diagonal_.data(), rhs_.data());
      // Electrode currents are no membrane currents: they are kept apart a second time.
      if (wants_membrane_current_ && plan_.blocks[b].mechanism->signature.is_electrode)
        kernels_[b]->current(views_[b], now, v_.data(), electrode_diagonal_.data(),
                             electrode_rhs_.data());
    }
  }

  /// What crosses the membrane at each node, outward, nA: what flows in along the cable and from
  /// electrodes. v: the voltages that the step's implicit part gave.
  void store_membrane_currents(const LaneArray& v) {
    const solver::Template& cell = *plan_.cell;
    const std::size_t nodes = cell.node_count();
    for (std::size_t i = 0; i < nodes * lanes; ++i)
      membrane_nA_[i] = electrode_rhs_[i] - electrode_diagonal_[i] * v[i];
    for (std::size_t n = 1; n < nodes; ++n) {
      const auto p = static_cast<std::size_t>(cell.parent[n]);
      for (std::size_t l = 0; l < lanes; ++l) {
        const double flow = cell.coupling_uS[n] * (v[p * lanes + l] - v[n * lanes + l]);
        membrane_nA_[n * lanes + l] += flow;
        membrane_nA_[p * lanes + l] -= flow;
      }
    }
  }

  /// The root's voltage takes in every row of the tree, so it alone tells whether all are finite.
  void check_finite(std::int64_t step) {
    for (std::size_t l = 0; l < plan_.indices.size(); ++l)
      if (!std::isfinite(rhs_[l])) fail(step, l);
  }

  [[noreturn]] void fail(std::int64_t step, std::size_t lane) {
    // v and the states still are those before the solve: find the first row that they spoil.
    assemble((static_cast<double>(step) + 0.5) * run_.dt_ms);
    const solver::Template& cell = *plan_.cell;
    std::size_t culprit = 0;
    const auto spoiled = [&](std::size_t n) {
      const double d = diagonal_[n * lanes + lane];
      return !std::isfinite(rhs_[n * lanes + lane]) || !std::isfinite(d) || d <= 0;
    };
    while (culprit + 1 < cell.node_count() && !spoiled(culprit)) ++culprit;
    if (!spoiled(culprit)) culprit = 0;
    throw NumericalFailure({static_cast<double>(step + 1) * run_.dt_ms, plan_.population_name,
                            plan_.indices[lane],
                            cell.describe(NodeId(static_cast<int>(culprit)))},
                           "the membrane potential is not a finite number");
  }

  /// Upward crossings of the threshold in the step that ends at `step`. before: v at its start.
  void detect(std::int64_t step, const LaneArray& before, std::vector<CellSpike>& spikes) {
    if (plan_.detector_node < 0) return;
    const std::size_t row = static_cast<std::size_t>(plan_.detector_node) * lanes;
    for (std::size_t l = 0; l < plan_.indices.size(); ++l) {
      const double now = v_[row + l];
      const bool above = now > plan_.threshold_mV;
      if (above && !above_[l]) {
        double steps = static_cast<double>(step);
        if (run_.spike_time == models::SpikeTime::interpolated && step > 0)
          steps = static_cast<double>(step - 1) +
                  (plan_.threshold_mV - before[row + l]) / (now - before[row + l]);
        spikes.push_back({steps * run_.dt_ms, plan_.id_of(l)});
      }
      above_[l] = above;
    }
  }

  bool sampled(std::int64_t step) const {
    return std::any_of(run_.samples.begin(), run_.samples.end(),
                       [&](const SampleTimes& times) { return times.contains(step); });
  }

  void sample(std::int64_t step, std::vector<SampleBuffer>& samples) {
    for (const Probe& probe : plan_.probes) {
      const SampleTimes& times = run_.samples[probe.recording];
      if (!times.contains(step)) continue;
      SampleBuffer& buffer = samples[probe.recording];
      const std::int64_t row = times.up_to(step) - 1 - buffer.first_sample;
      double sum = 0;
      for (const ProbeTerm& term : probe.terms) sum += value_of(term);
      buffer.data[static_cast<std::size_t>(row) * buffer.columns + probe.column] = sum;
    }
  }

  double value_of(const ProbeTerm& term) const {
    switch (term.kind) {
      case ProbeTerm::Kind::constant:
        return term.factor;
      case ProbeTerm::Kind::voltage:
        return v_[term.index];
      case ProbeTerm::Kind::membrane_current:
        return membrane_nA_[term.index];
      case ProbeTerm::Kind::variable:
        return term.factor * plan_.blocks[term.block].columns[term.index];
    }
    return 0;
  }

  GroupPlan plan_;
  const RunConstants& run_;
  network::EventQueue queue_;
  LaneArray v_, rhs_, diagonal_;          ///< [node + 1][lane]
  std::vector<double> capacity_;          ///< [node] C/dt, uS
  std::vector<double> constant_diagonal_; ///< [node] C/dt and couplings, uS
  std::vector<mechanisms::InstanceBlock> views_;
  std::vector<const mechanisms::CpuKernels*> kernels_;
  bool above_[lanes] = {};
  bool wants_membrane_current_ = false;
  LaneArray electrode_rhs_, electrode_diagonal_, membrane_nA_;
};

}  // namespace

std::unique_ptr<CellGroup> make_cell_group(GroupPlan plan, const RunConstants& run,
                                           std::int64_t epoch_steps) {
  switch (plan.lanes) {
    case 1:
      return std::make_unique<CpuCellGroup<1>>(std::move(plan), run, epoch_steps);
    case 4:
      return std::make_unique<CpuCellGroup<4>>(std::move(plan), run, epoch_steps);
    default:
      return std::make_unique<CpuCellGroup<8>>(std::move(plan), run, epoch_steps);
  }
}

}  // namespace hillock::simulator::cpu
