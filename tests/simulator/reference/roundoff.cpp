#include "tests/simulator/reference/roundoff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hillock::simulator::reference {

namespace {

/// Of a row's few dozen sums and products, some of which cancel.
constexpr double epsilons_of_a_row = 100;
/// Rates are x/(e^x - 1), which loses 1/x epsilons near 0, where evaluators go over to a line at
/// 1e-6.
constexpr double epsilons_of_a_rate = 1e6;

double largest_of(const std::vector<double>& voltages) {
  double largest = 0;
  for (const double v_mV : voltages) largest = std::max(largest, std::abs(v_mV));
  return largest;
}

}  // namespace

void Difference::add(double is, long double wanted, double size, double most_epsilons,
                     const std::string& name) {
  ++numbers;
  if (is == wanted) return;
  const double off =
      static_cast<double>(std::abs(is - wanted)) / (size * std::numeric_limits<double>::epsilon());
  if (!(off <= few_epsilons)) ++far;
  of_bound = std::max(of_bound, std::isnan(off) ? INFINITY : off / most_epsilons);
  if (off <= epsilons) return;
  epsilons = off;
  of = name;
}

/// A voltage's size is that of the cell's largest: its 0 is a convention.
void Roundoff::add_cell(const Cell<double>& before, const Cell<double>& is,
                        const Cell<long double>& wanted) {
  const double size_mV = std::max(largest_of(before.voltages()), largest_of(is.voltages()));
  const double most = epsilons_of_a_row + is.condition();
  for (std::size_t r = 0; r < is.voltages().size(); ++r)
    voltages_.add(is.voltages()[r], wanted.voltages()[r], size_mV, most,
                  is.begun().population->name);
  for (std::size_t b = 0; b < is.blocks().size(); ++b)
    for (std::size_t i = 0; i < is.blocks()[b].variables.size(); ++i)
      add_variables(is.blocks()[b].info, before.blocks()[b].variables[i],
                    is.blocks()[b].variables[i], wanted.blocks()[b].variables[i]);
  ++steps_;
}

void Roundoff::add_neuron(const mechanisms::MechanismInfo& info, const std::vector<double>& before,
                          const std::vector<double>& is, const std::vector<long double>& wanted) {
  const auto spike = static_cast<std::size_t>(info.spike);
  if (is[spike] != 0 || wanted[spike] != 0) return;
  add_variables(info, before, is, wanted);
  ++steps_;
}

void Roundoff::add_variables(const mechanisms::MechanismInfo& info,
                             const std::vector<double>& before, const std::vector<double>& is,
                             const std::vector<long double>& wanted) {
  for (auto c = static_cast<std::size_t>(info.first_state()); c < is.size(); ++c)
    variables_.add(is[c], wanted[c], std::max(std::abs(before[c]), std::abs(is[c])),
                   epsilons_of_a_rate, std::string(info.name) + '.' + info.variables[c].name);
}

Roundoff& roundoff() {
  static Roundoff one;
  return one;
}

}  // namespace hillock::simulator::reference
