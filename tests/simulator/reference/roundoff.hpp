#pragma once
// How far the doubles of a step lie from the long doubles that the same step makes of the same
// numbers, in epsilons of a double.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulator/reference/cell.hpp"

namespace hillock::simulator::reference {

/// The largest difference of some numbers, and whose it is.
struct Difference {
  double epsilons = 0;
  double of_bound = 0;  ///< the largest part of what it may be
  std::string of;
  std::int64_t numbers = 0;
  std::int64_t far = 0;  ///< those of them that are off by more than few_epsilons

  static constexpr double few_epsilons = 1000;

  /// size: a number's; most_epsilons: what the difference may be.
  void add(double is, long double wanted, double size, double most_epsilons,
           const std::string& name);
};

class Roundoff {
 public:
  /// One of so many steps is looked at, of every cell another one.
  static constexpr std::int64_t every = 17;  // not in step with what is settled
  static bool looks_at(std::int64_t step, std::size_t cell) {
    return (step + static_cast<std::int64_t>(cell)) % every == 0;
  }

  /// before: when the step began.
  void add_cell(const Cell<double>& before, const Cell<double>& is,
                const Cell<long double>& wanted);
  /// Of a point neuron, by variable. Left out where it spikes: there a threshold decides.
  void add_neuron(const mechanisms::MechanismInfo& info, const std::vector<double>& before,
                  const std::vector<double>& is, const std::vector<long double>& wanted);

  const Difference& voltages() const { return voltages_; }
  const Difference& variables() const { return variables_; }
  std::int64_t steps() const { return steps_; }

 private:
  void add_variables(const mechanisms::MechanismInfo& info, const std::vector<double>& before,
                     const std::vector<double>& is, const std::vector<long double>& wanted);

  Difference voltages_, variables_;
  std::int64_t steps_ = 0;  ///< of one cell each
};

/// Of the last engine of this program that was made.
Roundoff& roundoff();

}  // namespace hillock::simulator::reference
