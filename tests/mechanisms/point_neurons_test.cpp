// What a point neuron's BREAKPOINT and NET_RECEIVE become (emitted/points.mod), and the catalogue's
// point neurons beside plain programs of their equations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "emitted/PointsTest.hpp"
#include "mechanisms/emitted/all.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/description.hpp"
#include "mechanisms/nmodl/lower.hpp"
#include "tests/mechanisms/point_neuron_instance.hpp"

namespace hillock::mechanisms {
namespace {

TEST(PointNeurons, SayWhereTheirInputsAndSpikesAre) {
  const auto& info = PointsTest::info;
  EXPECT_TRUE(info.is_point_neuron && info.is_artificial && info.is_point_process);
  EXPECT_TRUE(info.receives_events);
  EXPECT_FALSE(info.sends_events || info.keeps_arguments || info.is_linear || info.is_electrode);
  EXPECT_FALSE(info.changes_in_current || info.changes_parameters || info.starts);
  EXPECT_FALSE(info.spikes_at_beginning);
  EXPECT_STREQ(info.weight_unit, "nA");
  EXPECT_STREQ(info.variables[info.injected].name, "i");
  EXPECT_STREQ(info.variables[info.injected].unit, "nA");
  for (const int column : {info.injected, info.input, info.negative_input, info.spike})
    EXPECT_GE(column, info.first_state());
  EXPECT_EQ(info.injected, info.first_state());
  EXPECT_EQ(info.hidden_states, 3);
  EXPECT_EQ(info.spike, info.count() - 1);
  EXPECT_FALSE(Intfire::info.is_point_neuron);
  EXPECT_EQ(Intfire::info.spike, -1);
  EXPECT_EQ(Izhikevich::info.negative_input, -1);
  EXPECT_TRUE(Izhikevich::info.spikes_at_beginning);
}

TEST(PointNeurons, WhatGathersTheInputsOfAStepIsNoState) {
  EXPECT_EQ(Izhikevich::info.hidden_states, 2);
  EXPECT_EQ(Izhikevich::info.states, 5) << "injected, v, u and the hidden ones";
}

TEST(PointNeurons, OneWithoutInputsOrSpikesHasNoColumnsForThem) {
  const nmodl::Checked checked = nmodl::check_text(
      "x.mod", "NEURON { ARTIFICIAL_CELL x }\nSTATE { v }\nBREAKPOINT { v = v + dt }");
  ASSERT_TRUE(checked.module);
  const nmodl::Description description(nmodl::lower(*checked.module));
  const MechanismInfo& info = description.info();
  EXPECT_TRUE(info.is_point_neuron);
  EXPECT_FALSE(info.receives_events);
  EXPECT_EQ(info.states, 1);
  EXPECT_EQ(info.hidden_states, 0);
  for (const int column : {info.injected, info.input, info.negative_input, info.spike})
    EXPECT_EQ(column, -1);
}

/// `receive` is for events one by one what the columns are for their sum.
TEST(PointNeurons, EventsAddToTheSums) {
  PointsTest::Variables<double> x{};
  double weight = 0;
  Delivery event;
  event.arguments = &weight;
  for (const double w : {0.5, -2.0, 0.25, -1.0, 0.0}) {
    weight = w;
    PointsTest::receive(x, {0, 0, 0.1, 6.3}, event);
  }
  EXPECT_EQ(x._input_, 0.75);
  EXPECT_EQ(x._negative_input_, -3);
  EXPECT_EQ(event.message_count, 0);
}

TYPED_TEST(Emitted, PointNeuronsRunTheirBreakpointInTheOrderOfItsText) {
  const double dt = 0.5, tau = 10, gain = 2, level = 1;
  PointNeuron<PointsTest, TypeParam> neuron(dt);
  neuron.begin();
  double v = 0.25, x = 1, waits = 0, drive = 0, heard0 = 0, heard1 = 0;
  int spikes = 0;
  Wander wander;
  for (int step = 1; step <= 400; ++step) {
    Arrival arrival;
    if (step % 3 != 0) arrival.positive = wander.next();
    if (step % 4 == 0) arrival.negative = -wander.next();
    arrival.injected = step > 200 ? -4 : 0.5;
    const double sum = arrival.positive + arrival.negative;
    drive += gain * arrival.positive + 3 * arrival.negative / gain;
    heard0 -= arrival.negative;
    heard1 += sum * (0.5 / gain);
    const double before = v;
    bool spike = false;
    if (waits > 0) {
      waits -= dt;
    } else {
      const double rest = drive + arrival.injected;
      v = rest + (v - rest) * std::exp(-dt / tau);
      spike = v > level || v < -level;
      if (v > level) {
        waits = 3 * dt;
        v = 0;
      } else if (v < -level) {
        v = -v;
      }
    }
    drive *= std::exp(-dt / tau);
    x = (std::sqrt(1 + 4 * dt / tau * x) - 1) / (2 * dt / tau);  // x + dt/tau·x² = old
    ASSERT_EQ(neuron.step(arrival), spike) << step;
    spikes += spike;
    EXPECT_NEAR(neuron.get("v"), v, 1e-9);
    EXPECT_NEAR(neuron.get("before_solve"), before, 1e-9);
    EXPECT_EQ(neuron.get("after_solve"), neuron.get("v"));
    EXPECT_NEAR(neuron.get("x"), x, 1e-9);
    EXPECT_NEAR(neuron.get("heard[0]"), heard0, 1e-9);
    EXPECT_NEAR(neuron.get("heard[1]"), heard1, 1e-9);
    EXPECT_EQ(neuron.get("ended"), step * dt);
  }
  EXPECT_GT(spikes, 20);
}

/// Sums of 0 change nothing: not even what would be no number.
TYPED_TEST(Emitted, PointNeuronsAreLeftAloneByNothing) {
  PointNeuron<PointsTest, TypeParam> neuron(0.5);
  neuron.begin();
  for (int step = 0; step < 10; ++step) neuron.step({});
  EXPECT_EQ(neuron.get("heard[0]"), 0);
  EXPECT_EQ(neuron.get("heard[1]"), 0);
}

/// The program that Izhikevich published, which tests v at a step's beginning.
TYPED_TEST(Emitted, IzhikevichsNeuronIsThePublishedProgram) {
  for (const double dt : {1.0, 0.5}) {
    PointNeuron<Izhikevich, TypeParam> neuron(dt);
    neuron.begin();
    const double a = 0.02, b = 0.2, c = -65, d = 8;
    double v = -65, u = b * v;
    int spikes = 0;
    Wander wander;
    for (int step = 0; step < 1000; ++step) {
      const bool before = v >= 30;
      if (before) {
        v = c;
        u += d;
      }
      ASSERT_EQ(neuron.get("v") == c && step > 0, before) << step;
      EXPECT_NEAR(neuron.get("v"), v, 1e-3);  // an upstroke multiplies what is rounded
      EXPECT_NEAR(neuron.get("u"), u, 1e-3);
      const double random = 20 * wander.next(),
                   synapses = step % 7 == 0 ? 3 - 5 * wander.next() : 0;
      const double i = random + synapses;
      v += dt / 2 * (0.04 * v * v + 5 * v + 140 - u + i);
      v += dt / 2 * (0.04 * v * v + 5 * v + 140 - u + i);
      u += dt * a * (b * v - u);
      ASSERT_EQ(neuron.step({std::max(synapses, 0.0), std::min(synapses, 0.0), random}), v >= 30);
      spikes += v >= 30;
    }
    EXPECT_GT(spikes, 5);
  }
}

/// Exact integration, step by step as NEST's iaf_psc_exp: voltages count from E_L, what arrives at
/// a step's end acts in the next.
TYPED_TEST(Emitted, IafPscExpIsNestsOrderOfUpdates) {
  const double h = 0.1, tau_m = 10, c_m = 250, tau_ex = 0.5, tau_in = 2, t_ref = 2;
  PointNeuron<IafPscExp, TypeParam> neuron(h);
  neuron.set("tau_syn_ex", tau_ex);
  neuron.set("tau_syn_in", tau_in);
  neuron.set("I_e", 450);
  neuron.begin();
  const auto synaptic = [&](double tau) {
    return tau * tau_m / (c_m * (tau_m - tau)) * (std::exp(-h / tau_m) - std::exp(-h / tau));
  };
  const double p_m = std::exp(-h / tau_m), p_constant = tau_m / c_m * (1 - p_m);
  double v = 0, ex = 0, in = 0;
  int refractory = 0, spikes = 0;
  Wander wander;
  for (int step = 0; step < 5000; ++step) {
    Arrival arrival;
    if (step % 5 == 0) arrival.positive = 400 * wander.next();
    if (step % 7 == 0) arrival.negative = -150 * wander.next();
    arrival.injected = 20 * wander.next();
    ex += arrival.positive;
    in += arrival.negative;
    if (refractory == 0)
      v = v * p_m + ex * synaptic(tau_ex) + in * synaptic(tau_in) +
          (450 + arrival.injected) * p_constant;
    else
      --refractory;
    ex *= std::exp(-h / tau_ex);
    in *= std::exp(-h / tau_in);
    const bool spike = v >= 15;
    if (spike) {
      refractory = static_cast<int>(std::lround(t_ref / h));
      v = 0;
    }
    ASSERT_EQ(neuron.step(arrival), spike) << step;
    spikes += spike;
    EXPECT_NEAR(neuron.get("V_m"), v - 70, 1e-9);
    EXPECT_NEAR(neuron.get("I_syn_ex"), ex, 1e-9);
    EXPECT_NEAR(neuron.get("I_syn_in"), in, 1e-9);
  }
  EXPECT_GT(spikes, 10);
}

/// Synapses as slow as the membrane are the limit of others.
TYPED_TEST(Emitted, IafPscExpIsExactWhateverTheStepAndTheTimeConstants) {
  for (const double dt : {0.1, 1.0, 5.0})
    for (const double tau : {10.0, 10.0 + 1e-9, 10.01, 9.0, 0.2}) {
      PointNeuron<IafPscExp, TypeParam> neuron(dt);
      neuron.set("tau_syn_ex", tau);
      neuron.begin();
      neuron.step({100, 0, 0});
      for (double t = dt; t < 10 - dt / 2; t += dt) neuron.step({});
      const double e = std::exp(-1.0), x = 10 * (0.1 - 1 / tau);
      const double peak = x == 0 ? 1 : std::expm1(x) / x;
      EXPECT_NEAR(neuron.get("V_m"), -70 + 100 * 10 / 250.0 * e * peak, 1e-11) << dt << " " << tau;
    }
}

TYPED_TEST(Emitted, RefractoryTimesAreWholeStepsRoundedUp) {
  for (const auto& [t_ref, dt, steps] :
       {std::tuple{2.0, 0.1, 20}, {0.3, 0.1, 3}, {1.1, 0.1, 11}, {0.25, 0.1, 3}, {0.0, 0.1, 0}}) {
    PointNeuron<IafPscExp, TypeParam> neuron(dt);
    neuron.set("t_ref", t_ref);
    neuron.set("I_e", 1e6);  // fires in every step that it may
    neuron.begin();
    ASSERT_TRUE(neuron.step({}));
    int held = 0;
    while (!neuron.step({})) ++held;
    EXPECT_EQ(held, steps);
  }
}

/// Voltage and conductances of a leaky neuron, its equations taken in small steps.
struct Conductances {
  double v = -70, ex = 0, in = 0;

