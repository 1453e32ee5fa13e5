#pragma once
// A cell of the reference in numbers with a slope: how what is recorded of it changes with what it
// begins with.

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/backends/taped/taped_engine.hpp"
#include "simulator/step/integrators.hpp"
#include "tests/simulator/reference/cell.hpp"
#include "tests/simulator/tangents/own_laws.hpp"

namespace hillock::simulator::reference {

/// How fast the numbers change that a cell begins with, in the order of `for_beginning`.
using Slopes = std::vector<double>;

/// Calls body(numbers) for the lists of them.
template <class Body>
void for_beginning(const begin::BegunCell& cell, const Body& body) {
  body(cell.v_mV);
  body(cell.coupling_uS);
  body(cell.capacity_uS);
  for (const begin::BegunIon& ion : cell.ions) {
    body(ion.reversal_mV);
    body(ion.inside_mM);
    body(ion.outside_mM);
  }
  for (const begin::BegunBlock& block : cell.blocks)
    for (const OneOrMany& column : block.columns) {
      std::vector<double> numbers;
      for (std::size_t i = 0; i < block.rows.size(); ++i) numbers.push_back(column[i]);
      body(numbers);
    }
}

class Tangent : public Cell<Dual> {
 public:
  /// ahead: how far everything is moved along its slope; slope: what its slope is times.
  Tangent(const begin::BegunCell& begun, const RunConstants& run, const Slopes& slopes,
          long double ahead, long double slope, std::span<const taped::SampleDerivatives> by)
      : Cell<Dual>(begun, run), by_(by) {
    std::size_t next = 0;
    const auto move = [&](Dual& number) {
      const long double by_one = slopes.at(next++);
      number = {number.value + ahead * by_one, slope * by_one};
    };
    for (Dual& v : v_) move(v);
    for (Dual& coupling : coupling_) move(coupling);
    for (Dual& capacity : capacity_) move(capacity);
    for (Ion<Dual>& ion : ions_)
      for (auto* list : {&ion.reversal_mV, &ion.inside_mM, &ion.outside_mM})
        for (Dual& number : *list) move(number);
    for (Block<Dual>& block : blocks_)
      for (std::size_t c = 0; c < block.begun.columns.size(); ++c)
        for (std::vector<Dual>& y : block.variables) move(y[c]);
    for (Block<Dual>& block : blocks_) derive_constants(block);
    add_up_constants();
  }

  /// The sum of all samples times what something is derived by them.
  Dual run(std::vector<Event<Dual>> events) {
    begin_epoch(std::move(events), {});
    sample(0);
    step::with_integrator(run_.integrator, [&](auto integrator) {
      for (std::int64_t step = 0; step < run_.steps; ++step)
        step::take_step<decltype(integrator)>(*this, step);
    });
    return sum_;
  }
  void sample(std::int64_t step) {
    begun_.for_samples(run_.samples, step, [&](const begin::Sampled& one, std::int64_t sample) {
      const taped::SampleDerivatives& by = by_[one.recording];
      for (std::size_t k = 0; k < one.terms; ++k) {
        const begin::NumberSource& term = begun_.terms[one.first_term + k];
        if (term.kind == step::Summand::constant) continue;
        const Dual value =
            term.kind == step::Summand::voltage ? v_[term.index] : term.factor * number(term);
        sum_ += value * by.data[static_cast<std::size_t>(sample) * by.columns + one.column];
      }
    });
  }

 private:
  /// What INITIAL makes of parameters once and for all lies among the variables that nobody is to
  /// see: it is made anew where that gives what it was before anything was moved.
  void derive_constants(Block<Dual>& block) {
    const MechanismInfo& info = block.info;
    const auto made = [&](std::size_t i, std::vector<Dual> y) {
      see(block, i, y);
      block.law.initialise(y.data(), v_[block.row(i)], run_.at(0));
      return y;
    };
    for (std::size_t i = 0; i < block.variables.size(); ++i) {
      std::vector<Dual> begun;
      for (const OneOrMany& column : block.begun.columns) begun.push_back(column[i]);
      const std::vector<Dual> same = made(i, begun), moved = made(i, block.variables[i]);
      for (int k = info.first_state() - info.hidden; k < info.first_state(); ++k) {
        const auto c = static_cast<std::size_t>(k);
        if (std::abs(same[c].value - begun[c].value) <= 1e-12L * std::abs(begun[c].value))
          block.variables[i][c] = moved[c];
      }
    }
  }

  std::span<const taped::SampleDerivatives> by_;
  Dual sum_;
};

}  // namespace hillock::simulator::reference
