#pragma once
// How far the doubles of a step lie from the long doubles that the same step makes of the same
// numbers.

#include <cstdint>
#include <string>

#include "tests/simulator/reference/cell.hpp"

namespace hillock::simulator::reference {

/// The largest difference of some numbers, in epsilons of a double, and whose it is.
struct Difference {
  double epsilons = 0;
  std::string of;

  /// scale: what the number is compared with, where it is larger than it.
  void add(double is, long double wanted, double scale, const std::string& name);
};

class Roundoff {
 public:
  /// One of so many steps is looked at, of every cell another one.
  static constexpr std::int64_t every = 16;
  static bool looks_at(std::int64_t step, std::size_t cell) {
    return (step + static_cast<std::int64_t>(cell)) % every == 0;
  }

  void add_cell(const Cell<double>& is, const Cell<long double>& wanted);
  /// Of a point neuron: before: its variables when the step began. Left out where it spiked.
  void add_neuron(const mechanisms::MechanismInfo& info, const std::vector<double>& before,
                  const std::vector<double>& is, const std::vector<long double>& wanted);

  const Difference& voltages() const { return voltages_; }
  const Difference& variables() const { return variables_; }
  std::int64_t steps() const { return steps_; }

 private:
  Difference voltages_, variables_;
  std::int64_t steps_ = 0;  ///< of one cell each
};

/// Of the last engine of this program that was made.
Roundoff& roundoff();

}  // namespace hillock::simulator::reference
