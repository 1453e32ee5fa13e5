#include "tests/simulator/reference/roundoff.hpp"

#include <limits>

namespace hillock::simulator::reference {

void Difference::add(double is, long double wanted, double scale, const std::string& name) {
  const long double size = std::max<long double>(std::abs(wanted), scale);
  if (size == 0) return;
  const double here = static_cast<double>(std::abs(is - wanted) / size) /
                      std::numeric_limits<double>::epsilon();
  if (!(here > epsilons)) return;
  epsilons = here;
  of = name;
}

void Roundoff::add_cell(const Cell<double>& is, const Cell<long double>& wanted) {
  constexpr double least_mV = 1;  // a voltage's 0 is a convention
  for (std::size_t r = 0; r < is.voltages().size(); ++r)
    voltages_.add(is.voltages()[r], wanted.voltages()[r], least_mV, is.begun().population->name);
  for (std::size_t b = 0; b < is.blocks().size(); ++b) {
    const Block<double>& block = is.blocks()[b];
    for (std::size_t i = 0; i < block.variables.size(); ++i)
      for (auto c = static_cast<std::size_t>(block.info().first_state());
           c < block.variables[i].size(); ++c)
        variables_.add(block.variables[i][c], wanted.blocks()[b].variables[i][c], 0,
                       std::string(block.info().name) + '.' + block.info().variables[c].name);
  }
  ++steps_;
}

void Roundoff::add_neuron(const mechanisms::MechanismInfo& info, const std::vector<double>& before,
                          const std::vector<double>& is, const std::vector<long double>& wanted) {
  const auto spike = static_cast<std::size_t>(info.spike);
  ++steps_;
  if (is[spike] != 0 || wanted[spike] != 0) return;
  for (auto c = static_cast<std::size_t>(info.first_state()); c < is.size(); ++c)
    variables_.add(is[c], wanted[c], std::abs(before[c]),
                   std::string(info.name) + '.' + info.variables[c].name);
}

Roundoff& roundoff() {
  static Roundoff one;
  return one;
}

}  // namespace hillock::simulator::reference
