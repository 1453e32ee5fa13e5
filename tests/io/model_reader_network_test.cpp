// What the reader makes of projections, stimuli and recordings that are right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/io/hdf5_making.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Reads base and `more`, which must be without errors.
models::Network good_network(const std::string& more) {
  const auto result = read(with_base(more));
  EXPECT_THAT(result.errors(), IsEmpty());
  return result.network;
}

TEST(ModelReaderNetwork, DelaysMayBeZeroWhereSpikesHaveTheTimeOfAStepsEnd) {
  const auto errors_of = [](const std::string& run, const std::string& delay,
                            const std::string& rule) {
    const ModelFolder folder;
    folder.write("edges.csv", "source,target,delay\n0,0,0\n");
    std::string text = with_base(
        "projections:\n  - {from: a, to: b, connect: " + rule +
        ", synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: soma(0.5)}, weight: 1 nS, delay: " + delay +
        "}\n");
    const std::string of_base = "run: {duration: 10 ms}";
    folder.write("model.yaml", text.replace(text.find(of_base), of_base.size(), run));
    return read(folder).errors();
  };
  const std::string grid = "run: {duration: 10 ms, dt: 0.1 ms, spike_time: grid}";
  EXPECT_THAT(errors_of(grid, "0 ms", "{fixed_indegree: 1}"), IsEmpty());
  EXPECT_THAT(errors_of(grid, "0.1 ms", "{list: {csv: edges.csv}}"), IsEmpty());
  const std::string exact = "run: {duration: 10 ms, dt: 0.1 ms}";
  EXPECT_THAT(errors_of(exact, "0 ms", "{fixed_indegree: 1}"),
              ElementsAre(HasSubstr("a delay of 0 ms is shorter than the time step dt")));
  EXPECT_THAT(errors_of(exact, "0.1 ms", "{list: {csv: edges.csv}}"),
              ElementsAre(HasSubstr("the delay 0 ms is shorter than dt, 0.1 ms")));
}

TEST(ModelReaderNetwork, ProjectionsConvertWeightsAndDelays) {
  const auto network = good_network(R"yaml(
projections:
  - {from: "a[0:5]", to: "b[5:]", name: first,
     connect: {pairwise_bernoulli: {p: "0.2*exp(-distance/150 um)"}, autapses: true},
     synapse: {exp2syn: {tau1: 0.5 ms, tau2: 3 ms, e: "-70 mV + 5 mV * r"}, at: "dend[1](0.25)"},
     weight: {lognormal: {mean: 0.5 nS, cv: 0.4}}, delay: {base: 1 ms, velocity: 0.3 m/s}}
  - {from: a, to: "b[3]", connect: {fixed_indegree: 3}, synapse: {expsyn: , at: tips(dend)},
     weight: 1 nS, delay: {truncated: {normal: {mean: 2 ms, sd: 1 ms}, min: 1 ms, max: 4 ms}}}
)yaml");
  const auto& first = network.projections.at(0);
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.from.end, 5U);
  EXPECT_EQ(first.to.begin, 5U);
  EXPECT_EQ(first.to.end, 10U);
  EXPECT_EQ(first.connect.kind, models::ConnectionRule::Kind::pairwise_bernoulli);
  EXPECT_EQ(first.connect.autapses, models::Autapses::allowed);
  EXPECT_EQ(first.connect.multapses, models::Multapses::forbidden);
  EXPECT_TRUE(first.connect.probability.uses(Variable::distance));
  const auto& synapse = std::get<models::Synapse>(first.link);
  EXPECT_EQ(synapse.mechanism.name, "exp2syn");
  EXPECT_EQ(synapse.mechanism.parameters.at("tau2").constant(), 3);
  EXPECT_EQ(synapse.at.region.name, "dend[1]");
  EXPECT_EQ(synapse.at.position, 0.25);
  const auto& weight = std::get<models::Distribution>(first.weight.content());
  EXPECT_EQ(weight.first, 0.0005);
  EXPECT_EQ(weight.second, 0.4);
  EXPECT_EQ(first.delay.velocity_um_per_ms, 300);
  const auto& second = network.projections.at(1);
  EXPECT_EQ(second.name, "a->b[3]");
  EXPECT_EQ(second.to.begin, 3U);
  EXPECT_EQ(second.to.size(), 1U);
  EXPECT_EQ(second.connect.number, 3U);
  EXPECT_EQ(std::get<models::Synapse>(second.link).at.kind, models::Locations::Kind::tips);
  const auto& delay = std::get<models::Distribution>(second.delay.base_ms.content());
  EXPECT_TRUE(delay.truncated);
  EXPECT_EQ(delay.minimum, 1);
}

