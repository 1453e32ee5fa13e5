// What is legal and probably a mistake, with its place and the whole text of the warning.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The warnings of a model without errors, in which a and b are used.
std::vector<std::string> warnings_of(const std::string& more, const Overrides& overrides = {}) {
  const auto result =
      read(with_base(more + "record: [{name: a, of: a}, {name: b, of: b}]\n"), overrides);
  EXPECT_THAT(result.errors(), IsEmpty());
  return result.warnings();
}

std::string projection(const std::string& rule, const std::string& weight,
                       const std::string& delay) {
  return "projections:\n"
         "  - from: a\n"
         "    to: b\n"
         "    connect: " +
         rule +
         "\n"
         "    synapse: {expsyn: {}, at: soma(0.5)}\n"
         "    weight: " +
         weight +
         "\n"
         "    delay: " +
         delay + "\n";
}

const Overrides a_has_positions{{"populations.a.positions", "{uniform_box: [1 mm, 1 mm, 1 mm]}"}};
const Overrides both_have{{"populations.a.positions", "{uniform_box: [1 mm, 1 mm, 1 mm]}"},
                          {"populations.b.positions", "{uniform_box: [1 mm, 1 mm, 1 mm]}"}};

TEST(Warnings, DistancesBetweenPopulationsWithoutPositions) {
  const auto model = projection("{pairwise_bernoulli: \"exp(-distance/100 um)\"}",
                                "1 nS * exp(-x/1 mm)", "{base: 1 ms, velocity: 0.3 m/s}");
  const std::string neither =
      ", but the populations 'a' and 'b' have no positions (all their cells"
      " are at the origin)";
  EXPECT_THAT(
      warnings_of(model),
      ElementsAre("20:35: projections[0].connect.pairwise_bernoulli: depends on distance" + neither,
                  "22:13: projections[0].weight: depends on x" + neither,
                  "23:12: projections[0].delay.velocity: depends on distance" + neither));
  const std::string one = ", but population 'b' has no positions (all its cells are at the origin)";
  EXPECT_THAT(
      warnings_of(model, a_has_positions),
      ElementsAre("20:35: projections[0].connect.pairwise_bernoulli: depends on distance" + one,
                  "22:13: projections[0].weight: depends on x" + one,
                  "23:12: projections[0].delay.velocity: depends on distance" + one));
  EXPECT_THAT(warnings_of(model, both_have), IsEmpty());
  EXPECT_THAT(warnings_of(projection("{pairwise_bernoulli: 0.5}", "1 nS", "1 ms")), IsEmpty());
}

TEST(Warnings, NumbersFarBeyondWhatIsUsual) {
  EXPECT_THAT(warnings_of(projection("{fixed_indegree: 3}", "5000 uS", "1 ms"), both_have),
              ElementsAre("22:13: projections[0].weight: 5000 uS is at least a thousand times "
                          "greater than conductances usually are, 1e-06 to 1 uS; is it in another "
                          "unit?"));
  EXPECT_THAT(warnings_of(projection("{fixed_indegree: 3}", "900 uS", "1 ms"), both_have),
              IsEmpty());
  EXPECT_THAT(
      warnings_of("stimuli:\n"
                  "  - {iclamp: {amplitude: {list: [0.1 nA, 1e-8 nA, 0 nA]}, duration: 1 ms}, "
                  "to: a, at: soma(0.5)}\n",
                  {{"populations.a.size", "3"}, {"cells.c.regions.all.cm", "1e5 uF/cm2"}}),
      UnorderedElementsAre(
          HasSubstr("amplitude.list: value 1: 1e-08 nA is at least a thousand times smaller than "
                    "currents usually are, 0.0001 to 100 nA"),
          HasSubstr("cells.c.regions.all.cm: 100000 uF/cm2 is at least a thousand times")));
}

TEST(Warnings, DiametersRatesAndStepsTenTimesAbove) {
  const std::string train =
      "stimuli:\n"
      "  - {poisson: {rate: 300 kHz}, to: a, weight: 1 nS, synapse: {expsyn: {}, at: soma(0.5)}}\n";
  const Overrides channels{{"cells.c.regions.all.hh", "{}"}};
  Overrides wide = channels;
  wide.push_back({"cells.c.regions.soma.diam", "20 mm"});
  wide.push_back({"run.dt", "5 ms"});
  EXPECT_THAT(
      warnings_of(train, wide),
      UnorderedElementsAre(
          HasSubstr("rate: 300000 Hz is at least ten times greater than rates of trains usually "
                    "are, 0.001 to 20000 Hz"),
          HasSubstr("regions.soma.diam: 20000 um is at least ten times greater than diameters "
                    "usually are, 0.01 to 1000 um"),
          HasSubstr("run.dt: 5 ms is at least ten times greater than steps of channels usually "
                    "are, 0.001 to 0.1 ms")));
  EXPECT_THAT(warnings_of("", {{"cells.c.regions.soma", "{pas: {}}"}, {"run.dt", "5 ms"}}),
              IsEmpty());
  EXPECT_THAT(warnings_of("", {{"cells.c.regions.all.hh", "{}"}, {"run.dt", "0.5 ms"}}), IsEmpty());
}

