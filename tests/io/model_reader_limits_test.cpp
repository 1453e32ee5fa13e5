// Texts made to exhaust the reader, and numbers made to exhaust the simulator: placed errors, soon.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Reads within two seconds of the processor's time, whatever else the machine does (the texts take
/// milliseconds): what is hostile must not be costly.
std::vector<std::string> errors_soon(const std::string& text) {
  const std::clock_t start = std::clock();
  auto errors = read(text).errors();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2.0);
  EXPECT_THAT(errors, Not(IsEmpty()));
  return errors;
}

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ModelReaderLimits, DeepNestingIsRefused) {
  for (const auto& text : {repeat("[", 10000), "a: " + repeat("[", 10000) + repeat("]", 10000),
                           repeat("{a: ", 10000), repeat("- ", 10000), repeat("[", 1000000)})
    EXPECT_THAT(errors_soon(text), ElementsAre(HasSubstr("nested more than 200 levels deep")));
}

TEST(ModelReaderLimits, AliasBombsAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    text += fmt::format("a{0}: &a{0} [{1}x]\n", i, repeat(fmt::format("*a{}, ", i - 1), 10));
  EXPECT_THAT(errors_soon(text), ElementsAre(HasSubstr("larger than two million values")));
}

TEST(ModelReaderLimits, AliasesToThemselvesAreRefused) {
  EXPECT_THAT(errors_soon("a: &a [*a]\n"), ElementsAre("1:8: the alias refers to itself"));
}

TEST(ModelReaderLimits, BinaryFilesAreRefused) {
  EXPECT_THAT(errors_soon(std::string("hillock\0: 1\n", 12)),
              ElementsAre("1:1: this is not a UTF-8 text file (it holds a zero byte)"));
}

TEST(ModelReaderLimits, HugeNumbersAreErrorsBeforeAnythingIsAllocated) {
  const auto model = [](const std::string& from, const std::string& to) {
    std::string text = R"(hillock: 1
run: {duration: 10 ms, dt: 0.1 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    discretization: {max_length: 7 um}
    detector: {at: soma(0.5)}
  t:
    morphology: {random_tree: {depth: 5, compartments: 4}}
    detector: {at: soma(0.5)}
  i: {izhikevich: {}}
populations:
  p: {cell: c, size: 11}
  g: {cell: i, size: 12, positions: {grid: {counts: [3, 2, 2], spacing: [1 um, 1 um, 1 um]}}}
  t: {cell: t, size: 13}
projections:
  - {from: p, to: t, connect: {fixed_total_number: 17}, synapse: {expsyn: {}, at: soma(0.5)},
     weight: 1 nS, delay: 1 ms}
stimuli:
  - {iclamp: {train: {amplitude: 1 nA, width: 1 ms, period: 2 ms, count: 3}}, to: p, at: soma(0.5)}
record:
  - {name: v, of: p, variable: v, at: soma(0.5), every: 0.2 ms}
)";
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_THAT(read(model("17", "17")).errors(), IsEmpty());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"10 ms", "1e300 ms"},
           {"10 ms", "1e9 s"},
           {"dt: 0.1 ms", "dt: 1e-300 ms"},
           {"20 um", "1e300 um"},
           {"diameter: 20 um", "diameter: 1e-330 um"},
           {"max_length: 7 um", "max_length: 1e-9 um"},
           {"max_length: 7 um", "d_lambda: 1e-12"},
           {"max_length: 7 um", "per_branch: 1000000000"},
           {"depth: 5", "depth: 1000000000"},
           {"depth: 5, compartments: 4", "depth: 24, compartments: 30000"},
           {"compartments: 4", "compartments: 1e12"},
           {"size: 11", "size: 1e12"},
           {"size: 11", "size: 99999999999999999999999999"},
           {"size: 13", "size: 1000000000"},
           {"[3, 2, 2]", "[1000000000, 1000000000, 1000000000]"},
           {"17", "1000000000000000"},
           {"count: 3", "count: 1e12"},
           {"0.2 ms", "1e300 ms"},
           {"0.2 ms", "1e-300 ms"}})
    EXPECT_THAT(errors_soon(model(from, to)), Not(IsEmpty())) << from << " as " << to;
}

/// What stands in a model in place of one of its values.
struct Bound {
  std::string value;
  std::vector<std::string> within, beyond;
};

TEST(ModelReaderLimits, TheLastNumberWithinIsReadAndTheNextRefused) {
  const std::string model = R"(hillock: 1
run: {duration: 10 ms, dt: 0.1 ms, temperature: 6.3 degC, v_init: -71 mV}
cells:
  c:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 30 um}
        - {name: dend, parent: soma, at: 0.75, length: 40 um, diameter: 2 um}
    detector: {at: soma(0.5), threshold: -11 mV}
    regions:
      all: {cm: 1.5 uF/cm2, Ra: 150 ohm.cm, v_init: -72 mV}
      dend: {diam: 5 um}
populations:
  p: {cell: c, size: 11, positions: {uniform_box: [6 um, 7 um, 8 um]}}
projections:
  - {from: p, to: p, connect: {pairwise_bernoulli: 0.25}, synapse: {expsyn: {}, at: soma(0.5)},
     weight: 1 nS, delay: 1 ms}
stimuli:
  - {iclamp: {train: {amplitude: 1 nA, width: 1 ms, period: 2 ms, count: 3}}, to: p, at: soma(0.5)}
  - {poisson: {rate: 13 Hz}, to: p, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS,
     delay: 4 ms}
)";
  EXPECT_THAT(read(model).errors(), IsEmpty());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = model;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const auto& [value, within, beyond] : std::vector<Bound>{
           {"10 ms", {"0.1 ms", "1e9 ms"}, {"0 ms", "1.1e9 ms"}},
           {"6.3 degC", {"-50 degC", "150 degC"}, {"-51 degC", "151 degC"}},
           {"-71 mV", {"-1000 mV", "1000 mV"}, {"-1001 mV", "1001 mV"}},
           {"-72 mV", {"-1000 mV", "1000 mV"}, {"-1001 mV", "1001 mV"}},
           {"-11 mV", {"-1000 mV", "1000 mV"}, {"-1001 mV", "1001 mV"}},
           {"0.75", {"0", "1"}, {"-0.01", "1.01"}},
           {"40 um", {"1e-3 um", "1e5 um"}, {"0 um", "-1 um", "1e7 um"}},
           {"1.5 uF/cm2", {"0 uF/cm2", "1e6 uF/cm2"}, {"-1e-9 uF/cm2", "1.1e6 uF/cm2"}},
           {"150 ohm.cm", {"1e-9 ohm.cm", "1e9 ohm.cm"}, {"0 ohm.cm", "1.1e9 ohm.cm"}},
           {"5 um", {"1e-3 um", "1e6 um"}, {"0 um", "1.1e6 um"}},
           {"0.25", {"0.001", "1"}, {"-0.01", "1.01"}},
           {"count: 3", {"count: 1", "count: 1e9"}, {"count: 0", "count: 1.1e9"}},
           {"13 Hz", {"0 Hz", "1e6 Hz"}, {"-1 Hz", "1.1e6 Hz"}},
           {"4 ms", {"0 ms", "1e8 ms"}, {"-1 ms", "1.1e8 ms"}}}) {
    for (const auto& text : within)
      EXPECT_THAT(read(with(value, text)).errors(), IsEmpty()) << value << " as " << text;
    for (const auto& text : beyond)
      EXPECT_THAT(read(with(value, text)).errors(), testing::SizeIs(1)) << value << " as " << text;
  }
}

}  // namespace
}  // namespace hillock::io