TEST(ModelReaderNetwork, ArgumentsStandInTheOrderOfNetReceive) {
  const auto network = good_network(R"yaml(
projections:
  - {from: a, to: b, connect: all_to_all, synapse: {depressing: {}, at: soma(0.5)}, weight: 1 nS, delay: 1 ms,
     arguments: {tau_rec: {uniform: {min: 0.1 s, max: 0.2 s}}, use: "0.5 * r"}}
  - {from: a, to: b, connect: all_to_all, synapse: {depressing: {}, at: soma(0.5)}, weight: 1 nS, delay: 1 ms}
stimuli:
  - {spikes: {times: [1 ms]}, to: b, synapse: {depressing: {}, at: soma(0.5)}, weight: 1 nS,
     arguments: {tau_rec: "1 ms * index"}}
)yaml");
  const std::vector<models::Value>& given = network.projections.at(0).arguments;
  ASSERT_EQ(given.size(), 2U);
  EXPECT_TRUE(given[0].uses(Variable::r));
  EXPECT_EQ(std::get<models::Distribution>(given[1].content()).first, 100);
  EXPECT_TRUE(network.projections.at(1).arguments.empty());
  const auto& events = std::get<models::EventSource>(network.stimuli.at(0).kind);
  ASSERT_EQ(events.arguments.size(), 2U);
  EXPECT_EQ(events.arguments[0].constant(), 0);
  EXPECT_TRUE(events.arguments[1].uses(Variable::index));
}

