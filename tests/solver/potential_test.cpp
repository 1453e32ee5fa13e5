// Potentials of currents, against integrals over their sources and their contacts.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/random/random.hpp"
#include "core/simd/exact_sum.hpp"
#include "solver/potential/current_sources.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver {
namespace {

using Method = models::Potential::Method;

models::Potential at(const Vector3& place, const Vector3& conductivity, Method method) {
  models::Potential potential;
  potential.contacts = {{place}};
  potential.conductivity_S_per_m = conductivity;
  potential.method = method;
  return potential;
}

Vector3 drawn(RandomStream& draws, double size) {
  Vector3 place;
  for (double& axis : place) axis = size * (2 * draws.uniform() - 1);
  return place;
}

/// 1/(4 pi |w q|), w times a distance q: one over the conductivity is in it.
double of_point(const Vector3& conductivity, const Vector3& from, const Vector3& to) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    sum += conductivity[(axis + 1) % 3] * conductivity[(axis + 2) % 3] *
           std::pow(to[axis] - from[axis], 2);
  return 1 / (4 * std::numbers::pi * std::sqrt(sum));
}

/// The mean over a line, by Gauss's three places on many pieces.
double of_line(const Vector3& conductivity, const CurrentSource& source, const Vector3& to) {
  constexpr int pieces = 4000;
  constexpr double places[] = {-0.7745966692414834, 0, 0.7745966692414834};
  constexpr double weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0;
  for (int i = 0; i < pieces; ++i)
    for (int k = 0; k < 3; ++k) {
      const double along = (i + 0.5 + 0.5 * places[k]) / pieces;
      Vector3 from;
      for (std::size_t axis = 0; axis < 3; ++axis)
        from[axis] = source.begin_um[axis] + along * (source.end_um[axis] - source.begin_um[axis]);
      sum += weights[k] * of_point(conductivity, from, to) / pieces;
    }
  return sum;
}

TEST(Potential, ALineIsItsPointsTogether) {
  RandomStream draws(1, Purpose::location, {});
  for (int i = 0; i < 300; ++i) {
    const CurrentSource source{drawn(draws, 50), drawn(draws, 50), 0.01, false};
    const Vector3 place = drawn(draws, i % 3 == 0 ? 40 : 400);
    const double sigma = 0.1 + draws.uniform();
    Vector3 conductivity{sigma, sigma, sigma};
    if (i % 2 == 1) conductivity = {sigma, 0.1 + draws.uniform(), 0.1 + draws.uniform()};
    const double expected = of_line(conductivity, source, place);
    const PotentialMap map(at(place, conductivity, Method::line));
    EXPECT_NEAR(map.of(source)[0] / expected, 1, 1e-10) << i;
    const PotentialMap of_points(at(place, conductivity, Method::point));
    Vector3 middle;
    for (std::size_t axis = 0; axis < 3; ++axis)
      middle[axis] = 0.5 * (source.begin_um[axis] + source.end_um[axis]);
    EXPECT_NEAR(of_points.of(source)[0] / of_point(conductivity, middle, place), 1, 1e-13);
  }
}

TEST(Potential, SomataAreLinesOrPoints) {
  const Vector3 sigma{0.3, 0.3, 0.3};
  CurrentSource source{{0, 0, 0}, {20, 0, 0}, 10, true};
  const Vector3 place{30, 5, 0};
  const double line = PotentialMap(at(place, sigma, Method::line)).of(source)[0];
  const double point = PotentialMap(at(place, sigma, Method::point)).of(source)[0];
  EXPECT_NE(line, point);
  EXPECT_EQ(PotentialMap(at(place, sigma, Method::soma_as_point)).of(source)[0], point);
  source.is_soma = false;
  EXPECT_EQ(PotentialMap(at(place, sigma, Method::soma_as_point)).of(source)[0], line);
}

TEST(Potential, AContactInASourceIsAtItsSurface) {
  const CurrentSource source{{0, 0, 0}, {20, 0, 0}, 2, false};
  const Vector3 alike{0.3, 0.3, 0.3}, unlike{0.3, 0.2, 0.4};
  for (const Method method : {Method::line, Method::point}) {
    for (const Vector3& sigma : {alike, unlike}) {
      const auto of = [&](const Vector3& place) {
        return PotentialMap(at(place, sigma, method)).of(source)[0];
      };
      EXPECT_TRUE(std::isfinite(of({10, 0, 0})));
      EXPECT_NEAR(of({10, 1, 0}) / of({10, 2, 0}), 1, 1e-14);
      EXPECT_NEAR(of({10, 0, 0.5}) / of({10, 0, 2}), 1, 1e-14);
      EXPECT_GT(of({10, 2, 0}), of({10, 2.1, 0}));
    }
  }
  const CurrentSource point{{1, 2, 3}, {1, 2, 3}, 2, false};
  EXPECT_NEAR(PotentialMap(at({1, 2, 3}, alike, Method::line)).of(point)[0],
              1 / (4 * std::numbers::pi * 0.3 * 2), 1e-15);
}

