// Evaluators emitted from .mod files, compiled by the build (tests/CMakeLists.txt), against the
// hand-written ones and against solutions known in closed form. One body for doubles and packs.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "emitted/Exp2synMod.hpp"
#include "emitted/ExpsynMod.hpp"
#include "emitted/HhMod.hpp"
#include "emitted/HhTraubMod.hpp"
#include "emitted/KineticTest.hpp"
#include "emitted/MethodsTest.hpp"
#include "emitted/PasMod.hpp"
#include "emitted/StatementsTest.hpp"
#include "emitted_instance.hpp"
#include "mechanisms/builtin/exp2syn.hpp"
#include "mechanisms/builtin/expsyn.hpp"
#include "mechanisms/builtin/hh.hpp"
#include "mechanisms/builtin/hh_traub.hpp"
#include "mechanisms/builtin/pas.hpp"
#include "mechanisms/emitted/nmda.hpp"

namespace hillock::mechanisms {
namespace {

/// Both evaluators from the same start through the same voltages: round-off only, 1e-12 relative.
template <class Ours, class Theirs, class V>
void expect_alike(const std::vector<std::string>& compared) {
  for (double v = -120; v <= 60; v += 7.3) {
    Instance<Ours, V> ours;
    Instance<Theirs, V> theirs;
    for (int c = 0; c < Theirs::info.parameters; ++c)
      theirs.set(Theirs::info.variables[c].name, ours.get(Theirs::info.variables[c].name));
    for (const char* reversal : {"ena", "ek"})
      if (theirs.has(reversal)) {
        ours.set(reversal, reversal[1] == 'n' ? 50 : -77);
        theirs.set(reversal, reversal[1] == 'n' ? 50 : -77);
      }
    Ours::initialise(ours.x, ours.at(v, 0, 0.025));
    Theirs::initialise(theirs.x, theirs.at(v, 0, 0.025));
    for (int step = 0; step < 20; ++step) {
      const double now = v + 11 * std::sin(0.7 * step), time = 0.025 * step;
      const auto i = Ours::current(ours.x, ours.at(now, time, 0.025));
      const auto j = Theirs::current(theirs.x, theirs.at(now, time, 0.025));
      // Currents of opposite signs cancel: round-off of what is summed, not of the sum.
      const double summed = std::abs(first_lane(j.i)) + 150 * std::abs(first_lane(j.g));
      EXPECT_NEAR(first_lane(i.i), first_lane(j.i), 1e-12 * summed) << v;
      EXPECT_NEAR(first_lane(i.g), first_lane(j.g), 1e-12 * std::abs(first_lane(j.g)) + 1e-20) << v;
      Ours::advance(ours.x, ours.at(now, time + 0.025, 0.025));
      Theirs::advance(theirs.x, theirs.at(now, time + 0.025, 0.025));
      for (const std::string& name : compared)
        EXPECT_NEAR(ours.get(name), theirs.get(name), 1e-12 * std::abs(theirs.get(name)) + 1e-300)
            << name << " at " << v << " mV";
    }
  }
}

TYPED_TEST(Emitted, PasIsTheHandWrittenOne) {
  expect_alike<PasMod, Pas, TypeParam>({});
}

TYPED_TEST(Emitted, HhIsTheHandWrittenOne) {
  expect_alike<HhMod, Hh, TypeParam>({"m", "h", "n", "ina", "ik"});
}

TYPED_TEST(Emitted, TraubAndMilesIsTheHandWrittenOne) {
  expect_alike<HhTraubMod, HhTraub, TypeParam>({"m", "h", "n"});
}

/// Synapses take events one lane at a time.
template <class Ours, class Theirs>
void expect_alike_with_events(const std::vector<std::string>& compared) {
  Instance<Ours, double> ours;
  Instance<Theirs, double> theirs;
  for (int c = 0; c < Theirs::info.parameters; ++c)
    theirs.set(Theirs::info.variables[c].name, ours.get(Theirs::info.variables[c].name));
  Ours::initialise(ours.x, ours.at(-65, 0, 0.025));
  Theirs::initialise(theirs.x, theirs.at(-65, 0, 0.025));
  for (int step = 0; step < 100; ++step) {
    if (step % 30 == 3) {
      double weight = 0.01 * step;
      Delivery event;
      event.arguments = &weight;
      Ours::receive(ours.x, {0, 0.025 * step, 0.025, 6.3}, event);
      Theirs::receive(theirs.x, {0, 0.025 * step, 0.025, 6.3}, event);
    }
    const auto i = Ours::current(ours.x, ours.at(-60, 0.025 * step, 0.025));
    const auto j = Theirs::current(theirs.x, theirs.at(-60, 0.025 * step, 0.025));
    EXPECT_NEAR(i.i, j.i, 1e-12 * std::abs(j.i));
    EXPECT_NEAR(i.g, j.g, 1e-12 * std::abs(j.g));
    Ours::advance(ours.x, ours.at(-60, 0.025 * (step + 1), 0.025));
    Theirs::advance(theirs.x, theirs.at(-60, 0.025 * (step + 1), 0.025));
    for (const std::string& name : compared)
      EXPECT_NEAR(ours.get(name), theirs.get(name), 1e-12 * std::abs(theirs.get(name)));
  }
  EXPECT_GT(ours.get(compared[0]), 0);
}

TEST(EmittedSynapse, ExpsynIsTheHandWrittenOne) {
  expect_alike_with_events<ExpsynMod, Expsyn>({"g"});
}

TEST(EmittedSynapse, Exp2synIsTheHandWrittenOne) {
  expect_alike_with_events<Exp2synMod, Exp2syn>({"A", "B"});
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
/// (Newton rests at 1e-9 of the state), Euler multiplies by 1 - k·dt, cnexp by exp(-k·dt).
TYPED_TEST(Emitted, MethodsTakeTheStepTheyAreKnownFor) {
  constexpr double k = 0.8, dt = 0.1;
  Instance<MethodsTest, TypeParam> x;
  MethodsTest::initialise(x.x, x.at(-65, 0, dt));
  double exact = 1, forward = 1, backward = 1;
  for (int step = 0; step < 30; ++step) {
    MethodsTest::advance(x.x, x.at(-65, 0, dt));
    exact *= std::exp(-k * dt);
    forward *= 1 - k * dt;
    backward /= 1 + k * dt;
    EXPECT_NEAR(x.get("by_cnexp"), exact, 1e-13);
    EXPECT_NEAR(x.get("by_euler"), forward, 1e-13);
    EXPECT_NEAR(x.get("by_implicit"), backward, 1e-9);
    // x' = -x², backward: dt·x² + x - old = 0.
    EXPECT_NEAR(dt * x.get("squared") * x.get("squared") + x.get("squared"),
                x.get("squared_before"), 1e-9);
  }
}

/// A two-state scheme with a conserved sum, and its steady state.
TYPED_TEST(Emitted, KineticsConserveAndRestWhereTheyShould) {
  Instance<KineticTest, TypeParam> x;
  KineticTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_NEAR(x.get("open"), 0.3 / (0.3 + 0.2), 1e-8);
  EXPECT_NEAR(x.get("open") + x.get("closed"), 1, 1e-12);
  x.set("open", 0);
  x.set("closed", 1);
  double open = 0;
  for (int step = 0; step < 50; ++step) {
    KineticTest::advance(x.x, x.at(-65, 0, 0.1));
    open = (open + 0.1 * 0.3) / (1 + 0.1 * (0.3 + 0.2));
    EXPECT_NEAR(x.get("open"), open, 1e-12);
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
  EXPECT_STREQ(HhMod::info.name, "hh");
  EXPECT_EQ(HhMod::info.parameters, 4);
  EXPECT_EQ(HhMod::info.places, 2);
  EXPECT_EQ(HhMod::info.states, 3);
  EXPECT_STREQ(HhMod::info.variables[0].unit, "S/cm2");
  EXPECT_EQ(HhMod::info.variables[0].minimum, 0);
  EXPECT_TRUE(ExpsynMod::info.is_point_process);
  EXPECT_TRUE(ExpsynMod::info.receives_events);
  EXPECT_STREQ(ExpsynMod::info.weight_unit, "uS");
}

}  // namespace
}  // namespace hillock::mechanisms