TEST(ModelReaderNetwork, ListsOfConnectionsComeInlineOrFromCsv) {
  const ModelFolder folder;
  folder.write("pairs.csv", "# made by hand\nsource,target,delay,weight\n0,1,2.5,0.001\n9,0,1,0\n");
  folder.write("model.yaml", with_base(R"yaml(
projections:
  - {from: a, to: b, connect: {list: [[0, 1], [1, 2]]}, synapse: {expsyn: {}, at: soma(0)},
     weight: 1 nS, delay: 1 ms}
  - {from: a, to: b, connect: {list: {csv: pairs.csv}}, synapse: {expsyn: {}, at: soma(0)},
     weight: 1 nS, delay: 1 ms}
)yaml"));
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const models::ConnectionRows& inline_rows = result.network.projections.at(0).connect.rows;
  EXPECT_THAT(inline_rows.targets, ElementsAre(1, 2));
  EXPECT_THAT(inline_rows.weights, IsEmpty());
  const models::ConnectionRows& rows = result.network.projections.at(1).connect.rows;
  EXPECT_THAT(rows.sources, ElementsAre(0, 9));
  EXPECT_THAT(rows.weights, ElementsAre(0.001, 0));
  EXPECT_THAT(rows.delays_ms, ElementsAre(2.5, 1));
  EXPECT_EQ(rows.listed, 2U);
}

TEST(ModelReaderNetwork, ListsOfConnectionsComeFromHdf5) {
  const ModelFolder folder;
  MadeHdf5(folder.path() / "edges.h5")
      .numbers("s", {0, 9}, 0, H5T_STD_U64LE)
      .numbers("t", {1, 2}, 0, H5T_STD_U32LE)
      .numbers("far", {1, 10}, 0, H5T_STD_U32LE)
      .numbers("w", {0.001, 0.002})
      .numbers("short", {1});
  const auto with_list = [&](const std::string& list) {
    folder.write("model.yaml",
                 with_base("projections:\n  - {from: a, to: b, connect: {list: {" + list +
                           "}}, synapse: {expsyn: {}, at: soma(0)}, weight: 1 nS,"
                           " delay: 1 ms}\n"));
    return read(folder);
  };
  const auto result = with_list("hdf5: edges.h5, source: s, target: /t, weight: w");
  EXPECT_THAT(result.errors(), IsEmpty());
  const models::ConnectionRows& rows = result.network.projections.at(0).connect.rows;
  EXPECT_THAT(rows.sources, ElementsAre(0, 9));
  EXPECT_THAT(rows.targets, ElementsAre(1, 2));
  EXPECT_THAT(rows.weights, ElementsAre(0.001, 0.002));
  EXPECT_THAT(rows.delays_ms, IsEmpty());
  EXPECT_THAT(with_list("hdf5: edges.h5, source: s, target: nothing").errors(),
              ElementsAre(testing::HasSubstr("has no dataset 'nothing'")));
  EXPECT_THAT(with_list("hdf5: edges.h5, source: s, target: short").errors(),
              ElementsAre(testing::HasSubstr("has 1 value where source has 2")));
  EXPECT_THAT(with_list("hdf5: edges.h5, source: s, target: far").errors(),
              ElementsAre(testing::HasSubstr("row 1: the target 10 is out of range")));
}

TEST(ModelReaderNetwork, RowsOfAListMayHaveArguments) {
  const ModelFolder folder;
  folder.write("use.csv", "target,tau_rec,source\n1,100,0\n2,200,9\n");
  MadeHdf5(folder.path() / "edges.h5")
      .numbers("s", {0, 9}, 0, H5T_STD_U64LE)
      .numbers("t", {1, 2}, 0, H5T_STD_U32LE)
      .numbers("u", {0.25, 0.75})
      .numbers("v", {0.25, INFINITY});
  const auto with_list = [&](const std::string& list, const std::string& synapse) {
    folder.write("model.yaml", with_base("projections:\n  - {from: a, to: b, connect: {list: {" +
                                         list + "}}, synapse: {" + synapse +
                                         ": {}, at: soma(0)}, weight: 1 nS, delay: 1 ms}\n"));
    return read(folder);
  };
  const auto from_csv = with_list("csv: use.csv", "depressing");
  EXPECT_THAT(from_csv.errors(), IsEmpty());
  const models::ConnectionRows& rows = from_csv.network.projections.at(0).connect.rows;
  EXPECT_THAT(rows.sources, ElementsAre(0, 9));
  EXPECT_THAT(rows.arguments, ElementsAre(IsEmpty(), ElementsAre(100, 200)));
  const auto from_hdf5 = with_list("hdf5: edges.h5, source: s, target: t, use: u", "depressing");
  EXPECT_THAT(from_hdf5.errors(), IsEmpty());
  EXPECT_THAT(from_hdf5.network.projections.at(0).connect.rows.arguments,
              ElementsAre(ElementsAre(0.25, 0.75), IsEmpty()));
  EXPECT_THAT(with_list("hdf5: edges.h5, source: s, target: t, use: v", "depressing").errors(),
              ElementsAre(testing::HasSubstr("row 1: use is inf, which is no finite number")));
  EXPECT_THAT(with_list("csv: use.csv", "expsyn").errors(),
              ElementsAre(testing::HasSubstr("has an unknown column 'tau_rec' (source, target, "
                                             "weight, delay, branch, position are known)")));
  EXPECT_THAT(
      with_list("hdf5: edges.h5, source: s, target: t, uses: u", "depressing").errors(),
      ElementsAre(testing::HasSubstr("unknown key 'uses' in a list of connections. Did you mean "
                                     "'use'?")));
}

TEST(ModelReaderNetwork, NodeIdsMayComeFromHdf5) {
  const ModelFolder folder;
  MadeHdf5(folder.path() / "nodes.h5")
      .numbers("id", {7, 3}, 0, H5T_STD_U64LE)
      .numbers("wrong", {7, 0.5})
      .numbers("short", {7}, 0, H5T_STD_U64LE);
  const auto with_ids = [&](const std::string& ids) {
    folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {c: {izhikevich: {}}}
populations: {p: {cell: c, size: 2, nodes: {population: v1, ids: {)yaml" +
                                   ids + "}}}}\nrecord: [{name: spikes, of: p}]\n");
    return read(folder);
  };
  const auto result = with_ids("hdf5: nodes.h5, dataset: /id");
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.network.populations.at(0).nodes->ids, ElementsAre(7, 3));
  EXPECT_THAT(
      with_ids("hdf5: nodes.h5, dataset: wrong").errors(),
      ElementsAre(testing::HasSubstr("row 1: the node id 0.5 is not a whole number from 0")));
  EXPECT_THAT(with_ids("hdf5: nodes.h5, dataset: short").errors(),
              ElementsAre(testing::HasSubstr("gives 1 node id for 2 cells")));
  EXPECT_THAT(with_ids("hdf5: nodes.h5, dataset: nothing").errors(),
              ElementsAre(testing::HasSubstr("has no dataset 'nothing'")));
  EXPECT_THAT(with_ids("hdf5: nodes.h5").errors(), ElementsAre(testing::HasSubstr("dataset")));
}

TEST(ModelReaderNetwork, GapJunctionsHaveTwoPlacesAndNoWeight) {
  const auto network = good_network(R"yaml(
projections:
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {g: 0.1 nS, at: soma(0.5), peer_at: "dend[0](0.5)"}}
)yaml");
  const auto& junction = std::get<models::GapJunction>(network.projections.at(0).link);
  EXPECT_THAT(junction.g_uS.constant(), DoubleEq(1e-4));
  EXPECT_EQ(junction.peer_at.region.name, "dend[0]");
}

TEST(ModelReaderNetwork, GapJunctionsTakeMechanismsOnOneSideOrBoth) {
  const auto network = good_network(R"yaml(
projections:
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {mechanism: {one_way: {g: 1 nS}}, at: soma(0.5), peer_at: uniform(dend)}}
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {mechanism: {one_way: {g: 1 nS}}, peer_mechanism: {gap: {g: 2 nS}}, at: soma(0.5), peer_at: soma(0.5)}}
record: [{name: i, of: a, variable: one_way.i, at: soma(0.5)}, {name: j, of: a, variable: gap.i, at: soma(0.5)}]
)yaml");
  const auto& one = std::get<models::GapJunction>(network.projections.at(0).link);
  EXPECT_FALSE(one.is_mutual());
  EXPECT_THAT(one.mechanism->parameters.at("g").constant(), DoubleEq(1e-3));
  const auto& both = std::get<models::GapJunction>(network.projections.at(1).link);
  EXPECT_TRUE(both.is_mutual());
  EXPECT_EQ(both.peer_mechanism->name, "gap");
}

