#include "simulator/backends/taped/taped_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/backends/taped/forward_cell.hpp"

namespace hillock::simulator::taped {

namespace {

using mechanisms::SharedQuantity;
using step::Turn;

/// Whose steps can be undone. A block is worked on, of its adjoint, as it is forwards.
class Cell final : public ForwardCell {
 public:
  Cell(const begin::BegunCell& begun, const RunConstants& run, const Adjoints& adjoints)
      : ForwardCell(begun, run, adjoints),
        next_v_(rows()),
        middle_v_(rows()),
        by_rhs_(rows()),
        past_solved_(rows()) {
    for (TapedBlock& block : blocks_) {
      block.back_kernels.initialise(block.back_view, run_.at(0), v_.data());
      block.begin_back();
    }
  }

  void begin_undo(std::span<const SampleDerivatives> samples) override {
    if (end_.empty()) {
      end_.resize(record_size());
      keep_rest(keep(end_.data()));
    }
    load_rest(load(end_.data()));
    next_ions_ = ions_;
    sample_derivatives_ = samples;
    begin_derivatives();
    last_event_ = taped_events_.size();
  }

  void add_by_spike(double time_ms, double by_ms) override {
    const auto found =
        std::ranges::lower_bound(crossings_, time_ms - 0.5 * dt_ms(), {}, &Crossing::time_ms);
    // None made the spikes of cells that begin above the threshold.
    if (found != crossings_.end() && found->time_ms < time_ms + 0.5 * dt_ms())
      found->by_ms += by_ms;
  }

  std::vector<EventDerivative> undo(std::int64_t first, std::int64_t last) override {
    step::with_integrator(run_.integrator, [&](auto integrator) {
      using Integrator = decltype(integrator);
      for (std::int64_t step = last; step-- > first;) {
        if (every_ > 1 && (step + 1 == run_.steps || (step + 1) % every_ == 0)) {
          go_again<Integrator>(step / every_ * every_, step + 1);
          last_event_ = taped_events_.size();
        }
        undo_step<Integrator>(step);
      }
    });
    return std::exchange(undone_events_, {});
  }

  CellDerivatives end_undo() override {
    add_samples(0);
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      if (block->is_whole) undo_given_current(*block, middle_ms(0), v_);
    undo_reversals(ions_);
    if (every_ > 1) {
      stretch_ = Records(record_size(), static_cast<std::size_t>(every_));
      taped_events_.clear();
    }
    return take_derivatives();
  }

 private:
  // Backwards. Derivatives by voltages and ions lie by row, by an instance's variables with it.

  void begin_derivatives() {
    by_v_.assign(rows(), 0);
    by_coupling_.assign(rows(), 0);
    by_capacity_.assign(rows(), 0);
    by_ions_.clear();
    for (const Ion& ion : ions_) {
      by_ions_.push_back(ion);
      for (const SharedQuantity q : {SharedQuantity::current, SharedQuantity::reversal,
                                     SharedQuantity::inside, SharedQuantity::outside})
        std::ranges::fill(by_ions_.back().of(q), 0.0);
    }
    for (TapedBlock& block : blocks_) {
      std::fill_n(block.back.states(), block.back.states_size(), 0.0);
      block.flow_in(nullptr);
    }
    undone_events_.clear();
    by_threshold_ = 0;
    for (Crossing& crossing : crossings_) crossing.by_ms = 0;
    last_crossing_ = crossings_.size();
  }