TEST(Warnings, ReversalPotentialsThatNeuronOverwrites) {
  const auto ion = [](const std::string& where, const std::string& pool) {
    return Overrides{{"cells.c.regions." + where, "{ions: {ca: {e: 120 mV}}}"},
                     {"cells.c.regions." + pool, "{cad: {}}"}};
  };
  EXPECT_THAT(warnings_of("", ion("dend", "all")),
              ElementsAre(HasSubstr("cells.c: e of ca holds here; in NEURON it would not, as cad "
                                    "reads or writes a concentration of ca")));
  EXPECT_THAT(warnings_of("", ion("dend", "axon")), IsEmpty());
}

TEST(Warnings, PlacesOfCellsInStimuliAndSynapses) {
  const std::string model =
      "stimuli:\n"
      "  - {iclamp: {amplitude: \"1 nA * x / 1 mm\", duration: 1 ms}, to: a, at: soma(0.5)}\n"
      "  - {poisson: {rate: \"1 Hz + 1 Hz * z / 1 mm\"}, to: a, weight: 1 nS,\n"
      "     synapse: {expsyn: {tau: \"1 ms + 1 ms * y / 1 mm\"}, at: soma(0.5)}}\n";
  const std::string why = ", but population 'a' has no positions (all its cells are at the origin)";
  EXPECT_THAT(warnings_of(model),
              ElementsAre("18:26: stimuli[0].iclamp.amplitude: depends on x" + why,
                          "19:22: stimuli[1].poisson.rate: depends on z" + why,
                          "20:30: stimuli[1].synapse.expsyn.tau: depends on y" + why));
  EXPECT_THAT(warnings_of(model, a_has_positions), IsEmpty());
}

TEST(Warnings, CellsWithoutAMorphologyThatDependOnPositions) {
  const std::string model = R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {n: {artificial: {intfire: {tau: "10 ms + 1 ms * x / 1 um"}}}}
populations:
  p: {cell: n, size: 2}
  q: {cell: n, size: 1, positions: {list: [[1 um, 0 um, 0 um]]}}
record: [{name: p, of: p}, {name: q, of: q}]
)yaml";
  EXPECT_THAT(read(model).warnings(),
              ElementsAre("3:41: cells.n.artificial.intfire.tau: depends on x, but population 'p'"
                          " has no positions (all its cells are at the origin)"));
}

TEST(Warnings, StimuliThatBeginWhenTheRunIsOver) {
  const ModelFolder folder;
  folder.write("late.csv", "time_ms\n12\n11\n");
  folder.write("wave.csv", "10,1\n11,0\n");
  folder.write("starts.csv", "20\n30\n40\n20\n30\n40\n20\n30\n40\n20\n");
  folder.write("model.yaml", with_base(R"yaml(stimuli:
  - {iclamp: {amplitude: 1 nA, start: 10 ms, duration: 1 ms}, to: a, at: soma(0.5)}
  - {iclamp: {amplitude: 1 nA, start: 9.9 ms, duration: 1 ms}, to: a, at: soma(0.5)}
  - {iclamp: {train: {amplitude: 1 nA, start: 11 ms, width: 1 ms, period: 2 ms, count: 2}}, to: a, at: soma(0.5)}
  - {iclamp: {ramp: {from: 1 nA, to: 2 nA, start: {uniform: {min: 12 ms, max: 13 ms}}, duration: 1 ms}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {times: [13 ms, 14 ms], currents: [0 nA, 1 nA]}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {csv: wave.csv}}, to: a, at: soma(0.5)}
  - {iclamp: {amplitude: 1 nA, start: {csv: starts.csv}, duration: 1 ms}, to: a, at: soma(0.5)}
  - {poisson: {rate: 1 Hz, start: 14 ms}, to: b, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {spikes: {times: [16 ms, 15 ms]}, to: b, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {spikes: {times: [16 ms, 5 ms]}, to: b, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {spikes: {csv: late.csv}, to: b, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
)yaml"));
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(
      result.warnings(),
      ElementsAre(
          "18:39: stimuli[0].iclamp.start: begins at 10 ms, but the run ends at 10 ms",
          "20:47: stimuli[2].iclamp.train.start: begins at 11 ms, but the run ends at 10 ms",
          "21:51: stimuli[3].iclamp.ramp.start: begins at 12 ms, but the run ends at 10 ms",
          "22:33: stimuli[4].iclamp.waveform.times: begins at 13 ms, but the run ends at 10 ms",
          "23:31: stimuli[5].iclamp.waveform.csv: begins at 10 ms, but the run ends at 10 ms",
          "24:39: stimuli[6].iclamp.start: begins at 20 ms, but the run ends at 10 ms",
          "25:35: stimuli[7].poisson.start: begins at 14 ms, but the run ends at 10 ms",
          "26:22: stimuli[8].spikes.times: begins at 15 ms, but the run ends at 10 ms",
          "28:20: stimuli[10].spikes.csv: begins at 11 ms, but the run ends at 10 ms"));
}

}  // namespace
}  // namespace hillock::io