  void integrate(double dt, double injected) {
    const int parts = 2000;
    const double h = dt / parts;
    const auto slope = [&](double voltage, double after) {
      return (-16.6667 * (voltage + 70) - ex * std::exp(-after / 1.5) * voltage -
              in * std::exp(-after / 2) * (voltage + 85) + injected) /
             250;
    };
    for (int k = 0; k < parts; ++k) {
      const double middle = v + h / 2 * slope(v, k * h);
      v += h * slope(middle, (k + 0.5) * h);
    }
    ex *= std::exp(-dt / 1.5);
    in *= std::exp(-dt / 2);
  }
};

/// The largest error of V_m over 40 ms below threshold.
template <class V>
double error_of_iaf_cond_exp(double dt) {
  PointNeuron<IafCondExp, V> neuron(dt);
  neuron.set("tau_syn_ex", 1.5);
  neuron.set("V_th", 100);
  neuron.begin();
  Conductances exact;
  double worst = 0;
  const auto count = static_cast<int>(std::lround(40 / dt));
  for (int step = 0; step < count; ++step) {
    Arrival arrival;
    const bool arrives = std::fmod(step * dt + 1e-9, 4.0) < dt / 2;
    if (arrives) arrival = {30, -20, 0};
    arrival.injected = 100;
    exact.ex += arrival.positive;
    exact.in -= arrival.negative;
    exact.integrate(dt, 100);
    EXPECT_FALSE(neuron.step(arrival));
    worst = std::max(worst, std::abs(neuron.get("V_m") - exact.v));
  }
  return worst;
}

TYPED_TEST(Emitted, IafCondExpIsOfSecondOrder) {
  const double coarse = error_of_iaf_cond_exp<TypeParam>(0.2),
               fine = error_of_iaf_cond_exp<TypeParam>(0.1);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

TYPED_TEST(Emitted, IafCondExpSpikesAndRests) {
  PointNeuron<IafCondExp, TypeParam> neuron(0.1);
  neuron.begin();
  expect_spike_and_rest(neuron, {5, 0, 0}, -60, 20);
  // Whatever arrives, the voltage stays between the reversal potentials.
  neuron.set("V_th", 1000);
  for (const double weight : {1e9, -1e9, 1e3, -1e6})
    for (int step = 0; step < 5; ++step) {
      neuron.step({std::max(weight, 0.0), std::min(weight, 0.0), 0});
      EXPECT_LE(neuron.get("V_m"), 1e-9);
      EXPECT_GE(neuron.get("V_m"), -85 - 1e-9);
    }
}

/// Brette and Gerstner's equations in small steps, until the voltage reaches the peak.
struct Adaptive {
  double v = -70.6, w = 0, ex = 0;

  /// The time of the spike in the step; above dt: none.
  double integrate(double dt, double injected) {
    const int parts = 1000;
    const double h = dt / parts;
    const auto slope = [&](double voltage, double adaptation, double after) {
      return (-30 * (voltage + 70.6) + 60 * std::exp((voltage + 50.4) / 2) -
              ex * std::exp(-after / 2) * voltage - adaptation + injected) /
             281;
    };
    const auto drift = [](double voltage, double adaptation) {
      return (4 * (voltage + 70.6) - adaptation) / 144;
    };
    double spike = 2 * dt;
    for (int k = 0; k < parts; ++k) {
      const double v_half = v + h / 2 * slope(v, w, k * h), w_half = w + h / 2 * drift(v, w);
      w += h * drift(v_half, w_half);
      v += h * slope(v_half, w_half, (k + 0.5) * h);
      if (v < 0) continue;
      spike = std::min(spike, (k + 1) * h);
      v = -60;
      w += 80.5;
    }
    ex *= std::exp(-dt / 2);
    return spike;
  }
};

template <class V>
PointNeuron<AeifCondExp, V> adaptive_neuron(double dt) {
  PointNeuron<AeifCondExp, V> neuron(dt);
  neuron.set("tau_syn_ex", 2);
  neuron.begin();
  return neuron;
}

/// Below the upstroke; the error is that of one step's end.
TYPED_TEST(Emitted, AeifCondExpIsOfSecondOrderBelowItsSpikes) {
  const auto error_with = [](double dt) {
    auto neuron = adaptive_neuron<TypeParam>(dt);
    Adaptive exact;
    double worst = 0;
    for (int step = 0; step < static_cast<int>(std::lround(20 / dt)); ++step) {
      const double weight = std::fmod(step * dt + 1e-9, 5.0) < dt / 2 ? 3 : 0;
      exact.ex += weight;
      exact.integrate(dt, 400);
      EXPECT_FALSE(neuron.step({weight, 0, 400}));
      worst = std::max(
          {worst, std::abs(neuron.get("V_m") - exact.v), std::abs(neuron.get("w") - exact.w)});
    }
    EXPECT_GT(exact.v, -58);
    return worst;
  };
  const double coarse = error_with(0.2), fine = error_with(0.1);
  EXPECT_LT(fine, 5e-3);
  EXPECT_NEAR(coarse / fine, 4, 1);
}

TYPED_TEST(Emitted, AeifCondExpSpikesWhenItsEquationsDo) {
  const double dt = 0.1;
  auto neuron = adaptive_neuron<TypeParam>(dt);
  Adaptive exact;
  std::vector<double> found, expected;
  for (int step = 0; step < 4000; ++step) {
    const double spike = exact.integrate(dt, 1000);
    if (spike <= dt) expected.push_back(step * dt + spike);
    if (neuron.step({0, 0, 1000})) found.push_back((step + 1) * dt);
  }
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_GT(found.size(), 5u);
  // A spike has the time of its step's end, and what follows goes on from when it came.
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_GT(found[k] - expected[k], -dt / 4) << k;
    EXPECT_LT(found[k] - expected[k], dt * 1.25) << k;
  }
}

TYPED_TEST(Emitted, AeifCondExpNeverLeavesTheNumbers) {
  for (const double delta : {1e-3, 2.0, 100.0})
    for (const double current : {0.0, 1e3, 1e9, -1e9})
      for (const double weight : {0.0, 1e6, -1e6}) {
        PointNeuron<AeifCondExp, TypeParam> neuron(0.1);
        neuron.set("Delta_T", delta);
        neuron.set("V_init", 1e4);
        neuron.begin();
        for (int step = 0; step < 50; ++step) {
          neuron.step({std::max(weight, 0.0), std::min(weight, 0.0), current});
          for (const char* name : {"V_m", "w", "g_ex", "g_in"})
            ASSERT_TRUE(std::isfinite(neuron.get(name))) << name << " " << delta << " " << current;
          ASSERT_LE(neuron.get("V_m"), 0);
        }
      }
}

/// Every lane has its own input, parameters and spikes: the bits of one neuron alone.
template <class E, class V>
void expect_lanes_are_neurons() {
  constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(double));
  const double dt = 0.1;
  PointNeuron<E, V> together(dt);
  std::vector<PointNeuron<E, double>> alone(lanes, PointNeuron<E, double>(dt));
  Wander wander;
  const auto set = [&](int column, auto value_of) {
    const char* const name = E::info.variables[column].name;
    double values[lanes];
    for (int l = 0; l < lanes; ++l) {
      values[l] = value_of(l);
      alone[static_cast<std::size_t>(l)].set(name, values[l]);
    }
    V all;
    std::memcpy(&all, values, sizeof all);
    together.set_lanes(name, all);
  };
  for (int c = 0; c < E::info.parameters; ++c)
    set(c, [&](int l) { return E::info.variables[c].default_value * (1 + 0.02 * l); });
  together.begin();
  for (auto& neuron : alone) neuron.begin();
  int spikes = 0;
  for (int step = 1; step <= 2000; ++step) {
    const auto random = [&](double scale) {
      return [&, scale](int) { return scale * wander.next(); };
    };
    set(E::info.input, random(step % 4 == 0 ? 8 : 0));
    if (E::info.negative_input >= 0) set(E::info.negative_input, random(step % 7 == 0 ? -4 : 0));
    set(E::info.injected, random(E::info.negative_input < 0 ? 30 : 1500));
    const Instant<V> at = together.at(0, step * dt, dt);
    E::template advance<V>(together.x, at);
    for (int l = 0; l < lanes; ++l) {
      auto& neuron = alone[static_cast<std::size_t>(l)];
      E::template advance<double>(neuron.x, neuron.at(0, step * dt, dt));
      for (int c = 0; c < E::info.count(); ++c) {
        const char* const name = E::info.variables[c].name;
        const double a = together.lane(name, l), b = neuron.lane(name, 0);
        ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0) << name << " " << a << " " << b;
      }
      spikes += neuron.get(E::info.variables[E::info.spike].name) == 1;
    }
  }
  EXPECT_GT(spikes, lanes / 2);
}

TYPED_TEST(Emitted, LanesOfPointNeuronsAreNeuronsAlone) {
  expect_lanes_are_neurons<Izhikevich, TypeParam>();
  expect_lanes_are_neurons<IafPscExp, TypeParam>();
  expect_lanes_are_neurons<IafPscAlpha, TypeParam>();
  expect_lanes_are_neurons<IafPscDelta, TypeParam>();
  expect_lanes_are_neurons<IafCondExp, TypeParam>();
  expect_lanes_are_neurons<IafCondAlpha, TypeParam>();
  expect_lanes_are_neurons<AeifCondExp, TypeParam>();
  expect_lanes_are_neurons<PointsTest, TypeParam>();
}

}  // namespace
}  // namespace hillock::mechanisms
