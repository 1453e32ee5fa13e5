// Weights and delays that distributions draw: functions of seed, projection, source, target and k.

#include "network/drawn_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/errors/errors.hpp"
#include "network/connectivity.hpp"

namespace hillock::network {
namespace {

using models::Distribution;
using Kind = models::ConnectionRule::Kind;

Distribution distribution(Distribution::Kind kind, double first, double second) {
  return {kind, first, second, false, 0, 0};
}
Distribution truncated(Distribution of, double minimum, double maximum) {
  of.truncated = true;
  of.minimum = minimum;
  of.maximum = maximum;
  return of;
}

models::Network network_of(const models::Value& weight, const models::Value& delay_ms,
                           std::uint64_t size = 300) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 11;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, size, {}, {}});
  models::Projection p;
  p.from = p.to = {PopulationId(0), 0, size, {}};
  p.connect.kind = Kind::fixed_indegree;
  p.connect.number = 150;
  p.connect.multapses = models::Multapses::allowed;
  p.weight = weight;
  p.delay.base_ms = delay_ms;
  network.projections.push_back(p);
  return network;
}

const Distribution uniform = distribution(Distribution::Kind::uniform, 1, 3);
const Distribution normal = distribution(Distribution::Kind::normal, 20, 2);
const Distribution lognormal = distribution(Distribution::Kind::lognormal, -3, 0.5);
const Distribution few = truncated(distribution(Distribution::Kind::normal, 1, 1), 1.5, 2);

std::vector<Distribution> all_distributions() {
  return {uniform, normal, truncated(lognormal, -4, -2), few};
}

TEST(DrawnValues, OfATargetAreThoseOfItsConnectionsOneByOne) {
  for (const Distribution& weight : all_distributions())
    for (const Distribution& delay : {uniform, normal, few}) {
      const auto network = network_of({weight, {}}, {delay, {}});
      const Connector connector(network, 0);
      Connector::Scratch scratch;
      std::size_t repeated = 0;
      for (std::uint64_t t = 0; t < 300; t += 37) {
        const TargetConnections made = connector.connect(t, scratch);
        ASSERT_EQ(made.size(), 150u);
        for (std::size_t i = 0; i < made.size(); ++i) {
          const Connection block = made[i];
          const Connection one = connector.draws().connection(block.source, t, block.k);
          ASSERT_EQ(block.weight, one.weight);
          ASSERT_EQ(block.delay_ms, one.delay_ms);
          repeated += block.k > 0;
        }
      }
      EXPECT_GT(repeated, 0u);
    }
}

TEST(DrawnValues, AreWhatADeviceDraws) {
  for (const Distribution& weight : all_distributions())
    for (const Distribution& delay : {uniform, few}) {
      const auto network = network_of({weight, {}}, {delay, {}});
      const DrawnValues drawn(network.run.seed, 0, network.projections[0]);
      const std::uint32_t sources[] = {0, 7, 7, 4000000000u}, k[] = {0, 0, 1, 2};
      double weights[4], delays[4];
      drawn.draw(9, sources, k, weights, delays);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(weights[i], drawn_value(drawn.weight()->shape, sources[i], 9, k[i],
                                          drawn.weight()->key, drawn.weight()->is_second));
        EXPECT_EQ(delays[i], drawn_value(drawn.delay()->shape, sources[i], 9, k[i],
                                         drawn.delay()->key, drawn.delay()->is_second));
      }
    }
}

// A distribution in the place of the other value, or a constant, changes nothing here but which of
// two keys the delay has.
TEST(DrawnValues, OfOneKindDoNotDependOnTheOther) {
  const auto weights_of = [](const models::Value& delay) {
    std::vector<double> weights;
    for (const Connection& c : connect(network_of({normal, {}}, delay, 200), 0))
      weights.push_back(c.weight);
    return weights;
  };
  const auto alone = weights_of(1.0);
  EXPECT_EQ(weights_of({uniform, {}}), alone);
  EXPECT_EQ(weights_of({normal, {}}), alone);
  EXPECT_EQ(weights_of({few, {}}), alone);
}