  template <class Integrator>
  void undo_step(std::int64_t step) {
    add_samples(step + 1);
    const double by_v_before_spike = undo_spike(step + 1);
    std::swap(next_v_, v_);  // v is what the step after this one began with
    for (const auto* list : {&lasting_, &passing_})
      for (const KeptRows& some : *list)
        std::copy_n(some.of(ions_), some.count(), some.of(next_ions_));
    load_back(record_of(step));
    const double now_ms = middle_ms(step), end_ms = time_ms(step + 1);
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      if (block->is_whole) undo_whole(*block, end_ms);
    undo_reversals(next_ions_);
    // The step led from v to next_v by a solve for what is `solved`.
    if (Integrator::extrapolates)
      for (std::size_t r = 0; r < rows(); ++r) middle_v_[r] = 0.5 * (next_v_[r] + v_[r]);
    const std::vector<double>& solved = Integrator::extrapolates ? middle_v_ : next_v_;
    if (moves_currents_) {
      x_ = solved;
      Integrator::finish(*this, now_ms);
    }

    std::size_t first_event = last_event_;
    while (first_event > 0 && taped_events_[first_event - 1].step == step) --first_event;
    moved_.begin(std::span(taped_events_).subspan(first_event, last_event_ - first_event),
                 {step, v_, next_v_, ions_, next_ions_}, by_ions_);

    for (const Turn turn : {Turn::point, Turn::density, Turn::ions})
      for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        if (block->states == turn && block->kernels.advances && !block->is_whole)
          undo_advance(*block, end_ms);

    moved_.add_ion_currents(by_ions_);
    std::swap(x_, by_v_);
    std::ranges::fill(by_v_, 0.0);
    if (Integrator::extrapolates)
      for (std::size_t r = 0; r < rows(); ++r) {
        by_v_[r] = -x_[r];
        x_[r] *= 2;
      }
    if (moves_currents_) undo_moves(now_ms, solved);
    solve_rows();  // the matrix is symmetric
    sweep_.undo(sweep_rows_, {v_.data(), solved.data(), kept_diagonal_, past_solved_.data(),
                              by_v_.data(), by_capacity_.data(), by_coupling_.data()});
    std::swap(x_, by_rhs_);  // steps that are made again have x
    moved_.add_rows(by_rhs_, solved);
    for (const Turn turn : {Turn::point, Turn::density, Turn::never})
      for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        if (block->is_whole && turn == Turn::density)
          give_flow(*block, true);  // it is undone with the states of the step before
        else if (block->current == turn)
          undo_current(*block, turn == Turn::never ? 0 : now_ms, v_, true);
    undo_reversals(ions_);
    for (Ion& by : by_ions_) std::ranges::fill(by.current_mA_per_cm2, 0.0);
    undo_events(first_event);
    if (by_v_before_spike != 0)
      by_v_[static_cast<std::size_t>(begun_.detector_row)] += by_v_before_spike;
  }

  /// Of the step that ends there. Its time is where a straight line between the voltages of both
  /// ends passes the threshold; returns what it is derived by the first of them.
  double undo_spike(std::int64_t end) {
    if (last_crossing_ == 0 || crossings_[last_crossing_ - 1].step != end) return 0;
    const Crossing& crossing = crossings_[--last_crossing_];
    const double rise_mV = crossing.now_mV - crossing.before_mV;
    const double by_mV = crossing.by_ms * dt_ms() / rise_mV;
    const double share = (begun_.population->threshold_mV - crossing.before_mV) / rise_mV;
    by_threshold_ += by_mV;
    by_v_[static_cast<std::size_t>(begun_.detector_row)] -= by_mV * share;
    return -by_mV * (1 - share);
  }

  void load_back(const double* next) {
    const double* const record = next;
    const auto copy = [&](double* to, std::size_t count) {
      std::copy_n(next, count, to);
      next += in_record(count);
    };
    copy(v_.data(), rows());
    for (TapedBlock& block : blocks_) {
      block.show(next);
      next += in_record(block.lasting_size());
    }
    for (const KeptRows& some : lasting_) copy(some.of(ions_), some.count());
    kept_diagonal_ = next;
    copy(diagonal_.data(), rows());
    for (const KeptRows& some : passing_) copy(some.of(ions_), some.count());
    if (moves_currents_) load(record);
  }

  void undo_advance(TapedBlock& block, double end_ms) {
    block.flow_in(nullptr);
    if (block.back_info.undoes_both)
      for (const int of : {block.of_i, block.of_g}) std::fill_n(block.back.of(of), block.held, 0.0);
    for (const Tie& tie : block.ties) {
      see(block, tie, (tie.is_set_before ? next_ions_ : ions_)[tie.ion]);
      double* const by = block.back.of(tie.derivative);
      const std::vector<double>& all = by_ions_[tie.ion].of(tie.quantity);
      block.for_rows([&](std::size_t i, std::size_t r) { by[i] = tie.sets ? all[r] : 0; });
    }
    undo_turn(block, mechanisms::asks::advance, end_ms, next_v_);
    for (const Tie& tie : block.ties) {
      const double* const by = block.back.of(tie.derivative);
      std::vector<double>& all = by_ions_[tie.ion].of(tie.quantity);
      block.for_rows(
          [&](std::size_t i, std::size_t r) { all[r] = tie.sets ? by[i] : all[r] + by[i]; });
    }
  }

  /// Of the step its states, and the current of the one behind it, whose flow is given.
  void undo_whole(TapedBlock& block, double end_ms) {
    for (const Tie& tie : block.ties) see(block, tie, next_ions_[tie.ion]);
    undo_turn(block, mechanisms::asks::advance, end_ms, next_v_);
    add_by_ions(block);
  }