TEST(Potential, APlaneAddsAMirrorImage) {
  const CurrentSource source{{0, 0, 30}, {20, 5, 50}, 1, false};
  const CurrentSource image{{0, 0, -30}, {20, 5, -50}, 1, false};
  models::Potential potential = at({40, 10, 0}, {0.3, 0.3, 0.3}, Method::line);
  const double alone = PotentialMap(potential).of(source)[0];
  potential.plane = {2, 0, 0};
  EXPECT_NEAR(PotentialMap(potential).of(source)[0], 2 * alone, 1e-15);  // glass below
  potential.plane->conductivity_S_per_m = 0.3;
  EXPECT_EQ(PotentialMap(potential).of(source)[0], alone);
  potential.contacts[0].at_um[2] = 7;
  potential.plane->conductivity_S_per_m = 1.5;
  const PotentialMap map(potential);
  potential.plane.reset();
  const PotentialMap whole(potential);
  EXPECT_NEAR(map.of(source)[0], whole.of(source)[0] - 1.2 / 1.8 * whole.of(image)[0], 1e-15);
  EXPECT_FALSE(map.is_beyond_plane(source));
  EXPECT_TRUE(map.is_beyond_plane(image));
  EXPECT_TRUE(map.is_beyond_plane({{0, 0, 1}, {0, 0, -1}, 1, false}));
}

TEST(Potential, ADiscHasTheMeanOfItsArea) {
  const Vector3 sigma{0.3, 0.3, 0.3};
  const CurrentSource source{{0, 0, 0}, {0, 0, 0}, 0.1, false};
  models::Potential potential = at({3, -2, 20}, sigma, Method::point);
  const double middle = PotentialMap(potential).of(source)[0];
  potential.contacts[0].radius_um = 10;
  potential.contacts[0].normal = {0.6, 0, 0.8};
  // Rings of like area, by Gauss's rule of many pieces.
  double expected = 0;
  constexpr int rings = 400, angles = 400;
  for (int ring = 0; ring < rings; ++ring)
    for (int a = 0; a < angles; ++a) {
      const double r = 10 * std::sqrt((ring + 0.5) / rings);
      const double x = r * std::cos(2 * std::numbers::pi * a / angles),
                   y = r * std::sin(2 * std::numbers::pi * a / angles);
      expected += of_point(sigma, {0, 0, 0}, {3 + 0.8 * x, -2 + y, 20 - 0.6 * x}) / rings / angles;
    }
  const PotentialMap map(potential);
  const double mean = map.of(source)[0];
  EXPECT_GT(std::abs(mean / middle - 1), 1e-3);
  EXPECT_NEAR(mean / expected, 1, 1e-5);
  for (const Vector3& point : map.points_of(0)) {
    EXPECT_LT(std::hypot(point[0] - 3, point[1] + 2, point[2] - 20), 10);
    EXPECT_NEAR(0.6 * (point[0] - 3) + 0.8 * (point[2] - 20), 0, 1e-12);
  }
}

TEST(ExactSum, DoesNotKnowAnOrder) {
  RandomStream draws(2, Purpose::location, {});
  std::vector<double> numbers;
  for (int i = 0; i < 10'000; ++i)
    numbers.push_back((draws.uniform() - 0.5) * std::pow(10, 8 * draws.uniform() - 12));
  const auto sum_of = [](std::span<const double> some) {
    std::vector<double> parts(ExactSum::parts);
    for (const double number : some)
      ExactSum::add(number, [&](std::size_t part, double value) { parts[part] += value; });
    return parts;
  };
  const std::vector<double> all = sum_of(numbers);
  long double exact = 0;
  for (const double number : numbers) exact += number;
  EXPECT_NEAR(ExactSum::value(std::span<const double, ExactSum::parts>(all)),
              static_cast<double>(exact), 1e-15 * std::abs(static_cast<double>(exact)));
  const std::vector<double> backwards(numbers.rbegin(), numbers.rend());
  EXPECT_EQ(sum_of(backwards), all);
  std::vector<double> joined = sum_of(std::span(numbers).first(1234));
  const std::vector<double> rest = sum_of(std::span(numbers).subspan(1234));
  for (std::size_t part = 0; part < joined.size(); ++part) joined[part] += rest[part];
  EXPECT_EQ(joined, all);
}

/// One cell's potentials at 19 contacts and 13 samples, by plain numbers.
TEST(Potential, AProductIsOneChainOnEveryMachine) {
  constexpr std::size_t sources = 77, contacts = 19, samples = 13, first = 5;
  RandomStream draws(3, Purpose::location, {});
  PotentialArray map(map_size(sources, contacts));
  for (std::size_t s = 0; s < sources; ++s)
    for (std::size_t c = 0; c < contacts; ++c) map[place_in_map(s, c, sources)] = draws.uniform();
  std::vector<std::vector<double>> currents(samples);
  std::vector<const double*> rows;
  for (std::vector<double>& some : currents) {
    for (std::size_t s = 0; s < first + sources; ++s) some.push_back(draws.uniform() - 0.5);
    rows.push_back(some.data());
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (isa > active_isa()) continue;
    PotentialArray sums(samples * sums_size(contacts));
    PotentialArray work(work_size(samples, contact_blocks(contacts)));
    for (int times = 0; times < 2; ++times)
      add_potentials(isa)({.map = map.data(),
                           .sources = sources,
                           .blocks = contact_blocks(contacts),
                           .currents = rows.data(),
                           .first = first,
                           .samples = samples,
                           .work = work.data(),
                           .sums = sums.data()});
    for (std::size_t sample = 0; sample < samples; ++sample)
      for (std::size_t c = 0; c < contacts; ++c) {
        double chain = 0;
        for (std::size_t s = 0; s < sources; ++s)
          chain = std::fma(map[place_in_map(s, c, sources)], currents[sample][first + s], chain);
        double parts[ExactSum::parts];
        for (std::size_t part = 0; part < ExactSum::parts; ++part)
          parts[part] = sums[sample * sums_size(contacts) + place_in_sums(part, c)];
        EXPECT_EQ(ExactSum::value(parts), 2 * chain);
      }
  }
}

}  // namespace
}  // namespace hillock::solver
