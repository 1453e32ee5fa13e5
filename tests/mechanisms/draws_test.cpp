// Random numbers of emitted evaluators: the words against Random123, the distributions by their
// moments, and that a draw depends on nothing but its stream, source and count.

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "emitted/NoiseTest.hpp"
#include "emitted_instance.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace hillock::mechanisms {
namespace {

TEST(Draws, AreWordsOfPhiloxKeyedByStreamSourceAndCount) {
  for (unsigned k = 0; k < 1000; ++k) {
    const unsigned long long stream = (0x9e3779b97f4a7c15ull * k) >> 11,
                             count = 0x1fffffffffffffull - 7919 * k;
    const unsigned source = k * 2654435761u;
    const r123::Philox4x32::ctr_type expected = r123::Philox4x32{}(
        {{static_cast<unsigned>(count), static_cast<unsigned>(count >> 32), source, k}},
        {{static_cast<unsigned>(stream), static_cast<unsigned>(stream >> 32)}});
    const auto words =
        draw_words(static_cast<double>(stream), source, static_cast<double>(count), k);
    for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(words.word[w], expected[w]) << k;
  }
}

/// What NEURON's Random gives with MCellRan4(high, low), with Random123(5, 6, 7) and a global index
/// of 9.
TEST(Draws, WordsOfOtherGeneratorsAreThoseOfNeuron) {
  EXPECT_EQ(word_of_ran4(2, 17), 3335500434);
  EXPECT_EQ(word_of_ran4(4, 17), 3372900491);
  EXPECT_EQ(word_of_ran4(0, 3), 4016039648);
  EXPECT_EQ(word_of_random123(9, 5, 6, 7, 6), 60094319);
  EXPECT_EQ(word_of_random123(9, 5, 6, 7, 8), 4211103713);
}

struct Moments {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double variance() const { return squares / count - mean() * mean(); }
};

/// Means to five standard errors; variances to a tenth or so, by the fourth moments.
TEST(Draws, DistributionsHaveTheirMoments) {
  Instance<NoiseTest, double> x;
  x.set("_stream", 12345);
  NoiseTest::initialise(x.x, x.at(-65, 0, 0.025));
  struct Expected {
    const char* name;
    double mean, variance;
  };
  const double top = std::pow(2.0, 32);
  const Expected expected[] = {{"flat", 0.5, 1.0 / 12},   {"normal", 3, 4},
                               {"waiting", 2, 4},         {"number", 3, 3},
                               {"own_normal", -1, .25},   {"own_waiting", 4, 16},
                               {"seldom", 15, 100 / 12.}, {"whole", top / 2, top * top / 12}};
  std::vector<Moments> found(std::size(expected));
  constexpr int draws = 20000;
  for (int step = 0; step < draws; ++step) {
    NoiseTest::advance(x.x, x.at(10, 0, 0.025));
    for (std::size_t k = 0; k < found.size(); ++k) found[k].add(x.get(expected[k].name));
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k].mean(), expected[k].mean, 5 * std::sqrt(expected[k].variance / draws))
        << expected[k].name;
    EXPECT_NEAR(found[k].variance() / expected[k].variance, 1, 0.1) << expected[k].name;
  }
}

TEST(Draws, OfAPoissonDistributionWithALargeMean) {
  for (const double mean : {0.0, 40.0, 3e5}) {
    Moments found;
    for (int k = 0; k < 4000; ++k) found.add(poisson_draw(3, 1, k, mean));
    EXPECT_NEAR(found.mean(), mean, 5 * std::sqrt(mean / 4000)) << mean;
    EXPECT_NEAR(found.variance(), mean, 0.15 * mean) << mean;
  }
}

/// Every lane draws what an instance alone with its stream draws, and a draw that a lane does not
/// reach does not count.
TEST(Draws, LanesDrawForThemselves) {
  Instance<NoiseTest, Pack4> together;
  const auto set = [](auto& pack, const char* name, std::vector<double> values) {
    Pack4 all;
    std::memcpy(&all, values.data(), sizeof all);
    pack.set_lanes(name, all);
  };
  set(together, "_stream", {1, 2, 3, 4});
  const double voltages[] = {-10, 10, -10, 10};
  Pack4 v;
  std::memcpy(&v, voltages, sizeof v);
  NoiseTest::initialise(together.x, {v, 0, 0.025, 6.3});
  for (int step = 0; step < 5; ++step) NoiseTest::advance(together.x, {v, 0, 0.025, 6.3});
  for (int lane = 0; lane < 4; ++lane) {
    Instance<NoiseTest, double> alone;
    alone.set("_stream", lane + 1);
    NoiseTest::initialise(alone.x, alone.at(voltages[lane], 0, 0.025));
    for (int step = 0; step < 5; ++step)
      NoiseTest::advance(alone.x, alone.at(voltages[lane], 0, 0.025));
    for (const char* name : {"flat", "normal", "number", "own", "own_normal", "seldom", "whole"})
      EXPECT_EQ(together.lane(name, lane), alone.get(name)) << name << " " << lane;
    EXPECT_EQ(alone.get("source"), 7 + 1 + 5 * (voltages[lane] > 0 ? 4 : 3));
  }
  EXPECT_NE(together.lane("flat", 0), together.lane("flat", 1));
}

