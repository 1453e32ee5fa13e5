// Evaluators emitted from .mod files, compiled by the build, against published rates and solutions
// known in closed form. One body for doubles and packs.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "emitted/KineticTest.hpp"
#include "emitted/MethodsTest.hpp"
#include "emitted/SingularTest.hpp"
#include "emitted/StatementsTest.hpp"
#include "emitted_instance.hpp"
#include "mechanisms/emitted/all.hpp"

namespace hillock::mechanisms {
namespace {

TYPED_TEST(Emitted, ALeakIsOhmic) {
  Instance<Pas, TypeParam> leak;
  leak.set("g", 0.002);
  leak.set("e", -71);
  const auto flow = Pas::current(leak.x, leak.at(-40, 0, 0.025));
  EXPECT_NEAR(first_lane(flow.i), 0.002 * (-40 + 71), 1e-15);
  EXPECT_EQ(first_lane(flow.g), 0.002);
}

struct Gate {
  double alpha, beta;
};

/// x/(e^(x/y) - 1)
double linoid(double x, double y) {
  return std::abs(x / y) < 1e-5 ? y - x / 2 : x / std::expm1(x / y);
}

/// Gates m, h and n through 20 steps of wandering voltages, by the exact solution of each step in
/// plain arithmetic: within round-off of rates and powers, 1e-12 relative.
template <class E, class V, class Rates>
void expect_gates(const Rates& rates, double q10) {
  const char* const names[] = {"m", "h", "n"};
  for (double v = -200; v <= 200; v += 7.3) {
    Instance<E, V> x;
    E::initialise(x.x, {V{} + v, 0, 0.025, 16.3});
    double expected[3];
    for (int k = 0; k < 3; ++k) {
      const Gate gate = rates(v)[k];
      expected[k] = gate.alpha / (gate.alpha + gate.beta);
    }
    for (int step = 0; step < 20; ++step) {
      const double now = v + 11 * std::sin(0.7 * step);
      E::advance(x.x, {V{} + now, 0.025 * step, 0.025, 16.3});
      for (int k = 0; k < 3; ++k) {
        const Gate gate = rates(now)[k];
        const double sum = gate.alpha + gate.beta, rest = gate.alpha / sum;
        expected[k] = rest + (expected[k] - rest) * std::exp(-0.025 * q10 * sum);
        EXPECT_NEAR(x.get(names[k]), expected[k], 1e-12 * expected[k] + 1e-300)
            << names[k] << " at " << now << " mV";
      }
    }
  }
}

// Hodgkin and Huxley 1952, at rest -65 mV; 10 degC above 6.3.
TYPED_TEST(Emitted, GatesOfTheSquidAxonAreHodgkinAndHuxleys) {
  expect_gates<Hh, TypeParam>(
      [](double v) -> std::array<Gate, 3> {
        return {{{0.1 * linoid(-(v + 40), 10), 4 * std::exp(-(v + 65) / 18)},
                 {0.07 * std::exp(-(v + 65) / 20), 1 / (std::exp(-(v + 35) / 10) + 1)},
                 {0.01 * linoid(-(v + 55), 10), 0.125 * std::exp(-(v + 65) / 80)}}};
      },
      3);
}

// Brette et al. 2007, benchmark 3, vt = -63 mV.
TYPED_TEST(Emitted, GatesOfTheHippocampalCellAreTraubAndMiless) {
  expect_gates<HhTraub, TypeParam>(
      [](double v) -> std::array<Gate, 3> {
        const double u = v + 63;
        return {{{0.32 * linoid(13 - u, 4), 0.28 * linoid(u - 40, 5)},
                 {0.128 * std::exp((17 - u) / 18), 4 / (1 + std::exp((40 - u) / 5))},
                 {0.032 * linoid(15 - u, 5), 0.5 * std::exp((10 - u) / 40)}}};
      },
      1);
}

/// Where v is the singular point of a rate, a little beside it, and far outside of what cells do:
/// finite gates between 0 and 1.
TYPED_TEST(Emitted, RatesAreFiniteEverywhere) {
  for (const double v :
       {-55.0, -40.0, -40.0 + 1e-9, -55.0 - 1e-6, -700.0, 700.0, -2000.0, 2000.0}) {
    Instance<Hh, TypeParam> x;
    Hh::initialise(x.x, x.at(v, 0, 0.025));
    Hh::advance(x.x, x.at(v, 0, 0.025));
    for (const char* gate : {"m", "h", "n"}) {
      EXPECT_GE(x.get(gate), 0) << gate << " at " << v;
      EXPECT_LE(x.get(gate), 1 + 1e-9) << gate << " at " << v;
    }
  }
}

TYPED_TEST(Emitted, CurrentsOfTheSquidAxonAddUp) {
  Instance<Hh, TypeParam> x;
  const std::pair<const char*, double> values[] = {
      {"ena", 50}, {"ek", -77}, {"m", 0.4}, {"h", 0.3}, {"n", 0.5}};
  for (const auto& [name, value] : values) x.set(name, value);
  const auto flow = Hh::current(x.x, x.at(-30, 0, 0.025));
  const double gna = 0.12 * 0.4 * 0.4 * 0.4 * 0.3, gk = 0.036 * 0.5 * 0.5 * 0.5 * 0.5;
  EXPECT_NEAR(x.get("ina"), gna * (-30 - 50), 1e-15);
  EXPECT_NEAR(x.get("ik"), gk * (-30 + 77), 1e-15);
  EXPECT_NEAR(first_lane(flow.i), gna * -80 + gk * 47 + 0.0003 * (-30 + 54.3), 1e-15);
  EXPECT_NEAR(first_lane(flow.g), gna + gk + 0.0003, 1e-17);
}

template <class E>
void receive(Instance<E, double>& synapse, double weight, double time) {
  Delivery event;
  event.arguments = &weight;
  E::receive(synapse.x, {0, time, 0.025, 6.3}, event);
}

TEST(EmittedSynapse, ExpsynDecaysFromItsWeights) {
  Instance<Expsyn, double> x;
  x.set("tau", 2);
  Expsyn::initialise(x.x, x.at(-65, 0, 0.025));
  double g = 0;
  for (int step = 0; step < 100; ++step) {
    if (step % 30 == 3) {
      receive(x, 0.01 * step, 0.025 * step);
      g += 0.01 * step;
    }
    const auto flow = Expsyn::current(x.x, x.at(-60, 0.025 * step, 0.025));
    EXPECT_NEAR(flow.i, g * -60, 1e-13 * std::abs(g * 60));
    EXPECT_NEAR(flow.g, g, 1e-13 * g);
    Expsyn::advance(x.x, x.at(-60, 0.025 * (step + 1), 0.025));
    g *= std::exp(-0.025 / 2);
  }
  EXPECT_GT(g, 0);
}

/// A unit event's conductance is factor·(e^(-t/tau2) - e^(-t/tau1)), whose peak is the weight.
TEST(EmittedSynapse, Exp2synPeaksAtItsWeight) {
  constexpr double rise = 0.5, fall = 4, weight = 0.003, dt = 0.025;
  const double peak_time = rise * fall / (fall - rise) * std::log(fall / rise);
  const auto shape = [&](double t) { return std::exp(-t / fall) - std::exp(-t / rise); };
  Instance<Exp2syn, double> x;
  x.set("tau1", rise);
  x.set("tau2", fall);
  Exp2syn::initialise(x.x, x.at(-65, 0, dt));
  receive(x, weight, 0);
  for (int step = 0; step < 300; ++step) {
    const auto flow = Exp2syn::current(x.x, x.at(-60, dt * step, dt));
    const double g = weight * shape(dt * step) / shape(peak_time);
    EXPECT_NEAR(flow.g, g, 1e-12 * weight);
    EXPECT_NEAR(flow.i, -60 * g, 60 * 1e-12 * weight);
    Exp2syn::advance(x.x, x.at(-60, dt * (step + 1), dt));
  }
}

/// Equal time constants: the rise is made a little faster, and nothing is divided by 0.
TEST(EmittedSynapse, Exp2synWithEqualTimesIsFinite) {
  Instance<Exp2syn, double> x;
  x.set("tau1", 3);
  x.set("tau2", 3);
  Exp2syn::initialise(x.x, x.at(-65, 0, 0.025));
  EXPECT_EQ(x.get("tau1"), 0.9999 * 3);
  receive(x, 1, 0);
  for (int step = 0; step < 120; ++step) Exp2syn::advance(x.x, x.at(-60, 0, 0.025));
  EXPECT_NEAR(Exp2syn::current(x.x, x.at(-60, 3, 0.025)).g, 1, 1e-4);  // near its peak at 3 ms
}

TYPED_TEST(Emitted, ACurrentElectrodeKeepsItsTimes) {
  Instance<Iclamp, TypeParam> x;
  const std::pair<const char*, double> values[] = {{"amplitude", 2}, {"start", 10}, {"duration", 3},
                                                   {"period", 20},   {"count", 3},  {"slope", 0.5}};
  for (const auto& [name, value] : values) x.set(name, value);
  Iclamp::initialise(x.x, x.at(-65, 0, 0.025));
  const auto at = [&](double time) {
    return first_lane(Iclamp::current(x.x, x.at(-65, time, 0.025)).i);
  };
  EXPECT_EQ(at(9.99), 0);
  EXPECT_EQ(at(10), 2);
  EXPECT_EQ(at(12), 3);
  EXPECT_EQ(at(13), 0);
  EXPECT_EQ(at(30), 2);
  EXPECT_EQ(at(51), 2.5);
  EXPECT_EQ(at(70), 0);  // a fourth
}

TYPED_TEST(Emitted, AVoltageClampReportsTheCurrentAtTheEndOfTheStep) {
  Instance<Seclamp, TypeParam> x;
  const std::pair<const char*, double> values[] = {{"level", -10}, {"rs", 0.5}, {"stop", 5}};
  for (const auto& [name, value] : values) x.set(name, value);
  Seclamp::initialise(x.x, x.at(-65, 0, 0.025));
  EXPECT_EQ(x.get("i"), 110);
  const auto flow = Seclamp::current(x.x, x.at(-65, 0.0125, 0.025));
  EXPECT_EQ(first_lane(flow.i), 110);
  EXPECT_EQ(first_lane(flow.g), -2);
  Seclamp::advance(x.x, x.at(-20, 0.025, 0.025));
  EXPECT_EQ(x.get("i"), 20);
  EXPECT_EQ(first_lane(Seclamp::current(x.x, x.at(-65, 5.0, 0.025)).i), 0);
}

TEST(Emitted, SaysWhatIsLinearAndWhatIsConstant) {
  EXPECT_TRUE(Expsyn::info.is_linear && Exp2syn::info.is_linear);
  EXPECT_FALSE(Seclamp::info.is_linear || Iclamp::info.is_linear || Hh::info.is_linear);
  EXPECT_TRUE(Pas::info.is_constant);
  EXPECT_FALSE(Hh::info.is_constant || Km::info.is_constant);
}

TEST(Emitted, SaysWhatSendsEvents) {
  EXPECT_TRUE(Intfire::info.sends_events);
  EXPECT_FALSE(Expsyn::info.sends_events || Tmsyn::info.sends_events || Hh::info.sends_events);
}

/// The derivative is exact: it agrees with a central difference, whose error is about 1e-9 of it.
TYPED_TEST(Emitted, ACurrentThatIsNotLinearInVHasItsExactSlope) {
  for (double v = -90; v <= 40; v += 9.1) {
    Instance<Nmda, TypeParam> synapse;
    Nmda::initialise(synapse.x, synapse.at(v, 0, 0.025));
    synapse.set("A", 0.001);
    synapse.set("B", 0.003);
    const auto at = [&](double where) {
      return Nmda::current(synapse.x, synapse.at(where, 0, 0.025));
    };
    const double h = 1e-4;
    const double slope = (first_lane(at(v + h).i) - first_lane(at(v - h).i)) / (2 * h);
    EXPECT_NEAR(first_lane(at(v).g), slope, 1e-7 * std::abs(slope) + 1e-12) << v;
  }
}

/// Two states with a known relaxation, by each method: backward Euler divides by 1 + k·dt exactly
/// (Newton rests at 1e-9 of the state), Euler multiplies by 1 - k·dt, cnexp by exp(-k·dt), Runge
/// and Kutta by the exponential's first five terms. Of a cubic in time their integral is exact.
TYPED_TEST(Emitted, MethodsTakeTheStepTheyAreKnownFor) {
  constexpr double k = 0.8, dt = 0.1;
  Instance<MethodsTest, TypeParam> x;
  MethodsTest::initialise(x.x, x.at(-65, 0, dt));
  double exact = 1, forward = 1, backward = 1, fourth = 1, integral = 0;
  const double z = -k * dt;
  for (int step = 0; step < 30; ++step) {
    const double t = step * dt;
    MethodsTest::advance(x.x, x.at(-65, t, dt));
    exact *= std::exp(-k * dt);
    forward *= 1 - k * dt;
    backward /= 1 + k * dt;
    fourth *= 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
    integral += std::pow(t + dt, 4) - std::pow(t, 4);
    EXPECT_NEAR(x.get("by_runge"), fourth, 1e-14);
    EXPECT_NEAR(x.get("by_default"), fourth, 1e-14);
    EXPECT_NEAR(x.get("along_time"), integral, 1e-12);
    EXPECT_NEAR(x.get("by_cnexp"), exact, 1e-13);
    EXPECT_NEAR(x.get("by_euler"), forward, 1e-13);
    EXPECT_NEAR(x.get("by_implicit"), backward, 1e-9);
    // x' = -x², backward: dt·x² + x - old = 0.
    EXPECT_NEAR(dt * x.get("squared") * x.get("squared") + x.get("squared"),
                x.get("squared_before"), 1e-9);
  }
}

/// Where a TABLE's values are 0/0, INITIAL takes the line between the table's points, as NEURON
/// does everywhere; elsewhere they are exact.
TYPED_TEST(Emitted, ATableHelpsOverPointsWithoutAValue) {
  const auto rate = [](double v) { return (v + 65) / (1 - std::exp(-(v + 65) / 10)); };
  const auto value = [](double v) { return (v + 65) / (std::exp((v + 65) / 10) - 1); };
  const auto between = [](const auto& f) {
    constexpr double step = 200. / 7, below = -100 + step, part = (-65 - below) / step;
    return f(below) + part * (f(below + step) - f(below));
  };
  Instance<SingularTest, TypeParam> x;
  SingularTest::initialise(x.x, x.at(-65, 0, 0.025));
  EXPECT_NEAR(x.get("rate"), between(rate), 1e-12);
  EXPECT_NEAR(x.get("other"), between(value), 1e-12);
  EXPECT_NEAR(x.get("beside"), 2 * rate(100), 1e-10);
  SingularTest::initialise(x.x, x.at(-64, 0, 0.025));
  EXPECT_NEAR(x.get("rate"), rate(-64), 1e-12);
  EXPECT_NEAR(x.get("other"), value(-64), 1e-12);
  EXPECT_NEAR(x.get("beside"), 2 * rate(-64), 1e-12);
  SingularTest::advance(x.x, x.at(-60, 0, 0.025));
  EXPECT_NEAR(x.get("rate"), rate(-60), 1e-12);
}

/// A two-state scheme with a conserved sum, a state that exchanges with a constant, and their
/// steady states.
TYPED_TEST(Emitted, KineticsConserveAndRestWhereTheyShould) {
  Instance<KineticTest, TypeParam> x;
  KineticTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_NEAR(x.get("open"), 0.3 / (0.3 + 0.2), 1e-8);
  EXPECT_NEAR(x.get("open") + x.get("closed"), 1, 1e-12);
  EXPECT_NEAR(x.get("wet"), 0.5 * 0.4 / 0.3, 1e-8);
  x.set("open", 0);
  x.set("closed", 1);
  x.set("wet", 0);
  double open = 0, wet = 0;
  for (int step = 0; step < 50; ++step) {
    KineticTest::advance(x.x, x.at(-65, 0, 0.1));
    open = (open + 0.1 * 0.3) / (1 + 0.1 * (0.3 + 0.2));
    wet = (wet + 0.1 * 0.5 * 0.4) / (1 + 0.1 * 0.3);
    EXPECT_NEAR(x.get("open"), open, 1e-12);
    EXPECT_NEAR(x.get("wet"), wet, 1e-12);
    EXPECT_NEAR(x.get("open") + x.get("closed"), 1, 1e-12);
  }
}

TYPED_TEST(Emitted, StatementsDoWhatTheySay) {
  for (const double v : {-70.0, -40.0, 10.0}) {
    Instance<StatementsTest, TypeParam> x;
    StatementsTest::initialise(x.x, x.at(v, 0, 0.1));
    EXPECT_EQ(x.get("which"), v < -60 ? 1 : v < 0 ? 2 : 3);
    EXPECT_EQ(x.get("sum"), 1 + 4 + 9 + 16);
    EXPECT_EQ(x.get("halvings"), 7);  // 100 is halved seven times until it is below 1
    EXPECT_NEAR(x.get("power"), std::pow(2.5, 3) + std::pow(2.5, 1.5) + std::pow(-2.0, 3), 1e-12);
    EXPECT_EQ(x.get("logic"), (v > -60 && !(v > 0)) || v == 10 ? 1 : 0);
    EXPECT_EQ(x.get("table[0]"), 2);
    EXPECT_EQ(x.get("table[1]"), 4);
    EXPECT_EQ(x.get("table[2]"), 6);
    EXPECT_NEAR(x.get("functions"),
                std::sqrt(2.0) + std::sin(0.5) + std::cos(0.5) + std::tanh(0.3) + std::floor(-1.5) +
                    std::ceil(1.2) + std::fmod(7.5, 2.0) + std::log10(50.0) + std::fabs(-3.0),
                1e-12);
  }
}

TEST(Emitted, NamesUnitsAndLimitsComeFromTheFile) {
  EXPECT_STREQ(Hh::info.name, "hh");
  EXPECT_EQ(Hh::info.parameters, 4);
  EXPECT_EQ(Hh::info.shared, 2);
  EXPECT_EQ(Hh::info.states, 3);
  EXPECT_STREQ(Hh::info.variables[0].unit, "S/cm2");
  EXPECT_EQ(Hh::info.variables[0].minimum, 0);
  EXPECT_TRUE(Expsyn::info.is_point_process);
  EXPECT_TRUE(Expsyn::info.receives_events);
  EXPECT_STREQ(Expsyn::info.weight_unit, "uS");
}

}  // namespace
}  // namespace hillock::mechanisms