TEST(DrawnValues, EveryPartOfTheKeyMatters) {
  std::set<double> first;
  auto network = network_of({uniform, {}}, 1.0);
  const auto draw = [&](std::size_t number, std::uint32_t source, std::uint32_t target,
                        std::uint32_t k) {
    const DrawnValues drawn(network.run.seed, number, network.projections[0]);
    double weight = 0, delay = 0;
    drawn.draw(target, {&source, 1}, {&k, 1}, &weight, &delay);
    first.insert(weight);
  };
  draw(0, 1, 2, 0);
  draw(1, 1, 2, 0);
  draw(0, 2, 2, 0);
  draw(0, 1, 3, 0);
  draw(0, 1, 2, 1);
  network.run.seed = 12;
  draw(0, 1, 2, 0);
  EXPECT_EQ(first.size(), 6u);
}

// Statistical: 45,000 connections, fixed seed; five standard errors of each moment.
TEST(DrawnValues, HaveTheirDistributionsAndAreIndependent) {
  const double n = 45000;
  const auto moments = [&](const Distribution& weight, const Distribution& delay) {
    std::array<double, 5> sums{};
    for (const Connection& c : connect(network_of({weight, {}}, {delay, {}}), 0)) {
      sums[0] += c.weight / n;
      sums[1] += c.weight * c.weight / n;
      sums[2] += c.delay_ms / n;
      sums[3] += c.delay_ms * c.delay_ms / n;
      sums[4] += c.weight * c.delay_ms / n;
    }
    return sums;
  };
  const auto expect = [&](const std::array<double, 5>& sums, double mean_w, double sd_w,
                          double mean_d, double sd_d) {
    EXPECT_NEAR(sums[0], mean_w, 5 * sd_w / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(sums[1] - sums[0] * sums[0]), sd_w, 0.03 * sd_w);
    EXPECT_NEAR(sums[2], mean_d, 5 * sd_d / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(sums[3] - sums[2] * sums[2]), sd_d, 0.03 * sd_d);
    EXPECT_NEAR(sums[4] - sums[0] * sums[2], 0, 5 * sd_w * sd_d / std::sqrt(n));
  };
  const double of_uniform = std::sqrt(4.0 / 12);
  expect(moments(uniform, uniform), 2, of_uniform, 2, of_uniform);
  expect(moments(normal, normal), 20, 2, 20, 2);
  expect(moments(lognormal, normal), -3, 1.5, 20, 2);
  expect(moments(normal, uniform), 20, 2, 2, of_uniform);
  // Of a normal one of mean 1 and sd 1 between 1.5 and 2: mean 1.7345, sd 0.1432.
  expect(moments(normal, few), 20, 2, 1.7345, 0.1432);
}

TEST(DrawnValues, StayWithinWhatTheyAreTruncatedTo) {
  for (const Connection& c :
       connect(network_of({truncated(lognormal, -4, -2), {}}, {few, {}}), 0)) {
    ASSERT_GE(c.weight, -4);
    ASSERT_LE(c.weight, -2);
    ASSERT_GE(c.delay_ms, 1.5);
    ASSERT_LE(c.delay_ms, 2);
  }
}

TEST(DrawnValues, ThatCannotBeAreErrors) {
  const auto never = truncated(distribution(Distribution::Kind::uniform, 0, 1), 2, 3);
  EXPECT_THROW(connect(network_of({never, {}}, 1.0), 0), Error);
  const auto negative = distribution(Distribution::Kind::uniform, -1, 1);
  auto network = network_of({uniform, {}}, {negative, {}});
  network.projections[0].delay.place = {"model.yaml", 7, 3};
  try {
    connect(network, 0);
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the delay of a["));
    EXPECT_THAT(error.what(), testing::HasSubstr("it must be at least dt"));
  }
  auto bounded = network_of({uniform, {}}, 1.0);
  Limits limits;
  limits.maximum = 2;
  bounded.projections[0].weight.keep_within({limits, "projections[0].weight"});
  try {
    connect(bounded, 0);
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("projections[0].weight: the draw"));
    EXPECT_THAT(error.what(), testing::HasSubstr("for a["));
  }
}

}  // namespace
}  // namespace hillock::network