  /// What gathered ions' currents did so with begun + (beside - begun) / secant · (x - v): leaves
  /// in by_ions_ what the begun ones are derived by.
  void undo_moves(double now_ms, const std::vector<double>& solved) {
    std::vector<Ion> by_begun = by_ions_;
    for (std::size_t k = 0; k < ions_.size(); ++k)
      for (std::size_t r = 0; r < rows(); ++r) {
        double& by = by_ions_[k].current_mA_per_cm2[r];
        const double slope = (currents_beside_[k][r] - begun_currents_[k][r]) / secant_mV_;
        const double share = (solved[r] - v_[r]) / secant_mV_;
        x_[r] += by * slope;
        by_v_[r] -= by * slope;
        by_begun[k].current_mA_per_cm2[r] = by * (1 - share);
        by *= share;
      }
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      if (!block->ties.empty()) undo_current(*block, now_ms, beside_, false);
    for (std::size_t k = 0; k < ions_.size(); ++k)
      by_ions_[k].current_mA_per_cm2 = std::move(by_begun[k].current_mA_per_cm2);
  }

  /// is_in_rows: else nothing but ions' currents came of it.
  void undo_current(TapedBlock& block, double now_ms, const std::vector<double>& v,
                    bool is_in_rows) {
    give_flow(block, is_in_rows);
    undo_given_current(block, now_ms, v);
  }

  /// What is derived by a block's currents.
  void give_flow(TapedBlock& block, bool is_in_rows) {
    double* const by_i = block.back.of(block.of_i);
    double* const by_g = block.back.of(block.of_g);
    block.flow_in(is_in_rows ? &derived_rows_ : nullptr);
    if (!is_in_rows) {
      std::fill_n(by_i, block.held, 0.0);
      std::fill_n(by_g, block.held, 0.0);
    } else if (!block.back_view.rows) {
      block.for_rows([&](std::size_t i, std::size_t r) {
        const double by = block.into_rows[i] * by_rhs_[r];
        by_i[i] = -by;
        by_g[i] = by * past_solved_[r];
      });
    }
    for (const Tie& tie : block.ties) {
      double* const by = block.back.of(tie.derivative);
      const std::vector<double>& all = by_ions_[tie.ion].current_mA_per_cm2;
      const double* const areas =
          block.info.is_point_process ? block.begun.area_factors.data() : nullptr;
      if (tie.adds)
        block.for_rows(
            [&](std::size_t i, std::size_t r) { by[i] = areas ? all[r] * areas[i] : all[r]; });
      else
        std::fill_n(by, block.held, 0.0);
    }
  }

  void undo_given_current(TapedBlock& block, double now_ms, const std::vector<double>& v) {
    for (const Tie& tie : block.ties) see(block, tie, ions_[tie.ion]);
    undo_turn(block, mechanisms::asks::flow, now_ms, v);
    add_by_ions(block);
  }

  /// What came by what ions' locations keep.
  void add_by_ions(TapedBlock& block) {
    for (const Tie& tie : block.ties) {
      if (tie.adds) continue;
      const double* const by = block.back.of(tie.derivative);
      std::vector<double>& all = by_ions_[tie.ion].of(tie.quantity);
      block.for_rows([&](std::size_t i, std::size_t r) { all[r] += by[i]; });
    }
  }

  /// Calls a block's adjoint, and adds what comes of it by voltages. Throws NumericalFailure where
  /// some of that is not finite.
  void undo_turn(TapedBlock& block, unsigned asked, double time_ms, const std::vector<double>& v) {
    derived_rows_ = {by_rhs_.data(), past_solved_.data(), by_v_.data()};
    const mechanisms::KernelTime at = run_.at(time_ms);
    block.back_kernels.turn(block.back_view, asked, at, at, v.data(), nullptr, nullptr);
    if (!block.back_view.rows) {
      const double* const by = block.back.of(block.of_v);
      double sum = 0;
      block.for_rows([&](std::size_t i, std::size_t r) {
        by_v_[r] += by[i];
        sum += by[i] - by[i];
      });
      derived_rows_.is_finite = sum == 0;
    }
    if (!derived_rows_.is_finite)
      throw NumericalFailure(
          {time_ms, begun_.population->name, begun_.index, ""},
          fmt::format("the derivative of {} is not a finite number", block.info.name));
  }

  /// Lets an adjoint see what its location keeps.
  void see(TapedBlock& block, const Tie& tie, Ion& ion) {
    if (tie.adds) return;
    const std::vector<double>& all = ion.of(tie.quantity);
    double* const seen = block.back.of(tie.seen);
    block.for_rows([&](std::size_t i, std::size_t r) { seen[i] = all[r]; });
  }

  /// Reversal potentials come of these ions.
  void undo_reversals(const std::vector<Ion>& ions) {
    for (std::size_t k = 0; k < ions.size(); ++k) {
      Ion& by = by_ions_[k];
      for (const auto& [row, factor_mV] : begun_.ions[k].nernst_mV) {
        const double inside = ions[k].inside_mM[row], outside = ions[k].outside_mM[row];
        const double reversal = std::exchange(by.reversal_mV[row], 0.0);
        if (inside <= 0 || outside <= 0) continue;
        by.outside_mM[row] += reversal * factor_mV / outside;
        by.inside_mM[row] -= reversal * factor_mV / inside;
      }
    }
  }

