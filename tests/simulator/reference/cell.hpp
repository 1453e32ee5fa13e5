#pragma once
// The plainest executor of step/cell_step.hpp: one cell, whose numbers lie in vectors by row and by
// instance. Every part of a step is a loop over them, and every pivot is computed in every step. In
// doubles it must give the bits of every other engine; in long doubles it tells how far these
// round, and in numbers with a slope how it changes with what it begins with. What no example needs
// is refused: POINTERs, gap junctions, diffusion, events that instances send, arguments that
// connections keep.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"
#include "simulator/step/instance_events.hpp"
#include "simulator/step/nernst.hpp"
#include "simulator/step/samples.hpp"
#include "solver/layer_block.hpp"
#include "tests/simulator/reference/laws.hpp"

namespace hillock::simulator::reference {

using mechanisms::Coupling;
using mechanisms::MechanismInfo;
using mechanisms::SharedQuantity;
using step::Turn;

template <class To, class From>
std::vector<To> converted(const std::vector<From>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <std::floating_point Real>
Real settled(Real number) {
  return std::abs(number) < mechanisms::negligible ? 0 : number;
}

/// a·b + c; of long doubles rounded twice, of which a double sees nothing.
inline double fused(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline long double fused(long double a, long double b, long double c) {
  return a * b + c;
}

/// Of an ion whose concentrations are not both above 0 it is without end.
template <class Real>
Real nernst_mV(double factor_mV, const Real& inside_mM, const Real& outside_mM) {
  using std::log;
  if constexpr (std::same_as<Real, double>)
    return step::nernst_mV(factor_mV, inside_mM, outside_mM);
  else if (inside_mM <= 0 || outside_mM <= 0)
    return step::nernst_mV(factor_mV, double(inside_mM), double(outside_mM));
  else
    return Real(factor_mV) * log(outside_mM / inside_mM);
}

inline void refuse_if(bool is_so, const std::string& what) {
  if (is_so) throw std::runtime_error("the reference has no " + what);
}

/// An event of a connection, on its way to an instance.
template <class Real>
struct Event {
  std::int64_t step = 0;  ///< the boundary it arrives at: before that step
  double time_ms = 0;
  Real weight = 0;
  std::size_t block = 0, instance = 0;
};

/// What is kept of an ion, by row; empty where there is no such value.
template <class Real>
struct Ion {
  std::vector<Real> current_mA_per_cm2, reversal_mV, inside_mM, outside_mM;

  std::vector<Real>& of(SharedQuantity quantity) {
    return quantity == SharedQuantity::current    ? current_mA_per_cm2
           : quantity == SharedQuantity::reversal ? reversal_mV
           : quantity == SharedQuantity::inside   ? inside_mM
                                                  : outside_mM;
  }
};

/// A variable that instances share with their location, where that keeps it.
struct Tie {
  const Coupling* coupling;
  std::size_t ion;  ///< of the cell's
};

template <class Real>
struct Block {
  const begin::BegunBlock& begun;
  const Law<Real>& law;
  const MechanismInfo& info;
  Turn states{}, current{};
  std::vector<std::vector<Real>> variables;  ///< [instance][variable]
  std::vector<Tie> ties;

  Block(const begin::BegunBlock& from, const std::vector<begin::BegunIon>& ions)
      : begun(from), law(law_of<Real>(*from.mechanism)), info(*law.info) {
    refuse_if(info.sends_events || info.sets_voltage || info.keeps_arguments,
              "events that do more than change an instance");
    refuse_if(!from.pointers.empty() || !from.links.empty(), "POINTERs or diffusion");
    const step::TurnFacts facts{from.is_constant, from.prepares_ions, false, info.is_point_process};
    states = step::turn_of_states(facts);
    current = step::turn_of_current(facts);
    for (std::size_t i = 0; i < from.rows.size(); ++i)
      for (auto& y = variables.emplace_back(); const OneOrMany& column : from.columns)
        y.push_back(column[i]);
    for (int k = 0; k < info.coupling_count; ++k)
      for (std::size_t ion = 0; ion < ions.size(); ++ion)
        if (ions[ion].ion == info.couplings[k].ion) ties.push_back({&info.couplings[k], ion});
  }
  std::size_t row(std::size_t i) const { return static_cast<std::size_t>(begun.rows[i]); }
  /// Of a density mechanism, what makes its flow that of the compartment.
  Real area(std::size_t i) const { return info.is_point_process ? 1 : begun.area_factors[i]; }
  /// Variables [first, last) of an instance become those of y.
  void keep(std::size_t i, const std::vector<Real>& y, int first, int last) {
    std::copy(y.begin() + first, y.begin() + last, variables[i].begin() + first);
  }
};

template <class Number>
class Cell {
 public:
  using Real = Number;

  /// begun, run: must outlive this. Throws std::runtime_error where this is no cell for it.
  Cell(const begin::BegunCell& begun, const RunConstants& run)
      : begun_(begun),
        run_(run),
        v_(converted<Real>(begun.v_mV)),
        x_(v_.size()),
        coupling_(converted<Real>(begun.coupling_uS)),
        capacity_(converted<Real>(begun.capacity_uS)),
        factor_(v_.size()),
        membrane_nA_(converted<Real>(begun.membrane_nA)),
        is_above_(begun.is_above) {
    for (const begin::BegunIon& ion : begun.ions)
      ions_.push_back({converted<Real>(ion.current_mA_per_cm2), converted<Real>(ion.reversal_mV),
                       converted<Real>(ion.inside_mM), converted<Real>(ion.outside_mM)});
    for (const begin::BegunBlock& block : begun.blocks) blocks_.emplace_back(block, begun.ions);
    // Potentials of layers are rows behind those of the membrane.
    v_.resize((layers() + 1) * rows(), 0);
    x_.resize(v_.size());
    add_up_constants();
  }
  /// The same state in other numbers. Nothing of it is sampled.
  template <class Other>
  explicit Cell(const Cell<Other>& same) : Cell(same.begun_, same.run_) {
    v_ = converted<Real>(same.v_);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (std::size_t i = 0; i < blocks_[b].variables.size(); ++i)
        blocks_[b].variables[i] = converted<Real>(same.blocks_[b].variables[i]);
    for (std::size_t k = 0; k < ions_.size(); ++k)
      for (const SharedQuantity quantity :
           {SharedQuantity::reversal, SharedQuantity::inside, SharedQuantity::outside})
        ions_[k].of(quantity) = converted<Real>(Ion<Other>(same.ions_[k]).of(quantity));
    is_above_ = same.is_above_;
    for (const Event<Other>& event : same.events_)
      events_.push_back(
          {event.step, event.time_ms, Real(event.weight), event.block, event.instance});
    next_ = same.next_;
  }

  /// Before an epoch: what arrives in it, in order, and where its samples go.
  void begin_epoch(std::vector<Event<Real>> events, std::span<const SampleBuffer> samples) {
    events_ = std::move(events);
    next_ = 0;
    samples_ = samples;
  }
  std::vector<network::CellSpike> take_spikes() { return std::exchange(spikes_, {}); }
  const std::vector<Real>& voltages() const { return v_; }
  const std::vector<Block<Real>>& blocks() const { return blocks_; }
  const begin::BegunCell& begun() const { return begun_; }
  /// Of the matrix, at most, but for what instances conduct: its rows over their capacities add up
  /// to 1 or more, so that the norm of its inverse is 1 or less. With layers about so much.
  double condition() const {
    double condition = 1;
    for (std::size_t r = 0; r < rows(); ++r) {
      auto diagonal = double(constant_[r]);
      if (layers() > 0) diagonal += begun_.layers.inside_uS[r];
      for (const auto& layer : begun_.layers.layers) diagonal += layer.diagonal_uS[r];
      if (const double capacity = begun_.capacity_uS[r]; capacity > 0)
        condition = std::max(condition, 2 * diagonal / capacity - 1);
    }
    return condition;
  }

  // As step/cell_step.hpp asks for.
  double dt_ms() const { return run_.dt_ms; }
  double time_ms(long long step) const { return run_.boundary_ms(step); }
  double middle_ms(long long step) const { return run_.middle_ms(step); }
  Real& v(std::size_t r) { return v_[r]; }
  Real& x(std::size_t r) { return x_[r]; }
  template <class Body>
  void for_unknowns(const Body& body) {
    for (std::size_t r = 0; r < v_.size(); ++r) body(r);
  }
  template <class Body>
  void for_rows(const Body& body) {
    for (std::size_t r = 0; r < rows(); ++r) body(r);
  }
  void deliver(std::int64_t step) {
    step_ = step;
    step::deliver(*this, step, run_.boundaries());
  }
  void play(double time_ms) {
    for (const begin::Played& played : begun_.played)
      number(played.target) = value_at(*played.table, time_ms);
  }
  bool is_sampled(std::int64_t step) const { return begun_.is_sampled(run_.samples, step); }
  bool has_begun() const { return false; }
  void begin_ions() {
    for (std::size_t k = 0; k < ions_.size(); ++k) {
      std::ranges::fill(ions_[k].current_mA_per_cm2, Real(0));
      for (const auto& [row, factor_mV] : begun_.ions[k].nernst_mV)
        ions_[k].reversal_mV[row] =
            nernst_mV(factor_mV, ions_[k].inside_mM[row], ions_[k].outside_mM[row]);
    }
  }
  void begin_rows(double, bool) {
    diagonal_ = constant_;
    ground_nA_.assign(rows(), 0);
    electrode_nA_.assign(rows(), 0);
    electrode_uS_.assign(rows(), 0);
    for_rows([&](std::size_t r) { x_[r] = fused(capacity_[r], v_[r], source_[r]); });
  }
  template <Turn turn>
  void add_currents(double time_ms, bool keeps) {
    for (Block<Real>& block : blocks_)
      if (block.current == turn && is_inside(block))
        add_current(block, insides(v_), time_ms, keeps, electrode_uS_, electrode_nA_);
      else if (block.current == turn)
        add_current(block, v_, time_ms, keeps, diagonal_, x_);
  }
  void add_fields(double time_ms, bool) {
    add_fields(time_ms, layers() > 0 ? electrode_nA_ : x_);
    for (const begin::BegunField& field : begun_.fields)
      if (const double strength = field.in_time.at(time_ms); strength != 0 && layers() > 0)
        for_rows(
            [&](std::size_t r) { ground_nA_[r] += Real(strength) * Real(field.ground_nA[r]); });
  }
  void keep_constant(double time_ms) {
    std::vector<Real> nobody(v_.size());
    for (Block<Real>& block : blocks_)
      if (block.current == Turn::never) add_current(block, v_, time_ms, true, nobody, nobody);
  }
  /// Elimination from the last row to the root, and substitution back (Hines 1984).
  bool solve_rows() {
    if (layers() == 1) return solve_layers<2>();
    if (layers() == 2) return solve_layers<3>();
    for (std::size_t r = v_.size(); r-- > 1;) {
      const Real reciprocal = 1 / diagonal_[r];
      factor_[r] = coupling(r) * reciprocal;
      diagonal_[above(r)] = fused(-factor_[r], coupling(r), diagonal_[above(r)]);
      x_[above(r)] = fused(factor_[r], x_[r], x_[above(r)]);
      x_[r] *= reciprocal;
    }
    x_[0] /= diagonal_[0];
    for (std::size_t r = 1; r < v_.size(); ++r) x_[r] = fused(factor_[r], x_[above(r)], x_[r]);
    return std::isfinite(double(x_[0]));
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
    const auto before = static_cast<double>(v_[r]), now = static_cast<double>(x_[r]);
    const bool interpolates = run_.spike_time == models::SpikeTime::interpolated;
    if (!is_above_ && now > threshold_mV)
      spikes_.push_back({step::spike_ms(step, run_.spike_boundary_ms(step), threshold_mV, before,
                                        now, interpolates, dt_ms()),
                         begun_.id});
    is_above_ = now > threshold_mV;
  }
  void take_voltages(bool settles) {
    for_unknowns([&](std::size_t r) { v_[r] = settles ? settled(x_[r]) : x_[r]; });
  }
  void settle() {
    for (Block<Real>& block : blocks_)
      for (std::vector<Real>& y : block.variables)
        for (auto c = mechanisms::first_settled(block.info); c < block.info.count(); ++c)
          y[static_cast<std::size_t>(c)] = settled(y[static_cast<std::size_t>(c)]);
  }
  template <Turn turn>
  void advance(double end_ms, std::int64_t) {
    for (Block<Real>& block : blocks_) {
      if (block.states != turn || !block.law.advances) continue;
      for (std::size_t i = 0; i < block.variables.size(); ++i) {
        std::vector<Real> y = block.variables[i];
        const Real v = is_inside(block) ? insides(v_)[block.row(i)] : v_[block.row(i)];
        see(block, i, y);
        block.law.advance(y.data(), v, run_.at(end_ms));
        block.keep(i, y, block.law.first_changed, block.info.count());
        set(block, i, y);
      }
    }
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
  double voltage(const begin::NumberSource& term) const {
    return double(v_[term.layer * rows() + term.index]);
  }
  double membrane_nA(const begin::NumberSource& term) const {
    return double(membrane_nA_[term.index]);
  }
  Real& number(const begin::NumberSource& at) {
    if (at.kind == step::Summand::ion) return ions_[at.block].of(at.quantity)[at.index];
    return blocks_[at.block].variables[at.index][at.variable];
  }

  // As step/membrane.hpp asks for.
  bool keeps_membrane_currents() const { return !membrane_nA_.empty(); }
  void gather_electrodes(double time_ms) {
    electrode_nA_.assign(rows(), 0);
    electrode_uS_.assign(rows(), 0);
    for (Block<Real>& block : blocks_)
      if (block.current == Turn::point && block.info.is_electrode)
        add_current(block, insides(v_), time_ms, false, electrode_uS_, electrode_nA_);
    add_fields(time_ms, electrode_nA_);
  }
  Real electrode_nA(std::size_t r) const { return electrode_nA_[r]; }
  Real electrode_uS(std::size_t r) const { return electrode_uS_[r]; }
  Real inside(std::size_t r) const { return layers() > 0 ? x_[r] + x_[rows() + r] : x_[r]; }
  void forget_electrodes() {}
  template <class Start>
  void keep_axial(const Start& start) {
    for_rows([&](std::size_t r) { membrane_nA_[r] = start(r); });
    for (std::size_t r = 1; r < rows(); ++r) {
      const Real flow = coupling(r) * (inside(above(r)) - inside(r));
      membrane_nA_[r] += flow;
      membrane_nA_[above(r)] -= flow;
    }
  }

  // As step/integrators/crank_nicolson.hpp asks for: all ions at once.
  int ion_turns() const { return ions_.empty() ? 0 : 1; }
  void set_currents_aside(int) {
    aside_ = ions_;
    for (Ion<Real>& ion : ions_) std::ranges::fill(ion.current_mA_per_cm2, Real(0));
  }
  void add_ion_currents(int, Real secant_mV, double time_ms) {
    std::vector<Real> beside = v_, nobody(v_.size());
    for (Real& v : beside) v += secant_mV;
    for (Block<Real>& block : blocks_)
      if (!block.ties.empty()) add_current(block, beside, time_ms, false, nobody, nobody);
  }
  template <class Body>
  void for_ion_currents_of(int, const Body& body) {
    for (std::size_t k = 0; k < ions_.size(); ++k)
      for (std::size_t r = 0; r < ions_[k].current_mA_per_cm2.size(); ++r)
        body(r, aside_[k].current_mA_per_cm2[r], ions_[k].current_mA_per_cm2[r]);
  }
  void forget_aside() {}

  // As a store of step/instance_events.hpp.
  static constexpr bool sends = false, has_watches = false;
  double next_connection_ms() const {
    return next_ < events_.size() && events_[next_].step <= step_ ? events_[next_].time_ms
                                                                  : step::none;
  }
  void receive_connection() {
    const Event<Real>& event = events_[next_++];
    Block<Real>& block = blocks_[event.block];
    std::vector<Real> arguments(static_cast<std::size_t>(block.info.arguments));
    arguments[0] = event.weight;
    std::vector<Real>& y = block.variables[event.instance];
    see(block, event.instance, y);
    block.law.receive(y.data(), v_[block.row(event.instance)], run_.at(event.time_ms),
                      arguments.data());
  }

 protected:
  /// Once what the cell begins with is there.
  void add_up_constants() {
    constant_ = capacity_;
    source_.assign(v_.size(), 0);
    for (std::size_t r = 1; r < rows() && layers() == 0; ++r) {
      constant_[r] += coupling(r);
      constant_[above(r)] += coupling(r);
    }
    // What the constant mechanisms say at 0 mV is their constant part.
    const std::vector<Real> at_0(v_.size());
    for (Block<Real>& block : blocks_)
      if (block.current == Turn::never) add_current(block, at_0, 0, false, constant_, source_);
  }

  template <class Other>
  friend class Cell;

  std::size_t above(std::size_t r) const {
    return static_cast<std::size_t>(begun_.tree->parent[r]);
  }
  Real coupling(std::size_t r) const { return coupling_[r]; }
  std::size_t rows() const { return begun_.row_count(); }
  std::size_t layers() const { return begun_.layers.layers.size(); }
  /// Whether a block's currents pass by the layers that are there.
  bool is_inside(const Block<Real>& block) const { return layers() > 0 && block.info.is_electrode; }
  std::vector<Real> insides(const std::vector<Real>& v) const {
    std::vector<Real> insides(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(rows()));
    for (std::size_t r = 0; r < rows() && layers() > 0; ++r) insides[r] += v[rows() + r];
    return insides;
  }
  template <int n>
  solver::LayerBlock<Real, n> layer_block_of(std::size_t r) const {
    const begin::BegunLayers& all = begun_.layers;
    solver::LayersAtRow<Real, n> row{Real(all.has[r]), Real(all.inside_uS[r]), {}, {}, {}};
    solver::LayerRowOfStep<Real, n> step{diagonal_[r],     x_[r],         electrode_uS_[r],
                                         electrode_nA_[r], ground_nA_[r], {}};
    for (std::size_t l = 0; l < n - 1; ++l) {
      row.diagonal[l] = all.layers[l].diagonal_uS[r];
      row.across[l] = all.layers[l].across_uS[r];
      row.charge[l] = all.layers[l].charge_uS[r];
      step.potential[l] = v_[(l + 1) * rows() + r];
    }
    return solver::layer_block<Real, n>(row, step);
  }
  /// The same by blocks of n unknowns.
  template <int n>
  bool solve_layers() {
    std::vector<solver::LayerBlock<Real, n>> blocks;
    for_rows([&](std::size_t r) { blocks.push_back(layer_block_of<n>(r)); });
    std::vector<solver::EliminatedRow<Real, n>> eliminated(rows());
    for (std::size_t r = rows(); r-- > 1;) {
      Real along[n] = {coupling(r)};
      for (std::size_t l = 0; l < n - 1; ++l) along[l + 1] = begun_.layers.layers[l].along_uS[r];
      eliminated[r] = {blocks[r], along};
      eliminated[r].join(blocks[above(r)], along);
    }
    std::vector<std::array<Real, n>> solutions(rows());
    for_rows([&](std::size_t r) {
      Real x[n] = {};
      if (r > 0) {
        std::ranges::copy(solutions[above(r)], x);
        eliminated[r].substitute(x);
      } else {
        solver::solve_root<Real, n>(blocks[0], x);
      }
      std::ranges::copy(x, solutions[r].begin());
      const Real has = begun_.layers.has[r];
      for (std::size_t l = 1; l < n; ++l) x_[l * rows() + r] = x[l] * has;
      x_[r] = solver::voltage_of<Real, n>(x, has);
    });
    return std::isfinite(double(x_[0]));
  }
  void add_fields(double time_ms, std::vector<Real>& to) const {
    for (const begin::BegunField& field : begun_.fields)
      if (const double strength = field.in_time.at(time_ms); strength != 0)
        for (std::size_t r = 0; r < rows(); ++r) to[r] += Real(strength) * Real(field.nA[r]);
  }
  /// Of the variables y of an instance those that its location keeps.
  void see(const Block<Real>& block, std::size_t i, std::vector<Real>& y) {
    for (const Tie& tie : block.ties)
      if (const auto c = static_cast<std::size_t>(tie.coupling->column);
          tie.coupling->column < block.info.first_assigned())
        y[c] = ions_[tie.ion].of(tie.coupling->quantity)[block.row(i)];
  }
  /// And back, but currents.
  void set(const Block<Real>& block, std::size_t i, const std::vector<Real>& y) {
    for (const Tie& tie : block.ties)
      if (tie.coupling->sets())
        ions_[tie.ion].of(tie.coupling->quantity)[block.row(i)] =
            y[static_cast<std::size_t>(tie.coupling->column)];
  }
  void add_current(Block<Real>& block, const std::vector<Real>& v, double time_ms, bool keeps,
                   std::vector<Real>& diagonal, std::vector<Real>& rhs) {
    const MechanismInfo& info = block.info;
    for (std::size_t i = 0; i < block.variables.size(); ++i) {
      const std::size_t r = block.row(i);
      std::vector<Real> y = block.variables[i];
      see(block, i, y);
      const Flow<Real> flow = block.law.current(y.data(), v[r], run_.at(time_ms), block.area(i));
      if (info.changes_in_current)
        block.keep(i, y, info.changes_parameters ? 0 : info.first_assigned(), info.count());
      if (keeps && block.begun.keeps_assigned)
        block.keep(i, y, info.first_assigned(), info.first_state());
      if (info.changes_in_current) set(block, i, y);
      for (const Tie& tie : block.ties)
        if (tie.coupling->adds())
          ions_[tie.ion].current_mA_per_cm2[r] +=
              y[static_cast<std::size_t>(tie.coupling->column)] *
              (info.is_point_process ? Real(block.begun.area_factors[i]) : Real(1));
      diagonal[r] += flow.g;
      rhs[r] += flow.source;
    }
  }

  const begin::BegunCell& begun_;
  const RunConstants& run_;
  // By row; constant_, source_: what never changes of diagonal and right-hand side.
  std::vector<Real> v_, x_, coupling_, capacity_, diagonal_, factor_, constant_, source_;
  std::vector<Real> membrane_nA_, electrode_nA_, electrode_uS_;
  std::vector<Real> ground_nA_;  ///< into outermost layers
  std::vector<Ion<Real>> ions_, aside_;
  std::vector<Block<Real>> blocks_;
  bool is_above_;                    ///< the threshold
  std::vector<Event<Real>> events_;  ///< of the epoch
  std::size_t next_ = 0;             ///< the first of them that has not arrived
  std::int64_t step_ = 0;            ///< the boundary before it
  std::vector<network::CellSpike> spikes_;
  std::span<const SampleBuffer> samples_;
};

}  // namespace hillock::simulator::reference
