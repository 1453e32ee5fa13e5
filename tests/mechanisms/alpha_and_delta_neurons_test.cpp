// The catalogue's point neurons with alpha functions and with jumps beside plain programs of their
// equations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechanisms/emitted/all.hpp"
#include "tests/mechanisms/point_neuron_instance.hpp"

namespace hillock::mechanisms {
namespace {

/// A current that begins with an arrival and peaks at its weight: the voltage that it makes.
double alpha_response(double weight, double tau, double tau_m, double c_m, double t) {
  const long double x = 1 / static_cast<long double>(tau_m) - 1 / static_cast<long double>(tau);
  const long double xt = x * t;
  const long double part =
      std::abs(xt) < 1e-6L ? t * t * (0.5L + xt / 3) : (std::exp(xt) * (xt - 1) + 1) / (x * x);
  return static_cast<double>(weight * std::exp(1.0L) / tau / c_m * std::exp(-t / tau_m) * part);
}

TYPED_TEST(Emitted, IafPscAlphaIsExactWhateverTheStepAndTheTimeConstants) {
  for (const double dt : {0.1, 1.0, 5.0})
    for (const double tau : {10.0, 10.0 + 1e-9, 10.01, 9.0, 4.0, 0.2, 0.01}) {
      PointNeuron<IafPscAlpha, TypeParam> neuron(dt);
      neuron.set("tau_syn_ex", tau);
      neuron.set("tau_syn_in", 3);
      neuron.begin();
      neuron.step({100, -50, 0});
      for (double t = dt; t < 10 - dt / 2; t += dt) neuron.step({});
      const double expected =
          alpha_response(100, tau, 10, 250, 10) + alpha_response(-50, 3, 10, 250, 10);
      EXPECT_NEAR(neuron.get("V_m"), -70 + expected, 1e-12) << dt << " " << tau;
      EXPECT_NEAR(neuron.get("I_syn_in"), -50 * 10 / 3.0 * std::exp(1 - 10 / 3.0), 1e-12);
    }
}

/// Exact integration in NEST's order of updates: voltages count from E_L, what arrives at a step's
/// end acts in the next, the bound comes before the threshold.
TYPED_TEST(Emitted, IafPscAlphaIsNestsOrderOfUpdates) {
  static constexpr double h = 0.1, tau_m = 10, c_m = 250;
  const double tau_ex = 0.5, tau_in = 4, t_ref = 2;
  PointNeuron<IafPscAlpha, TypeParam> neuron(h);
  neuron.set("tau_syn_ex", tau_ex);
  neuron.set("tau_syn_in", tau_in);
  neuron.set("V_min", -71);
  neuron.set("I_e", 300);
  neuron.begin();
  struct Current {
    double tau, i = 0, di = 0;

    double act() const {
      const double x = (1 / tau_m - 1 / tau) * h, p = std::exp(-h / tau_m) / c_m;
      return i * p * h * std::expm1(x) / x + di * p * h * h * (std::exp(x) * (x - 1) + 1) / (x * x);
    }
    void go_on() {
      i = (i + h * di) * std::exp(-h / tau);
      di *= std::exp(-h / tau);
    }
  } ex{tau_ex}, in{tau_in};
  const double p_m = std::exp(-h / tau_m), p_constant = tau_m / c_m * (1 - p_m);
  double v = 0;
  int refractory = 0, spikes = 0, bounded = 0;
  Wander wander;
  for (int step = 0; step < 5000; ++step) {
    Arrival arrival;
    if (step % 5 == 0) arrival.positive = 1500 * wander.next();
    if (step % 80 == 0) arrival.negative = -3000 * wander.next();
    arrival.injected = 20 * wander.next();
    ex.di += arrival.positive * std::exp(1.0) / tau_ex;
    in.di += arrival.negative * std::exp(1.0) / tau_in;
    if (refractory == 0) {
      v = v * p_m + ex.act() + in.act() + (300 + arrival.injected) * p_constant;
      bounded += v < -1;
      v = std::max(v, -1.0);
    } else {
      --refractory;
    }
    ex.go_on();
    in.go_on();
    const bool spike = v >= 15;
    if (spike) {
      refractory = static_cast<int>(std::lround(t_ref / h));
      v = 0;
    }
    ASSERT_EQ(neuron.step(arrival), spike) << step;
    spikes += spike;
    EXPECT_NEAR(neuron.get("V_m"), v - 70, 1e-9);
    EXPECT_NEAR(neuron.get("I_syn_ex"), ex.i, 1e-9);
    EXPECT_NEAR(neuron.get("I_syn_in"), in.i, 1e-9);
  }
  EXPECT_GT(spikes, 10);
  EXPECT_GT(bounded, 10);
}

/// NEST's program: what arrives at a step's end makes the voltage jump there, and spike.
TYPED_TEST(Emitted, IafPscDeltaSpikesWhenWhatArrivesMakesIt) {
  const double h = 0.1, tau_m = 10, c_m = 250;
  for (const bool waits : {false, true})
    for (const double t_ref : {0.0, 0.1, 2.0}) {
      PointNeuron<IafPscDelta, TypeParam> neuron(h);
      neuron.set("t_ref", t_ref);
      neuron.set("V_min", -73);
      neuron.set("refractory_input", waits);
      neuron.begin();
      const double p_m = std::exp(-h / tau_m), p_constant = tau_m / c_m * (1 - p_m);
      double v = 0, waiting = 0, current = 0;
      int refractory = 0, spikes = 0, bounded = 0;
      Wander wander;
      for (int step = 0; step < 5000; ++step) {
        Arrival arrival;
        if (step % 4 == 0) arrival.positive = 7 * wander.next();
        if (step % 7 == 0) arrival.negative = -9 * wander.next();
        arrival.injected = 400 * wander.next();
        const double arrived = arrival.positive + arrival.negative;
        bool spike = false;
        if (step == 0) {
          v = std::max(arrived, -3.0);
        } else if (refractory == 0) {
          v = v * p_m + current * p_constant + arrived + waiting;
          waiting = 0;
          bounded += v < -3;
          v = std::max(v, -3.0);
          spike = v >= 15;
        } else {
          if (waits) waiting += arrived * std::exp(-refractory * h / tau_m);
          --refractory;
        }
        if (spike) {
          refractory = static_cast<int>(std::lround(t_ref / h));
          v = 0;
        }
        current = arrival.injected;
        ASSERT_EQ(neuron.step(arrival), spike) << step << " " << t_ref;
        spikes += spike;
        const double ended = refractory == 0 ? v * p_m + current * p_constant : v;
        EXPECT_NEAR(neuron.get("V_m"), ended - 70, 1e-9);
      }
      EXPECT_GT(spikes, 10);
      EXPECT_GT(bounded, 10);
    }
  EXPECT_TRUE(IafPscDelta::info.spikes_at_beginning);
  EXPECT_EQ(IafPscDelta::info.negative_input, -1);
}

/// As in NEST, a voltage that begins above the threshold spikes a step later if it still is there.
TYPED_TEST(Emitted, IafPscDeltaDoesNotSpikeBeforeItHasAdvanced) {
  PointNeuron<IafPscDelta, TypeParam> neuron(0.1);
  neuron.set("V_init", -54.9);
  neuron.begin();
  EXPECT_FALSE(neuron.step({}));  // falls below
  EXPECT_FALSE(neuron.step({}));
  PointNeuron<IafPscDelta, TypeParam> higher(0.1);
  higher.set("V_init", -50);
  higher.begin();
  EXPECT_FALSE(higher.step({}));
  EXPECT_TRUE(higher.step({}));
}

/// Voltage and alpha conductances of a leaky neuron, its equations taken in small steps.
struct AlphaConductances {
  double v = -70, ex = 0, in = 0, slope_ex = 0, slope_in = 0;