  void undo_events(std::size_t first) {
    for (std::size_t e = last_event_; e-- > first;) {
      const TapedEvent& kept = taped_events_[e];
      TapedBlock& block = blocks_[kept.event.block];
      block.show(kept.event.instance, kept.before.data());
      double& by_weight = block.back.of(block.of_weight)[kept.event.instance];
      by_weight = 0;
      receive(block.back_kernels, block.back_view, kept.event);
      const std::size_t i = kept.event.instance;
      by_v_[block.row(i)] += block.back.of(block.of_v)[i];
      undone_events_.push_back({kept.event, by_weight, moved_.by_ms(e - first)});
    }
    last_event_ = first;
  }

  void add_samples(std::int64_t step) {
    begun_.for_samples(run_.samples, step, [&](const begin::Sampled& sampled, std::int64_t sample) {
      const SampleDerivatives& all = sample_derivatives_[sampled.recording];
      if (!all.data) return;
      const double by = all.data[static_cast<std::size_t>(sample) * all.columns + sampled.column];
      for (std::size_t k = 0; k < sampled.terms; ++k) {
        const begin::NumberSource& term = begun_.terms[sampled.first_term + k];
        if (term.kind == step::Summand::voltage) by_v_[term.index] += by;
        if (term.kind == step::Summand::ion)
          by_ions_[term.block].of(term.quantity)[term.index] += term.factor * by;
        if (term.kind == step::Summand::variable)
          blocks_[term.block].back.of(blocks_[term.block].derivatives[term.variable])[term.index] +=
              term.factor * by;
      }
    });
  }

  CellDerivatives take_derivatives() {
    CellDerivatives all;
    all.v_mV = std::move(by_v_);
    all.coupling_uS = std::move(by_coupling_);
    all.capacity_uS = std::move(by_capacity_);
    for (Ion& ion : by_ions_)
      all.ions.push_back(
          {std::move(ion.reversal_mV), std::move(ion.inside_mM), std::move(ion.outside_mM)});
    for (TapedBlock& block : blocks_) {
      auto& columns = all.columns.emplace_back(block.derivatives.size());
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (const int from = block.derivatives[c]; from >= 0 && !is_kept_by_location(block, c))
          columns[c].assign(block.back.of(from), block.back.of(from) + block.count());
    }
    all.threshold_mV = by_threshold_;
    return all;
  }
  static bool is_kept_by_location(const TapedBlock& block, std::size_t variable) {
    return std::ranges::any_of(
        block.ties, [&](const Tie& tie) { return tie.derivative == block.derivatives[variable]; });
  }

  std::span<const SampleDerivatives> sample_derivatives_;
  std::vector<double> next_v_, middle_v_, by_rhs_, past_solved_;  ///< by row
  mechanisms::AdjointRows derived_rows_;
  const double* kept_diagonal_ = nullptr;  ///< of the step at hand
  std::vector<Ion> next_ions_;
  std::vector<double> by_v_, by_coupling_, by_capacity_;
  std::vector<Ion> by_ions_;
  std::vector<EventDerivative> undone_events_;
  MovedEvents moved_{run_, blocks_};
  double by_threshold_ = 0;
  // Behind those that are not undone yet.
  std::size_t last_event_ = 0, last_crossing_ = 0;
  std::vector<double> end_;  ///< what was kept where the run has led
};

}  // namespace

void refuse_what_is_not_derived(const begin::BegunCell& begun) {
  refuse_if(!begun.layers.layers.empty(), "extracellular layers");
  refuse_if(!begun.fields.empty(), "fields");
  refuse_if(!begun.played.empty(), "tables that are played");
  refuse_if(!begun.gaps_published.empty() || !begun.gaps_read.empty(), "gap junctions");
  for (const begin::NumberSource& term : begun.terms) {
    refuse_if(term.kind == step::Summand::membrane_current, "recorded membrane currents");
    refuse_if(
        term.kind == step::Summand::ion && (term.quantity == mechanisms::SharedQuantity::current ||
                                            term.quantity == mechanisms::SharedQuantity::reversal),
        "recorded currents or reversal potentials of ions");
    if (term.kind != step::Summand::variable) continue;
    const mechanisms::MechanismInfo& info = *begun.blocks[term.block].mechanism->info;
    refuse_if(static_cast<int>(term.variable) < info.first_state(),
              fmt::format("{} of {} recorded, which is no state",
                          info.variables[term.variable].name, info.name));
  }
}

std::unique_ptr<TapedCell> make_cell(const begin::BegunCell& begun, const RunConstants& run,
                                     const Adjoints& adjoints) {
  return std::make_unique<Cell>(begun, run, adjoints);
}

}  // namespace hillock::simulator::taped
