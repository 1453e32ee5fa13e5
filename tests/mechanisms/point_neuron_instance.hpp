#pragma once
// One point neuron, driven as an engine drives it: for the tests of point neurons.

#include <cstdint>
#include <string>

#include "tests/mechanisms/emitted_instance.hpp"

namespace hillock::mechanisms {

/// What arrives in a step.
struct Arrival {
  double positive = 0, negative = 0;  ///< sums of weights
  double injected = 0;
};

/// Numbers in [0, 1) that repeat themselves.
class Wander {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 7;
};

/// All lanes have the same of everything.
template <class E, class V>
class PointNeuron : public Instance<E, V> {
 public:
  static_assert(E::info.is_point_neuron && E::info.is_artificial);

  explicit PointNeuron(double dt_ms) : dt_ms_(dt_ms) {}

  /// Once the parameters are set; NaN stands for the voltage that nothing is to read.
  void begin() { E::template initialise<V>(this->x, this->at(nothing, 0, dt_ms_)); }

  /// Whether the neuron spiked.
  bool step(const Arrival& arrival) {
    constexpr auto info = E::info;
    const auto name = [](int column) { return E::info.variables[column].name; };
    const bool tells = info.negative_input >= 0;
    if (info.input >= 0)
      this->set(name(info.input), tells ? arrival.positive : arrival.positive + arrival.negative);
    if (tells) this->set(name(info.negative_input), arrival.negative);
    if (info.injected >= 0) this->set(name(info.injected), arrival.injected);
    ++steps_;
    E::template advance<V>(this->x, this->at(nothing, steps_ * dt_ms_, dt_ms_));
    for (const int sum : {info.input, info.negative_input})
      EXPECT_EQ(sum < 0 ? 0 : this->get(name(sum)), 0);
    const double spike = this->get(name(info.spike));
    EXPECT_TRUE(spike == 0 || spike == 1);
    return spike == 1;
  }

 private:
  static constexpr double nothing = __builtin_nan("");
  double dt_ms_;
  int steps_ = 0;
};

/// What arrives in every step makes the neuron spike; V_m is then held for so many steps.
template <class Neuron>
void expect_spike_and_rest(Neuron& neuron, const Arrival& arrival, double reset_mV,
                           int held_steps) {
  int steps = 0;
  while (!neuron.step(arrival)) ++steps;
  EXPECT_GT(steps, 10);
  EXPECT_EQ(neuron.get("V_m"), reset_mV);
  for (int held = 0; held < held_steps; ++held) {
    EXPECT_FALSE(neuron.step(arrival));
    EXPECT_EQ(neuron.get("V_m"), reset_mV);
  }
  neuron.step(arrival);
  EXPECT_GT(neuron.get("V_m"), reset_mV);
}

}  // namespace hillock::mechanisms