  void integrate(double dt, double injected) {
    const int parts = 2000;
    const double h = dt / parts;
    const auto after = [](double g, double dg, double tau, double t) {
      return (g + dg * t) * std::exp(-t / tau);
    };
    const auto slope = [&](double voltage, double t) {
      return (-16.6667 * (voltage + 70) - after(ex, slope_ex, 1.5, t) * voltage -
              after(in, slope_in, 2, t) * (voltage + 85) + injected) /
             250;
    };
    for (int k = 0; k < parts; ++k) {
      const double middle = v + h / 2 * slope(v, k * h);
      v += h * slope(middle, (k + 0.5) * h);
    }
    ex = after(ex, slope_ex, 1.5, dt);
    in = after(in, slope_in, 2, dt);
    slope_ex *= std::exp(-dt / 1.5);
    slope_in *= std::exp(-dt / 2);
  }
};

/// The largest error of V_m over 40 ms below threshold.
template <class V>
double error_of_iaf_cond_alpha(double dt) {
  PointNeuron<IafCondAlpha, V> neuron(dt);
  neuron.set("tau_syn_ex", 1.5);
  neuron.set("V_th", 100);
  neuron.begin();
  AlphaConductances exact;
  double worst = 0;
  for (int step = 0; step < static_cast<int>(std::lround(40 / dt)); ++step) {
    Arrival arrival;
    if (std::fmod(step * dt + 1e-9, 4.0) < dt / 2) arrival = {12, -8, 0};
    arrival.injected = 100;
    exact.slope_ex += arrival.positive * std::exp(1.0) / 1.5;
    exact.slope_in -= arrival.negative * std::exp(1.0) / 2;
    exact.integrate(dt, 100);
    EXPECT_FALSE(neuron.step(arrival));
    worst = std::max(worst, std::abs(neuron.get("V_m") - exact.v));
    EXPECT_NEAR(neuron.get("g_ex"), exact.ex, 1e-11);
    EXPECT_NEAR(neuron.get("g_in"), exact.in, 1e-11);
  }
  EXPECT_GT(exact.v, -70);
  return worst;
}

TYPED_TEST(Emitted, IafCondAlphaIsOfSecondOrder) {
  const double coarse = error_of_iaf_cond_alpha<TypeParam>(0.2),
               fine = error_of_iaf_cond_alpha<TypeParam>(0.1);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

TYPED_TEST(Emitted, IafCondAlphaSpikesAndRests) {
  PointNeuron<IafCondAlpha, TypeParam> neuron(0.1);
  neuron.begin();
  expect_spike_and_rest(neuron, {2, 0, 0}, -60, 20);
}

}  // namespace
}  // namespace hillock::mechanisms