TEST(ModelReaderNetwork, GapJunctionsReadOtherVariablesThanTheVoltage) {
  const auto network = good_network(R"yaml(
projections:
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {mechanism: {one_way: {}}, reads: hh.m, at: soma(0.5), peer_at: soma(0.5)}}
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {mechanism: {one_way: {}}, peer_mechanism: {gap: {g: 2 nS}}, reads: cai, at: soma(0.5), peer_at: soma(0.5)}}
  - {from: a, to: a, connect: {pairwise_bernoulli: {p: 0.1}},
     gap_junction: {mechanism: {one_way: {}}, at: soma(0.5), peer_at: soma(0.5)}}
)yaml");
  const auto read = [&](std::size_t p) {
    const auto reads = std::get<models::GapJunction>(network.projections.at(p).link).reads;
    return reads ? network.pointer_targets.at(*reads).text : "";
  };
  EXPECT_EQ(read(0), "hh.m");
  EXPECT_EQ(read(1), "cai");
  EXPECT_EQ(read(2), "");
}

TEST(ModelReaderNetwork, CurrentClampsTakeFourForms) {
  const ModelFolder folder;
  folder.write("wave.csv", "time,current\n0,0\n1,0.5\n1,1\n");
  folder.write("model.yaml", with_base(R"yaml(
stimuli:
  - {iclamp: {amplitude: "0.1 nA * index", start: 1 ms, duration: 2 ms}, to: a, at: soma(0.5)}
  - {iclamp: {train: {amplitude: 1 nA, width: 2 ms, period: 20 ms, count: 10, start: 5 ms}}, to: a,
     at: soma(0.5)}
  - {iclamp: {ramp: {from: 0 nA, to: 1 nA, start: 1 ms, duration: 5 ms}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {csv: wave.csv}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {times: [0 ms, 1 ms], currents: [0 pA, 100 pA]}}, to: a, at: soma(0.5)}
  - {seclamp: {levels: [-65 mV, 0 mV], durations: [10 ms, 50 ms], rs: 2 MOhm}, to: "b[1]",
     at: soma(0.5)}
)yaml"));
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto clamp = [&](std::size_t i) -> const models::CurrentClamp& {
    return std::get<models::CurrentClamp>(result.network.stimuli.at(i).kind);
  };
  EXPECT_TRUE(clamp(0).amplitude.uses(Variable::index));
  EXPECT_EQ(clamp(0).count.constant(), 1);
  EXPECT_EQ(clamp(1).count.constant(), 10);
  EXPECT_EQ(clamp(1).period_ms.constant(), 20);
  EXPECT_EQ(clamp(1).duration_ms.constant(), 2);
  EXPECT_EQ(clamp(2).kind, models::CurrentClamp::Kind::ramp);
  EXPECT_EQ(clamp(2).final_amplitude.constant(), 1);
  EXPECT_THAT(clamp(3).waveforms.at(0),
              ElementsAre(std::pair{0.0, 0.0}, std::pair{1.0, 0.5}, std::pair{1.0, 1.0}));
  EXPECT_EQ(clamp(4).waveforms.at(0).at(1).second, 0.1);
  const auto& voltage = std::get<models::VoltageClamp>(result.network.stimuli.at(5).kind);
  ASSERT_EQ(voltage.levels_mV.size(), 2U);
  EXPECT_EQ(voltage.levels_mV[0].constant(), -65);
  EXPECT_EQ(voltage.levels_mV[1].constant(), 0);
  EXPECT_EQ(voltage.durations_ms[1].constant(), 50);
  EXPECT_EQ(voltage.rs_MOhm.constant(), 2);
}

TEST(ModelReaderNetwork, WaveformsMayDifferBetweenCells) {
  const ModelFolder folder;
  folder.write("one_each.csv", "0,0,1,2,3,4,5,6,7,8,9\n2,0,2,3,4,5,6,7,8,9,10\n");
  folder.write("four.csv", "time,a,b,c,d\n0,0,0,0,0\n1,0.1,0.2,0.3,0.4\n");
  folder.write("model.yaml", with_base(R"yaml(
stimuli:
  - {iclamp: {waveform: {csv: one_each.csv}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {csv: four.csv, number: "mod(index, 4)"}}, to: a, at: soma(0.5)}
  - {iclamp: {waveform: {csv: four.csv, column: c}}, to: a, at: soma(0.5)}
)yaml"));
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto clamp = [&](std::size_t i) -> const models::CurrentClamp& {
    return std::get<models::CurrentClamp>(result.network.stimuli.at(i).kind);
  };
  RandomStream none(0, Purpose::parameter, {});
  Bindings cell;
  cell.index = 7;
  const auto of_cell = [&](std::size_t i) {
    return clamp(i).which.evaluate(cell, none, [] { return std::string(); });
  };
  EXPECT_EQ(clamp(0).waveforms.size(), 10U);
  EXPECT_EQ(of_cell(0), 7);
  EXPECT_THAT(clamp(0).waveforms[7], ElementsAre(std::pair{0.0, 7.0}, std::pair{2.0, 8.0}));
  EXPECT_EQ(clamp(1).waveforms.size(), 4U);
  EXPECT_EQ(of_cell(1), 3);
  EXPECT_THAT(clamp(1).waveforms[3], ElementsAre(std::pair{0.0, 0.0}, std::pair{1.0, 0.4}));
  EXPECT_EQ(clamp(2).waveforms.size(), 1U);
  EXPECT_EQ(of_cell(2), 0);
  EXPECT_EQ(clamp(2).waveforms[0].at(1).second, 0.3);
}

TEST(ModelReaderNetwork, ClampsAndTrainsMayDifferBetweenCells) {
  const auto network = good_network(R"yaml(
stimuli:
  - {seclamp: {levels: ["-70 mV + 1 mV * index"], durations: [{list: [1 ms, 2 ms], row: "mod(index, 2)"}]}, to: a,
     at: soma(0.5)}
  - {poisson: {rate: 20 Hz, start: "1 ms * index", stop: "5 ms + 1 ms * index"}, to: a, weight: 1 nS,
     synapse: {expsyn: {}, at: soma(0.5)}}
)yaml");
  const auto& clamp = std::get<models::VoltageClamp>(network.stimuli.at(0).kind);
  EXPECT_TRUE(clamp.levels_mV.at(0).uses(Variable::index));
  EXPECT_TRUE(clamp.durations_ms.at(0).varies_between_cells());
  const auto& events = std::get<models::EventSource>(network.stimuli.at(1).kind);
  EXPECT_TRUE(std::get<models::PoissonSource>(events.source).period.stop_ms.uses(Variable::index));
}

TEST(ModelReaderNetwork, PointsNeedNoEvents) {
  const auto network = good_network(R"yaml(
stimuli:
  - {point: {iclamp: {amplitude: "0.1 nA * index", duration: 5 ms, target: hh.m}, at: soma(0.5)}, to: a}
  - {point: {iclamp: {target: v}, at: soma(0.5)}, to: a}
  - {point: {iclamp: {target: hh.m}, at: tips(dend)}, to: a}
)yaml");
  const auto& first = std::get<models::PlacedPoint>(network.stimuli.at(0).kind).point;
  EXPECT_EQ(first.mechanism.name, "iclamp");
  EXPECT_TRUE(first.mechanism.parameters.at("amplitude").uses(Variable::index));
  // POINTERs hold the index of what they stand for, each text once.
  ASSERT_THAT(network.pointer_targets, SizeIs(2));
  EXPECT_EQ(network.pointer_targets[0].text, "hh.m");
  EXPECT_EQ(network.pointer_targets[1].text, "v");
  const auto& last = std::get<models::PlacedPoint>(network.stimuli.at(2).kind).point;
  EXPECT_EQ(last.mechanism.parameters.at("target").constant(), 0);
  EXPECT_EQ(last.at.kind, models::Locations::Kind::tips);
  using testing::HasSubstr;
  EXPECT_THAT(read(with_base("stimuli: [{point: {pas: {}, at: soma(0.5)}, to: a}]")).errors(),
              ElementsAre(HasSubstr("pas is a density mechanism")));
  EXPECT_THAT(read(with_base("stimuli: [{poisson: {rate: 5 Hz}, to: a, weight: 1 nS,"
                             " synapse: {iclamp: {}, at: soma(0.5)}}]"))
                  .errors(),
              ElementsAre(HasSubstr("receives no events, so it is no synapse")));
}

TEST(ModelReaderNetwork, SynapsesMayShareAnInstance) {
  const auto network = good_network(R"yaml(
stimuli:
  - {poisson: {rate: 5 Hz}, to: a, weight: 1 nS, synapse: {expsyn: {}, at: soma(0.5), shared: true}}
  - {poisson: {rate: 5 Hz}, to: a, weight: 1 nS, synapse: {expsyn: {}, at: soma(0.5)}}
)yaml");
  EXPECT_TRUE(std::get<models::EventSource>(network.stimuli.at(0).kind).synapse.shared);
  EXPECT_FALSE(std::get<models::EventSource>(network.stimuli.at(1).kind).synapse.shared);
}

TEST(ModelReaderNetwork, EventSourcesAreTrainsOrFiles) {
  const ModelFolder folder;
  folder.write("one.csv", "time_ms\n3\n1\n");
  folder.write("each.csv", "cell,time_ms\n0,5\n2,1\n0,2\n");
  folder.write("model.yaml", with_base(R"yaml(
stimuli:
  - {poisson: {rate: 20 Hz, start: 1 ms}, to: a, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {spikes: {times: [2 ms, 1 ms]}, to: a, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS,
     delay: 1 ms}
  - {spikes: {csv: one.csv}, to: a, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {spikes: {csv: each.csv}, to: "a[5:8]", synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
)yaml"));
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto events = [&](std::size_t i) -> const models::EventSource& {
    return std::get<models::EventSource>(result.network.stimuli.at(i).kind);
  };
  const auto& poisson = std::get<models::PoissonSource>(events(0).source);
  EXPECT_EQ(poisson.rate_Hz.constant(), 20);
  EXPECT_EQ(poisson.period.start_ms.constant(), 1);
  EXPECT_EQ(poisson.period.stop_ms.constant(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(events(0).delay_ms.constant(), 0);
  EXPECT_THAT(std::get<models::SpikeTimes>(events(1).source).times_ms, ElementsAre(1, 2));
  EXPECT_EQ(events(1).delay_ms.constant(), 1);
  EXPECT_THAT(std::get<models::SpikeTimes>(events(2).source).times_ms, ElementsAre(1, 3));
  const auto& trains = std::get<models::SpikeTimes>(events(3).source).per_cell;
  EXPECT_THAT(trains, ElementsAre(ElementsAre(2, 5), IsEmpty(), ElementsAre(1)));
}

TEST(ModelReaderNetwork, TablesOfTrainsHaveTheirColumnsAndNoOthers) {
  for (const char* table : {"time_ms,weight\n1,1\n", "cell\n1\n", "cell,weight\n1,1\n",
                            "cell,time_ms,weight\n1,1,1\n"}) {
    const ModelFolder folder;
    folder.write("odd.csv", table);
    folder.write("model.yaml", with_base(R"yaml(
stimuli:
  - {spikes: {csv: odd.csv}, to: a, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
)yaml"));
    EXPECT_THAT(read(folder).errors(),
                ElementsAre(HasSubstr("must have the column time_ms, and perhaps cell, and no")))
        << table;
  }
}

TEST(ModelReaderNetwork, RecordingsResolveTheirVariables) {
  const auto network = good_network(R"yaml(
stimuli:
  - {poisson: {rate: 1 Hz}, to: a, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
record:
  - {name: v, of: a, variable: v, at: soma(0.5)}
  - {name: m, of: a, variable: hh.m, at: soma(0.5), every: 0.1 ms, start: 1 ms, stop: 5 ms,
     type: float64, gzip: 4}
  - {name: g, of: a, variable: expsyn.g, at: soma(0.5)}
  - {name: ina, of: a, variable: ina, at: all}
  - {name: ek, of: a, variable: ek, at: {of: dend, distance: [0 um, 80 um]}}
  - {name: i, of: a, variable: i_membrane, at: all}
  - {name: spikes, of: "a[0:3]"}
)yaml");
  const auto& r = network.recordings;
  ASSERT_THAT(r, SizeIs(7));
  using Kind = models::RecordedVariable::Kind;
  EXPECT_EQ(r[0].variable->kind, Kind::voltage);
  EXPECT_EQ(r[0].variable->unit_text, "mV");
  EXPECT_EQ(r[0].every_ms, 0.025);
  EXPECT_EQ(r[0].stop_ms, 10);
  EXPECT_EQ(r[1].variable->kind, Kind::mechanism_variable);
  EXPECT_EQ(r[1].variable->mechanism, "hh");
  EXPECT_EQ(r[1].variable->variable, "m");
  EXPECT_EQ(r[1].every_ms, 0.1);
  EXPECT_EQ(r[1].start_ms, 1);
  EXPECT_EQ(r[1].stop_ms, 5);
  EXPECT_EQ(r[1].type, models::Recording::Type::float64);
  EXPECT_EQ(r[1].gzip_level, 4);
  EXPECT_EQ(r[2].variable->unit_text, "uS");
  EXPECT_EQ(r[3].variable->kind, Kind::ion_variable);
  EXPECT_EQ(r[3].variable->unit_text, "mA/cm2");
  EXPECT_EQ(r[3].at.kind, models::Locations::Kind::all);
  EXPECT_EQ(r[4].variable->variable, "ek");
  EXPECT_EQ(r[4].at.kind, models::Locations::Kind::all);
  EXPECT_EQ(r[5].variable->kind, Kind::membrane_current);
  EXPECT_FALSE(r[6].variable);
  EXPECT_EQ(r[6].of.end, 3U);
}

/// A population of artificial cells that drives itself, and `more`.
std::string artificial(const std::string& cell, const std::string& more) {
  return R"(hillock: 1
run: {duration: 10 ms}
cells: {leaky: {artificial: )" +
         cell + R"(}}
populations: {p: {cell: leaky, size: 3}}
)" + more;
}

TEST(ModelReaderNetwork, ArtificialCellsTakeEventsThemselves) {
  const auto result = read(artificial("{intfire: {tau: \"8 ms + 4 ms * r\"}}", R"(
projections: [{from: p, to: p, connect: all_to_all, weight: -0.5, delay: 1 ms}]
stimuli: [{poisson: {rate: 5 Hz}, to: p, weight: 0.3}]
record: [{name: s, of: p}, {name: m, of: p, variable: intfire.m}]
)"),
                           {});
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& cell = std::get<models::ArtificialCell>(result.network.cells.at(0).kind);
  EXPECT_EQ(cell.mechanism.name, "intfire");
  EXPECT_EQ(std::get<double>(result.network.projections.at(0).weight.content()), -0.5);
  EXPECT_EQ(result.network.recordings.at(1).variable->variable, "m");
}

TEST(ModelReaderNetwork, ArtificialCellsHaveNoPlaces) {
  const auto errors = [](const std::string& cell, const std::string& more) {
    return read(artificial(cell, more), {}).errors();
  };
  using testing::HasSubstr;
  EXPECT_THAT(errors("{expsyn: {}}", ""),
              ElementsAre(HasSubstr("there is no ARTIFICIAL_CELL 'expsyn'")));
  EXPECT_THAT(errors("{intfire: {}}",
                     "stimuli: [{poisson: {rate: 5 Hz}, to: p, weight: 1,"
                     " synapse: {expsyn: {}, at: soma(0.5)}}]"),
              ElementsAre(HasSubstr("artificial cells have no synapses")));
  EXPECT_THAT(errors("{intfire: {}}", "record: [{name: v, of: p, variable: v}]"),
              ElementsAre(HasSubstr("have the variables of intfire alone")));
  EXPECT_THAT(errors("{intfire: {}}",
                     "stimuli: [{seclamp: {levels: [1 mV], durations: [1 ms]},"
                     " to: p, at: soma(0.5)}]"),
              ElementsAre(HasSubstr("needs cells with a morphology")));
}

}  // namespace
}  // namespace hillock::io
