// The order of implicit methods in dt, with whole implicit steps and with half implicit, half
// explicit ones, against solutions in closed form.

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "emitted/KineticTest.hpp"
#include "emitted/OrdersTest.hpp"
#include "emitted_instance.hpp"

namespace hillock::mechanisms {
namespace {

template <class V>
class EmittedOrder : public testing::Test {};
TYPED_TEST_SUITE(EmittedOrder, Values);

enum class Scheme { backward_euler, crank_nicolson };

template <class V>
Instant<V> instant(double time_ms, double dt_ms, Scheme scheme) {
  return {V{} - 65, time_ms, dt_ms, 6.3, scheme == Scheme::crank_nicolson ? dt_ms / 2 : dt_ms};
}

constexpr double k = 0.8, end_ms = 1, tau = 4, rest = 0.1;
constexpr double amplitude = 0.3, omega = 1.7;  // of the current into the pool

using States = std::map<std::string, double>;

/// closed <-> open <-> blocked, by the series of the matrix exponential.
std::array<double, 3> channel(double t) {
  std::array<double, 3> x{1, 0, 0}, term = x;
  for (int n = 1; n < 60; ++n) {
    const double first = 0.3 * term[0] - 0.2 * term[1], second = 0.1 * term[1] - 0.4 * term[2];
    term = {-first * t / n, (first - second) * t / n, second * t / n};
    for (std::size_t s = 0; s < 3; ++s) x[s] += term[s];
  }
  return x;
}

States exact() {
  const double t = end_ms, a = 1 / tau;
  const auto gate = channel(t);
  const double left = 1. / 7 + 6. / 7 * std::exp(-0.7 * t);
  const double pool =
      -amplitude / (a * a + omega * omega) *
      (a * std::sin(omega * t) - omega * std::cos(omega * t) + omega * std::exp(-a * t));
  return {{"linear", std::exp(-k * t)},
          {"squared", 1 / (1 + t)},
          {"upper", std::cos(k * t)},
          {"lower", std::sin(k * t)},
          {"closed", gate[0]},
          {"open", gate[1]},
          {"blocked", gate[2]},
          {"left", left},
          {"right", (1 - left) / 3},
          {"pair", 1 / (1 + t)},
          {"chain[0]", std::exp(-k * t)},
          {"chain[1]", k * t * std::exp(-k * t)},
          {"chain[2]", 1 - (1 + k * t) * std::exp(-k * t)},
          {"catalyst", std::exp(-k * t)},
          {"substrate", std::exp(-2 / k * (1 - std::exp(-k * t)))},
          {"product", 1 - std::exp(-2 / k * (1 - std::exp(-k * t)))},
          {"forward", std::exp(-k * t)},
          {"cai", rest + pool}};
}

template <class V>
States errors(int steps, Scheme scheme) {
  Instance<OrdersTest, V> x;
  const double dt = end_ms / steps;
  x.set("cai", rest);
  OrdersTest::initialise(x.x, instant<V>(0, dt, scheme));
  for (int step = 0; step < steps; ++step) {
    x.set("ica", amplitude * std::sin(omega * (step + 0.5) * dt));
    OrdersTest::advance(x.x, instant<V>((step + 1) * dt, dt, scheme));
  }
  States result = exact();
  for (auto& [name, value] : result) value = std::abs(x.get(name) - value);
  return result;
}

TYPED_TEST(EmittedOrder, ImplicitMethodsAreOfSecondOrderWhereHalfTheStepIsExplicit) {
  for (const Scheme scheme : {Scheme::backward_euler, Scheme::crank_nicolson}) {
    // Discretisation: C·dt^p, at dt of 0.01, 0.005 and 0.0025 ms.
    const std::array<States, 3> found{errors<TypeParam>(100, scheme),
                                      errors<TypeParam>(200, scheme),
                                      errors<TypeParam>(400, scheme)};
    for (const auto& [name, value] : found[0]) {
      const double expected = scheme == Scheme::crank_nicolson && name != "forward" ? 2 : 1;
      for (std::size_t halving = 0; halving < 2; ++halving)
        EXPECT_NEAR(std::log2(found[halving].at(name) / found[halving + 1].at(name)), expected, 0.1)
            << name << ' ' << value;
    }
  }
}

TYPED_TEST(EmittedOrder, TheExplicitHalfGoesOnFromTheImplicitOne) {
  Instance<OrdersTest, TypeParam> x;
  const double dt = 0.1;
  OrdersTest::initialise(x.x, instant<TypeParam>(0, dt, Scheme::crank_nicolson));
  OrdersTest::advance(x.x, instant<TypeParam>(dt, dt, Scheme::crank_nicolson));
  // Round-off. Half a step of backward Euler takes 1 to 1/(1 + k·dt/2); what the block computes
  // from the state is that of the middle.
  const double middle = 1 / (1 + k * dt / 2);
  EXPECT_NEAR(x.get("linear"), 2 * middle - 1, 1e-15);
  EXPECT_NEAR(x.get("half"), middle / 2, 1e-15);
  EXPECT_EQ(x.get("dt_seen"), dt / 2);
  EXPECT_NEAR(x.get("closed") + x.get("open") + x.get("blocked"), 1, 1e-15);
  EXPECT_NEAR(x.get("left") + 3 * x.get("right"), 1, 1e-15);
}

// As in NEURON: one linear solve a step.
TYPED_TEST(EmittedOrder, RatesThatStatesSetAreThoseOfTheStepsBeginningWhereAllOfItIsImplicit) {
  Instance<OrdersTest, TypeParam> x;
  const double dt = 0.1;
  OrdersTest::initialise(x.x, instant<TypeParam>(0, dt, Scheme::backward_euler));
  OrdersTest::advance(x.x, instant<TypeParam>(dt, dt, Scheme::backward_euler));
  EXPECT_NEAR(x.get("substrate"), 1 / (1 + 2 * dt), 1e-15);
  EXPECT_NEAR(x.get("rate"), 2 / (1 + k * dt), 1e-15);  // of the step's end, for others to read
}

TYPED_TEST(EmittedOrder, ASteadyStateIsTheSameUnderBothIntegrators) {
  Instance<KineticTest, TypeParam> whole, half;
  KineticTest::initialise(whole.x, instant<TypeParam>(0, 0.1, Scheme::backward_euler));
  KineticTest::initialise(half.x, instant<TypeParam>(0, 0.1, Scheme::crank_nicolson));
  EXPECT_EQ(whole.get("open"), half.get("open"));
  EXPECT_NEAR(half.get("open"), 0.6, 2e-9);  // 1/(rates · 1e9 ms), of a step of 1e9 ms
}

}  // namespace
}  // namespace hillock::mechanisms