TEST(Draws, ASequenceBeginsWhereTheFileSetsIt) {
  Instance<NoiseTest, double> a, b;
  b.set("first", 8);
  NoiseTest::initialise(a.x, a.at(-65, 0, 0.025));
  NoiseTest::initialise(b.x, b.at(-65, 0, 0.025));
  EXPECT_NE(a.get("own"), b.get("own"));
  a.set("first", 8);
  NoiseTest::initialise(a.x, a.at(-65, 0, 0.025));
  EXPECT_EQ(a.get("own"), b.get("own"));
}

/// In the order of the text, from where an instance's count stands; what a RANDOM draws is its own.
TEST(Draws, ARunMayBeGivenThem) {
  const std::vector<double> numbers = {9, 9, 0.25, -1.5, 0.125, 9, 0.75};
  const GivenDraws given{numbers.data(), numbers.size()};
  Instance<NoiseTest, Pack4> x;
  Instance<NoiseTest, double> own;
  auto at = x.at(-65, 0, 0.025);
  at.given = &given;
  NoiseTest::initialise(x.x, at);
  NoiseTest::initialise(own.x, own.at(-65, 0, 0.025));
  x.set("_draws", 2);
  NoiseTest::advance(x.x, at);
  NoiseTest::advance(own.x, own.at(-65, 0, 0.025));
  EXPECT_EQ(x.get("flat"), 0.25);
  EXPECT_EQ(x.get("normal"), 3 - 2 * 1.5);
  EXPECT_NEAR(x.get("waiting"), -2 * std::log(0.125), 1e-15);
  EXPECT_EQ(x.get("_draws"), 6);
  for (const char* name : {"own", "own_normal", "own_waiting", "whole"})
    EXPECT_EQ(x.get(name), own.get(name)) << name;
  NoiseTest::advance(x.x, at);
  EXPECT_EQ(x.get("flat"), 0.75);
  EXPECT_TRUE(std::isnan(x.lane("normal", 3)));  // there is no further one
}

/// As NEURON takes it, with draws of their own, whatever the current is of the voltage.
TEST(Draws, ACurrentThatDrawsHasASecant) {
  const auto draws_of = [](const std::string& current, CurrentSlope slope) {
    const nmodl::Checked checked = nmodl::check_text(
        "x.mod", "NEURON { SUFFIX x NONSPECIFIC_CURRENT i }\nASSIGNED { v i }\nBREAKPOINT { i = " +
                     current + " }");
    const std::string text =
        nmodl::emit_header(nmodl::lower(*checked.module, {}, TableUse::computed, slope), "X");
    int draws = 0;
    for (std::size_t found = text.find("draw_normal<"); found != std::string::npos;
         found = text.find("draw_normal<", found + 1))
      ++draws;
    return draws;
  };
  for (const char* current : {"normrand(1, 2)*v", "normrand(1, 2)"}) {
    EXPECT_EQ(draws_of(current, CurrentSlope::exact), 1) << current;
    EXPECT_EQ(draws_of(current, CurrentSlope::secant), 2) << current;
  }
}

/// Values against the C library's, slopes against central differences.
TEST(EmittedFunctions, ErfAndGhk) {
  for (const double v : {-90.0, -1e-6, 0.0, 30.0}) {
    Instance<NoiseTest, double> x;
    NoiseTest::initialise(x.x, x.at(v, 0, 0.025));
    const auto flow = NoiseTest::current(x.x, x.at(v, 0, 0.025));
    const double error = x.get("error"), computed = x.get("flux");
    const double h = 1e-3;
    const double slope = (NoiseTest::current(x.x, x.at(v + h, 0, 0.025)).i -
                          NoiseTest::current(x.x, x.at(v - h, 0, 0.025)).i) /
                         (2 * h);
    const double scaled = 2 * v / (1000 * 8.31446261815324 / 96485.33212331001 * (6.3 + 273.15));
    const auto fraction = [](double u) { return u == 0 ? 1 : u / std::expm1(u); };
    const double flux =
        2e-3 * 96485.33212331001 * (1e-4 * fraction(-scaled) - 2 * fraction(scaled));
    EXPECT_NEAR(error, std::erf(v / 50), 1e-15);
    EXPECT_NEAR(computed, flux, 1e-8 * std::abs(flux));
    EXPECT_NEAR(flow.g, slope, 1e-5 * std::abs(slope)) << v;
  }
}

}  // namespace
}  // namespace hillock::mechanisms
