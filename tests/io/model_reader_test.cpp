// What the reader makes of models that are right.

#include "io/model/model_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/errors/errors.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const models::CableCell& cable(const models::Network& network, std::size_t i = 0) {
  return std::get<models::CableCell>(network.cells.at(i).kind);
}

const models::Morphology& shape(const models::Network& network, std::size_t i = 0) {
  return std::get<models::Morphology>(cable(network, i).morphology);
}

/// Reads base and `more`, which must be without errors.
models::Network good(const std::string& more, const Overrides& overrides = {}) {
  const auto result = read(with_base(more), overrides);
  EXPECT_THAT(result.errors(), IsEmpty());
  return result.network;
}

TEST(ModelReader, RunKeepsDefaultsForWhatIsNotGiven) {
  const auto run = good("").run;
  EXPECT_EQ(run.duration_ms, 10);
  EXPECT_EQ(run.dt_ms, 0.025);
  EXPECT_EQ(run.steps, 400);
  EXPECT_EQ(run.seed, 1U);
  EXPECT_EQ(run.temperature_degC, 6.3);
  EXPECT_EQ(run.v_init_mV, -65);
  EXPECT_EQ(run.integrator, models::Integrator::backward_euler);
  EXPECT_EQ(run.spike_time, models::SpikeTime::interpolated);
}

TEST(ModelReader, RunTakesEveryKeyInAnyUnit) {
  const auto run = read(R"yaml(hillock: 1
run: {duration: 0.1s, dt: 50 us, seed: 42, temperature: 309.15 K, v_init: -0.07 V,
      integrator: crank_nicolson, spike_time: grid, constants: legacy,
      clock: {step: 40, at: 2000 us}}
cells: {c: {izhikevich: {}}}
populations: {p: {cell: c, size: 1}}
)yaml")
                       .network.run;
  EXPECT_EQ(run.duration_ms, 100);
  EXPECT_EQ(run.dt_ms, 0.05);
  EXPECT_EQ(run.steps, 2000);
  EXPECT_EQ(run.seed, 42U);
  EXPECT_NEAR(run.temperature_degC, 36, 1e-12);  // round-off of 273.15
  EXPECT_EQ(run.v_init_mV, -70);
  EXPECT_EQ(run.integrator, models::Integrator::crank_nicolson);
  EXPECT_EQ(run.spike_time, models::SpikeTime::grid);
  EXPECT_EQ(run.constants, Constants::legacy);
  ASSERT_TRUE(run.clock);
  EXPECT_EQ(run.clock->step, 40);
  EXPECT_EQ(run.clock->at_ms, 2);
}

TEST(ModelReader, StylisedBranchesRunAlongXFromTheirParent) {
  const auto network = good("");
  const auto& branches = shape(network).branches;
  ASSERT_THAT(branches, SizeIs(5));
  EXPECT_EQ(branches[0].points[1].x_um, 20);
  EXPECT_EQ(branches[1].name, "dend[0]");
  EXPECT_EQ(branches[1].region, "dend");
  EXPECT_EQ(branches[1].parent, 0);
  EXPECT_EQ(branches[1].at, 1);
  EXPECT_EQ(branches[1].points[0].x_um, 20);
  EXPECT_EQ(branches[1].points[1].x_um, 120);
  EXPECT_EQ(branches[2].points[0].x_um, 120);
  EXPECT_EQ(branches[4].at, 0);
  EXPECT_EQ(branches[4].points[0].x_um, 0);
  EXPECT_EQ(branches[4].points[1].x_um, 300);
}

TEST(ModelReader, BranchesMayStandInAnyOrderAndTaper) {
  const auto network = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology:
      branches:
        - {name: tuft, parent: trunk, at: 0.5, length: 10 um, diameter: [2 um, 1 um], region: apic,
           compartments: 7}
        - {name: trunk, parent: soma, points: [[0, 1, 2, 3], [0, 101, 2, 1]], unit: um}
        - {name: soma, points: [[0 um, 0 um, 0 um, 10 um], [0.01 mm, 0 um, 0 um, 10 um]]}
populations: {p: {cell: c, size: 1}}
)yaml")
                           .network;
  const auto& branches = shape(network).branches;
  ASSERT_THAT(branches, SizeIs(3));
  EXPECT_EQ(branches[0].name, "soma");
  EXPECT_EQ(branches[0].points[1].x_um, 10);
  EXPECT_EQ(branches[1].name, "trunk");
  EXPECT_EQ(branches[1].points[1].y_um, 101);
  EXPECT_EQ(branches[2].name, "tuft");
  EXPECT_EQ(branches[2].region, "apic");
  EXPECT_EQ(branches[2].parent, 1);
  EXPECT_EQ(branches[2].compartments, 7);
  EXPECT_EQ(branches[2].points[0].y_um, 51);
  EXPECT_EQ(branches[2].points[0].diameter_um, 2);
  EXPECT_EQ(branches[2].points[1].diameter_um, 1);
}

TEST(ModelReader, SwcFilesAreReadBesideTheModelThatNamesThem) {
  const ModelFolder folder;
  folder.write("shapes/ball.swc",
               "1 1 0 0 0 5 -1\n2 1 10 0 0 5 1\n3 3 20 0 0 1 2\n4 3 60 0 0 1 3\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c: {morphology: {swc: shapes/ball.swc, soma: literal}, regions: {dend: {pas: {}}}}
populations: {p: {cell: c, size: 1}}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(shape(result.network).branches, SizeIs(2));
  ASSERT_THAT(result.network.inputs, SizeIs(2));
  EXPECT_EQ(result.network.inputs[1].path, "shapes/ball.swc");
}

TEST(ModelReader, AFilesNumbersAreScaledAndThinPointsThickened) {
  const ModelFolder folder;
  folder.write("ball.swc", "1 1 0 0 0 5000 -1\n2 3 5000 0 0 10 1\n3 3 90000 0 0 500 2\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {swc: ball.swc, scale: 0.001, minimum_diameter: 200 nm}
    discretization: {odd_pieces: 40 um}
    regions: {dend: {pas: {}, discretization: {odd_pieces: 10 um}}}
populations: {p: {cell: c, size: 1}}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& branches = shape(result.network).branches;
  ASSERT_THAT(branches, SizeIs(2));
  EXPECT_EQ(models::length_um(branches[0]), 10);
  EXPECT_EQ(models::length_um(branches[1]), 85);
  EXPECT_FLOAT_EQ(static_cast<float>(branches[1].points[0].diameter_um), 0.2F);
  EXPECT_EQ(branches[1].points[1].diameter_um, 1);
  const auto& cell = cable(result.network);
  EXPECT_EQ(cell.discretization.kind, models::Discretization::Kind::odd_pieces);
  EXPECT_EQ(cell.discretization.max_length_um, 40);
  EXPECT_EQ(cell.regions[0].discretization->max_length_um, 10);
}

TEST(ModelReader, NeurolucidaFilesAreReadBesideTheModelThatNamesThem) {
  const ModelFolder folder;
  folder.write("cell.asc",
               "(\"Soma\" (0 0 0 0) (9000 0 0 0) (9000 6000 0 0) (0 6000 0 0))\n"
               "((Apical) (4000 6000 0 1000) (4000 90000 0 0))\n((Axon) (0 0 0 1000) (-9000 0))\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {asc: cell.asc, scale: 0.001, minimum_diameter: 0.1 um, replace_axon: {branches: 1}}
    regions: {apic: {pas: {}}}
populations: {p: {cell: c, size: 1}}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& branches = shape(result.network).branches;
  ASSERT_THAT(branches, SizeIs(3));
  EXPECT_EQ(branches[0].name, "soma");
  EXPECT_EQ(branches[1].name, "apic[0]");
  EXPECT_EQ(models::length_um(branches[1]), 84);
  EXPECT_FLOAT_EQ(static_cast<float>(branches[1].points[1].diameter_um), 0.1F);
  EXPECT_EQ(branches[2].name, "axon[0]");
  EXPECT_NEAR(models::length_um(branches[2]), 30, 1e-9);
}

TEST(ModelReader, DistancesMayBeginElsewhere) {
  const auto model = [](const std::string& origin, const std::string& region) {
    return "hillock: 1\nrun: {duration: 10 ms}\ncells:\n  c:\n    morphology:\n" + origin +
           R"yaml(
      branches:
        - {name: axon, length: 100 um, diameter: 1 um}
        - {name: soma, parent: axon, length: 20 um, diameter: 20 um}
        - {name: dend, parent: soma, at: 0.5, length: 200 um, diameter: 2 um}
    regions:
      all: {pas: {}}
      far: {of: )yaml" +
           region +
           "}\npopulations: {p: {cell: c, size: 1}}\nrecord: [{name: v, of: p, variable: v, at: "
           "soma(0.5)}]\n";
  };
  const auto origin_of = [&](const std::string& origin) {
    const auto result = read(model("      origin: " + origin, "dend"));
    EXPECT_THAT(result.errors(), IsEmpty());
    return *shape(result.network).origin;
  };
  EXPECT_EQ(origin_of("root").branch, 0U);
  EXPECT_EQ(origin_of("root").position, 0);
  EXPECT_EQ(origin_of("soma(0)").branch, 1U);
  EXPECT_EQ(origin_of("dend(0.25)").branch, 2U);
  EXPECT_EQ(origin_of("dend(0.25)").position, 0.25);
  // The dendrite lies at 0 to 200 um from the middle of the soma, and at 110 to 310 um from the
  // root.
  const std::string near = "dend, distance: [0 um, 100 um]",
                    far = "dend, distance: [250 um, 300 um]";
  EXPECT_THAT(read(model("", near)).errors(), IsEmpty());
  EXPECT_THAT(read(model("      origin: root", far)).errors(), IsEmpty());
  EXPECT_THAT(read(model("", far)).errors(),
              ElementsAre(HasSubstr("no part of dend lies at these distances from the soma")));
  EXPECT_THAT(read(model("      origin: root", near)).errors(),
              ElementsAre(HasSubstr("no part of dend lies at these distances from axon(0)")));
  // A soma that is not the root: 10 to 110 um from its middle.
  EXPECT_THAT(read(model("", "axon, distance: [0 um, 9 um]")).errors(), SizeIs(1));
  EXPECT_THAT(read(model("", "axon, distance: [0 um, 11 um]")).errors(), IsEmpty());
}

TEST(ModelReader, ANewNameMayStandForSeveralRegionsAndBranches) {
  const auto model = [](const std::string& regions, const std::string& at = "soma(0.5)") {
    return R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 20 um}
        - {name: "dend[0]", parent: soma, length: 40 um, diameter: 2 um}
        - {name: "dend[1]", parent: soma, length: 400 um, diameter: 2 um}
        - {name: apic, parent: soma, length: 400 um, diameter: 4 um}
    regions:
      all: {pas: {}}
)yaml" + regions +
           "populations: {p: {cell: c, size: 1}}\nrecord: [{name: v, of: p, variable: v, at: " +
           at + "}]\n";
  };
  const auto result = read(
      model("      list: {of: [\"dend[0]\", apic], hh: {}, diam: 3 um}\n", "{of: [soma, list]}"));
  EXPECT_THAT(result.errors(), IsEmpty());
  ASSERT_THAT(cable(result.network).regions, SizeIs(2));
  const models::Region& list = cable(result.network).regions[1].region;
  EXPECT_TRUE(list.has_branch("dend", "dend[0]"));
  EXPECT_FALSE(list.has_branch("dend", "dend[1]"));
  EXPECT_TRUE(list.has_branch("apic", "apic"));
  EXPECT_FALSE(list.has_branch("soma", "soma"));
  const auto diameter = [&](std::size_t branch) {
    return shape(result.network).branches[branch].points[0].diameter_um;
  };
  EXPECT_THAT((std::vector{diameter(0), diameter(1), diameter(2), diameter(3)}),
              ElementsAre(20, 3, 2, 3));
  const auto errors = [&](const std::string& regions) { return read(model(regions)).errors(); };
  EXPECT_THAT(errors("      list: {of: [dend, apik], hh: {}}\n"),
              ElementsAre(HasSubstr("13:25: cells.c.regions.list.of[1]: the cell has no region "
                                    "'apik'. Did you mean 'apic'?")));
  EXPECT_THAT(errors("      list: {of: [], hh: {}}\n"),
              ElementsAre(HasSubstr("13:18: cells.c.regions.list.of: names no region")));
  EXPECT_THAT(errors("      dend: {of: [soma, apic], hh: {}}\n"),
              ElementsAre(HasSubstr("'dend' is part of the morphology, so it cannot be a new name "
                                    "for others")));
  EXPECT_THAT(errors("      list: {of: [soma, \"dend[0]\"], distance: [300 um, 400 um], hh: {}}\n"),
              ElementsAre(HasSubstr("no part of list lies at these distances from the soma")));
  EXPECT_THAT(errors("      list: {of: [soma, apic], distance: [300 um, 400 um], hh: {}}\n"),
              IsEmpty());
  const auto both = read(
      model("      list: {of: [apic, \"dend[0]\"]}\n      more: {of: [soma, list], hh: {}}\n"));
  EXPECT_THAT(both.errors(), IsEmpty());
  const models::Region& more = cable(both.network).regions[2].region;
  EXPECT_TRUE(more.has_branch("soma", "soma"));
  EXPECT_TRUE(more.has_branch("apic", "apic"));
  EXPECT_TRUE(more.has_branch("dend", "dend[0]"));
  EXPECT_FALSE(more.has_branch("dend", "dend[1]"));
  EXPECT_THAT(errors("      far: {of: apic, distance: [100 um, 200 um]}\n"
                     "      more: {of: [soma, far], hh: {}}\n"),
              ElementsAre(HasSubstr("14:25: cells.c.regions.more.of[1]: 'far' is what lies at some "
                                    "distances: no other name is made of it")));
  const auto some = read(model("      list: {of: [axon, apic], optional: true, hh: {}}\n"));
  EXPECT_THAT(some.errors(), IsEmpty());
  EXPECT_EQ(cable(some.network).regions[1].region.name, "apic");
  EXPECT_THAT(
      cable(read(model("      list: {of: [axon, tuft], optional: true}\n")).network).regions,
      SizeIs(1));
}

TEST(ModelReader, RegionsThatTheMorphologyLacksMayBeOptional) {
  const auto model = [](const std::string& regions) {
    return R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 40 um, diameter: 2 um}]}
    regions:
      all: {pas: {}}
)yaml" + regions +
           "populations: {p: {cell: c, size: 1}}\nrecord: [{name: v, of: p, variable: v, at: "
           "soma(0.5)}]\n";
  };
  const auto result =
      read(model("      apic: {optional: true, hh: {gnabar: 1 S/cm2}}\n"
                 "      tuft: {of: apic, distance: [100 um, 200 um], optional: true, hh: {}}\n"
                 "      remote: {of: dend, distance: [100 um, 200 um], optional: true, hh: {}}\n"
                 "      dend: {optional: true, cm: 2 uF/cm2}\n"));
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(), IsEmpty());
  ASSERT_THAT(cable(result.network).regions, SizeIs(2));
  EXPECT_EQ(cable(result.network).regions[1].region.name, "dend");
  // What is in it is read all the same, and nothing knows of it.
  EXPECT_THAT(read(model("      apic: {optional: true, hh: {gnabar: 1 mV}}\n")).errors(),
              SizeIs(1));
  EXPECT_THAT(read(model("      apic: {optional: false, hh: {}}\n")).errors(),
              ElementsAre(HasSubstr("the cell has no region 'apic'")));
  EXPECT_THAT(
      read(model("      apic: {optional: true, hh: {}}\n") +
           "  # of no region\nstimuli: [{iclamp: {amplitude: 1 nA, start: 0 ms, duration: 1 "
           "ms}, to: p, at: apic(0.5)}]\n")
          .errors(),
      ElementsAre(HasSubstr("the cell has no region or branch 'apic'")));
  EXPECT_THAT(read(model("      soam: {optional: true, hh: {}}\n")).warnings(),
              ElementsAre(HasSubstr("the cell has no region 'soam', and may lack it. Did you mean "
                                    "'soma'?")));
}

TEST(ModelReader, CellsMayBeginAtRest) {
  const auto network = read(R"yaml(hillock: 1
run: {duration: 10 ms, v_init: rest}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {v_init: rest, pas: {}}, soma: {v_init: -70 mV}}
populations: {p: {cell: c, size: 1}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
)yaml")
                           .network;
  EXPECT_TRUE(network.run.begins_at_rest);
  EXPECT_EQ(network.run.v_init_mV, -65);
  EXPECT_TRUE(cable(network).regions[0].begins_at_rest);
  EXPECT_FALSE(cable(network).regions[0].v_init_mV);
  EXPECT_FALSE(cable(network).regions[1].begins_at_rest);
  EXPECT_EQ(cable(network).regions[1].v_init_mV->constant(), -70);
}

TEST(ModelReader, RegionsMayChangeDiameters) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: "dend[0]", parent: soma, length: 100 um, diameter: [4 um, 2 um]},
                            {name: "dend[1]", parent: "dend[0]", length: 100 um, diameter: 2 um},
                            {name: axon, parent: soma, at: 0, points: [[0, 0, 0, 3], [30, 40, 0, 2], [30, 90, 0, 1]], unit: um}]}
    regions:
      all: {diam: 7 um, pas: {}}
      soma: {diam: diam}
      dend: {diam: "1.5 * diam"}
      dend[1]: {diam: "1 um + distance / 100", cm: "1 uF/cm2 * diam / 1 um"}
      axon: {diam: 1 um}
      apic: {optional: true, diam: 3 um}
populations: {p: {cell: c, size: 1}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  std::vector<std::vector<double>> diameters;
  for (const models::Branch& branch : shape(result.network).branches) {
    diameters.emplace_back();
    for (const models::Point& point : branch.points) diameters.back().push_back(point.diameter_um);
  }
  EXPECT_THAT(diameters, ElementsAre(ElementsAre(20, 20), ElementsAre(6, 3),
                                     ElementsAre(testing::DoubleNear(2.1, 1e-12),
                                                 testing::DoubleNear(3.1, 1e-12)),
                                     ElementsAre(1, 1, 1)));
  EXPECT_TRUE(cable(result.network).regions[3].cm_uF_per_cm2->uses(Variable::diam));
}

TEST(ModelReader, RandomTreesTakePairsOrSingleValues) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {random_tree: {depth: 5, branch_probability: [1, 0.5], compartments: 3,
                               length: [200 um, 20 um], diameter: 2 um, soma_length: 10 um}}
    regions: {soma: {hh: {}}, dend: {pas: {}}}
    detector: {at: soma(0.5)}
populations: {p: {cell: c, size: 4}}
projections:
  - {from: p, to: p, connect: all_to_all, synapse: {expsyn: {}, at: uniform(dend)}, weight: 1 nS,
     delay: 1 ms}
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto tree = std::get<models::RandomTree>(cable(result.network).morphology);
  EXPECT_EQ(tree.depth, 5);
  EXPECT_EQ(tree.branch_probability, (std::pair{1.0, 0.5}));
  EXPECT_EQ(tree.compartments, (std::pair{3.0, 3.0}));
  EXPECT_EQ(tree.length_um, (std::pair{200.0, 20.0}));
  EXPECT_EQ(tree.diameter_um, 2);
  EXPECT_EQ(tree.soma_length_um, 10);
}

TEST(ModelReader, RegionsKeepTheirOrderAndTags) {
  const auto network = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 400 um, diameter: 2 um}]}
    discretization: {max_length: 20 um}
    regions:
      all: {cm: 2 uF/cm2, Ra: "100 ohm.cm + distance * 0.1 ohm.cm/um", v_init: -70 mV,
            ions: {na: {e: 55 mV}, ca: {inside: 50 nM, outside: 2 mM, reversal: nernst},
                   k: {reversal: -80 mV}, cl: {reversal: ghk}}}
      far: {of: dend, distance: [100 um, 400 um], hh: {gnabar: "0.1 S/cm2 * exp(-distance/200 um)"}}
      dend: {discretization: {d_lambda: 0.05}, distance: [0 um, 50 um], pas: {}, cad: {tau: 5 ms}}
      soma: {discretization: {per_branch: 3}}
populations: {p: {cell: c, size: 1}}
record:
  - {name: far_v, of: p, variable: v, at: far(*)}
)yaml")
                           .network;
  const auto& cell = cable(network);
  EXPECT_EQ(cell.discretization.kind, models::Discretization::Kind::max_length);
  EXPECT_EQ(cell.discretization.max_length_um, 20);
  ASSERT_THAT(cell.regions, SizeIs(4));
  EXPECT_EQ(cell.regions[0].region.name, "all");
  EXPECT_EQ(cell.regions[0].cm_uF_per_cm2->constant(), 2);
  EXPECT_TRUE(cell.regions[0].Ra_ohm_cm->uses(Variable::distance));
  ASSERT_THAT(cell.regions[0].ions, SizeIs(4));
  for (const auto& ion : cell.regions[0].ions) {
    if (ion.ion == "na") {
      EXPECT_EQ(ion.reversal_mV->constant(), 55);
    }
    if (ion.ion == "k") {
      EXPECT_EQ(ion.reversal_mV->constant(), -80);
    }
    if (ion.ion == "ca") {
      EXPECT_EQ(ion.reversal, models::IonSetting::Reversal::nernst);
      EXPECT_EQ(ion.inside_mM->constant(), 5e-5);
    }
    if (ion.ion == "cl") {
      EXPECT_EQ(ion.reversal, models::IonSetting::Reversal::ghk);
    }
  }
  EXPECT_EQ(cell.regions[1].region.name, "dend");
  EXPECT_EQ(cell.regions[1].region.distance_um, (std::pair{100.0, 400.0}));
  EXPECT_EQ(cell.regions[1].mechanisms.at(0).name, "hh");
  EXPECT_EQ(cell.regions[2].discretization->d_lambda, 0.05);
  EXPECT_EQ(cell.regions[3].discretization->per_branch, 3);
  const auto& at = network.recordings.at(0).at;
  EXPECT_EQ(at.kind, models::Locations::Kind::middles);
  EXPECT_EQ(at.region.name, "dend");
  EXPECT_EQ(at.region.distance_um, (std::pair{100.0, 400.0}));
}

TEST(ModelReader, PopulationsOfPointNeuronsTakeAStepOfTheirOwn) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {rs: {izhikevich: {}}}
populations: {slow: {cell: rs, size: 2, step: 1 ms}, fast: {cell: rs, size: 1}, alike: {cell: rs, size: 1, step: 25 us}}
record: [{name: a, of: slow}, {name: b, of: fast}, {name: c, of: alike}]
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto step = [&](std::uint32_t p) { return result.network.step_of(PopulationId(p)); };
  EXPECT_EQ(step(0).ms, 1);
  EXPECT_EQ(step(0).run_steps, 40);
  EXPECT_EQ(step(1).ms, 0.025);
  EXPECT_EQ(step(1).run_steps, 1);
  EXPECT_EQ(step(2).run_steps, 1);
}

TEST(ModelReader, IzhikevichNeuronsTakePlainNumbersAndDraws) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {rs: {izhikevich: {a: 0.02, c: "-65 + 15*r*r", d: {uniform: {min: 2, max: 8}}}}}
populations: {p: {cell: rs, size: 100}}
projections:
  - {from: "p[0:80]", to: p, connect: {fixed_outdegree: 10}, weight: {uniform: {min: 0, max: 0.5}},
     delay: 1 ms}
stimuli:
  - {gaussian: {mean: 0, sd: 5, stop: 8 ms}, to: "p[:80]"}
  - {poisson: {rate: 20 Hz}, to: p, weight: 2}
record:
  - {name: v, of: p, variable: v}
  - {name: u, of: p, variable: u, every: 1 ms}
  - {name: long, of: p, variable: izhikevich.u}
  - {name: spikes, of: p}
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& cell = std::get<models::ArtificialCell>(result.network.cells.at(0).kind);
  EXPECT_EQ(cell.mechanism.name, "izhikevich");
  const auto& given = cell.mechanism.parameters;
  EXPECT_EQ(given.at("a").constant(), 0.02);
  EXPECT_FALSE(given.contains("b"));
  EXPECT_TRUE(given.at("c").uses(Variable::r));
  EXPECT_TRUE(given.at("d").varies_between_cells());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.network.projections.at(0).link));
  const auto& noise = std::get<models::GaussianInput>(result.network.stimuli.at(0).kind);
  EXPECT_EQ(noise.period.start_ms.constant(), 0);
  EXPECT_EQ(noise.period.stop_ms.constant(), 8);
  for (const std::size_t record : {0u, 1u, 2u}) {
    const auto& variable = *result.network.recordings.at(record).variable;
    EXPECT_EQ(variable.kind, models::RecordedVariable::Kind::mechanism_variable);
    EXPECT_EQ(variable.mechanism, "izhikevich");
    EXPECT_EQ(variable.variable, record == 0 ? "v" : "u");
    EXPECT_EQ(variable.unit_text, record == 0 ? "mV" : "1");
  }
}

TEST(ModelReader, WaysOfPropagationTakeTurns) {
  const auto read_ways = [](const std::string& ways) {
    return read("hillock: 1\nrun: {duration: 10 ms, propagation: " + ways +
                "}\ncells: {rs: {izhikevich: {}}}\npopulations: {p: {cell: rs, size: 1}}\n");
  };
  EXPECT_THAT(read_ways("auto").network.run.propagation, IsEmpty());
  EXPECT_THAT(read_ways("spike_blocks").network.run.propagation, ElementsAre("spike_blocks"));
  EXPECT_THAT(read_ways("[queue, neurons, queue]").network.run.propagation,
              ElementsAre("queue", "neurons", "queue"));
  EXPECT_THAT(read_ways("[]").errors(), ElementsAre("2:37: run.propagation: must not be empty"));
  EXPECT_THAT(read_ways("[queue, auto]").errors(),
              ElementsAre(HasSubstr("2:45: run.propagation[1]:")));
}

TEST(ModelReader, APointNeuronIsAnArtificialCellByEitherName) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {short: {izhikevich: {a: 0.1}}, long: {artificial: {izhikevich: {a: 0.1}}}}
populations: {p: {cell: short, size: 1}, q: {cell: long, size: 1}}
record: [{name: spikes, of: p}, {name: others, of: q}]
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  for (const auto& cell : result.network.cells) {
    const auto& mechanism = std::get<models::ArtificialCell>(cell.kind).mechanism;
    EXPECT_EQ(mechanism.name, "izhikevich");
    EXPECT_EQ(mechanism.parameters.at("a").constant(), 0.1);
  }
}

TEST(ModelReader, WhatDoesNotGoWithAPointNeuronIsAnError) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {i: {izhikevich: {}}, n: {undriven: {}}, e: {artificial: {intfire: {}}}, two: {izhikevich: {}, undriven: {}}}
populations: {p: {cell: i, size: 4}, q: {cell: n, size: 4}, r: {cell: e, size: 4}, s: {cell: two, size: 1}}
stimuli:
  - {gaussian: {sd: 1}, to: q}
  - {gaussian: {sd: 1}, to: r}
  - {gaussian: {sd: 1 nA}, to: p}
  - {gaussian: {sd: -1}, to: p}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: p, at: soma(0.5)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: r, at: soma(0.5)}
  - {poisson: {rate: 1 Hz}, to: p, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1}
  - {poisson: {rate: 1 Hz}, to: q, weight: -1 nS}
record:
  - {name: a, of: p, variable: w}
  - {name: b, of: p, variable: v, at: soma(0.5)}
)yaml");
  EXPECT_THAT(
      result.errors(),
      ElementsAre(
          "3:103: cells.two: unknown key 'undriven' in a cell. Known keys: izhikevich.",
          "6:16: stimuli[0].gaussian: undriven takes no current (its NEURON block has no "
          "ELECTRODE_CURRENT)",
          "7:16: stimuli[1].gaussian: gaussian drives point neurons; artificial cells that "
          "live on events take these alone (use poisson or spikes)",
          "8:21: stimuli[2].gaussian.sd: 1 nA is a current; sd must be a plain number",
          "9:21: stimuli[3].gaussian.sd: -1 must not be negative",
          "10:60: stimuli[4].at: point neurons have no places",
          "10:26: stimuli[4].iclamp.amplitude: 1 nA is a current; amplitude must be a plain "
          "number",
          "11:14: stimuli[5].iclamp: iclamp needs cells with a morphology; these are "
          "artificial cells (use poisson or spikes)",
          "12:45: stimuli[6].synapse: point neurons have no synapses; weights add to their "
          "input",
          "15:32: record[0].variable: these cells have the variables of izhikevich alone, "
          "such as izhikevich.u",
          "16:39: record[1].at: point neurons have no places"));
}

TEST(ModelReader, PositionsTakeFourForms) {
  const ModelFolder folder;
  folder.write("places.csv", "x,y,z\n1,2,3\n4,5,6\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells: {c: {izhikevich: {}}}
populations:
  box: {cell: c, size: 8, positions: {uniform_box: [400 um, 0.4 mm, 100 um]}}
  grid: {cell: c, size: 6, positions: {grid: {counts: [3, 2, 1], spacing: [10 um, 20 um, 0 um]}}}
  list: {cell: c, size: 2, positions: {list: [[0 um, 0 um, 0 um], [1 um, 2 um, -3 um]]}}
  file: {cell: c, size: 2, positions: {csv: places.csv}}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& p = result.network.populations;
  EXPECT_THAT(p.at(0).positions.size_um, ElementsAre(400, 400, 100));
  EXPECT_THAT(p.at(1).positions.counts, ElementsAre(3, 2, 1));
  EXPECT_THAT(p.at(1).positions.spacing_um, ElementsAre(10, 20, 0));
  EXPECT_THAT(p.at(2).positions.list_um.at(1), ElementsAre(1, 2, -3));
  EXPECT_THAT(p.at(3).positions.list_um.at(1), ElementsAre(4, 5, 6));
}

TEST(ModelReader, PlacesOnACellTakeEveryForm) {
  const auto network = good(R"yaml(
stimuli:
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: soma(0.5)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: axon(1)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: "dend[2](0)"}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: dend(*)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: uniform(dend)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: tips(dend)}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: all}
  - {iclamp: {amplitude: 1 nA, duration: 1 ms}, to: a, at: {of: dend, distance: [50 um, 80 um]}}
)yaml");
  using Kind = models::Locations::Kind;
  std::vector<Kind> kinds;
  std::vector<std::string> regions;
  for (const auto& stimulus : network.stimuli) {
    const auto& at = std::get<models::CurrentClamp>(stimulus.kind).at;
    kinds.push_back(at.kind);
    regions.push_back(at.region.name);
  }
  EXPECT_THAT(kinds, ElementsAre(Kind::position, Kind::position, Kind::position, Kind::middles,
                                 Kind::uniform, Kind::tips, Kind::all, Kind::uniform));
  EXPECT_THAT(regions,
              ElementsAre("soma", "axon", "dend[2]", "dend", "dend", "dend", "all", "dend"));
}

TEST(ModelReader, ABranchOfARegionIsCountedInFileOrderUnlessItsOwnNameFits) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 20 um}
        - {name: left, region: dend, parent: soma, length: 100 um, diameter: 2 um}
        - {name: "dend[0]", parent: soma, length: 100 um, diameter: 2 um}
populations: {p: {cell: c, size: 1}}
record:
  - {name: own, of: p, variable: v, at: "dend[0](0.5)"}
  - {name: counted, of: p, variable: v, at: "dend[1](0.5)"}
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_EQ(result.network.recordings.at(0).at.region.name, "dend[0]");
  EXPECT_EQ(result.network.recordings.at(1).at.region.name, "dend[0]");
}

TEST(ModelReader, CsvColumnsGiveOneValueToEachCell) {
  const ModelFolder folder;
  folder.write("g.csv", "cell,gbar\n0,1\n1,2\n2,4\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {pas: {g: {csv: g.csv, column: gbar, unit: mS/cm2}}}}
populations: {p: {cell: c, size: 3}}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  const auto& g = cable(result.network).regions.at(0).mechanisms.at(0).parameters.at("g");
  EXPECT_THAT(std::get<models::Column>(g.content()).values, ElementsAre(0.001, 0.002, 0.004));
}

TEST(ModelReader, RowsWithPlacesGiveOneValueToEachCompartment) {
  const ModelFolder folder;
  folder.write(
      "values.csv",
      "# of NEURON\nposition,gnabar,branch,e\n0.75,120,1,-70\n0.5,30,0,-65\n0.25,60,1,-75\n");
  folder.write("one.csv", "branch,position,cm\n0,0.5,1\n1,0.5,2\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 400 um, diameter: 2 um}]}
    regions:
      all: {cm: {csv: one.csv}, v_init: {csv: values.csv, column: e},
            hh: {gnabar: {csv: values.csv, column: gnabar, unit: mS/cm2}}}
populations: {p: {cell: c, size: 3}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(), IsEmpty());
  const models::RegionSettings& all = cable(result.network).regions.at(0);
  const models::Value& g = all.mechanisms.at(0).parameters.at("gnabar");
  const auto& rows = std::get<models::PlacedRows>(g.content());
  EXPECT_THAT(rows.file, testing::EndsWith("values.csv"));
  EXPECT_EQ(rows.name, "gnabar");
  ASSERT_THAT(rows.rows, SizeIs(3));
  EXPECT_EQ(rows.rows[0].branch, 0U);
  EXPECT_EQ(rows.rows[1].position, 0.25);
  EXPECT_EQ(rows.rows[1].value, 0.06);
  EXPECT_EQ(rows.rows[2].value, 0.12);
  EXPECT_FALSE(g.is_constant());
  EXPECT_TRUE(g.varies_along_cell());
  EXPECT_FALSE(g.varies_between_cells());
  EXPECT_TRUE(all.cm_uF_per_cm2->has_places());
  EXPECT_TRUE(all.v_init_mV->has_places());
}

TEST(ModelReader, RowsOfColumnsAndListsMakeEveryVariantMeetEveryStimulus) {
  const ModelFolder folder;
  folder.write("g.csv", "g,cm\n1,0.5\n2,1.5\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions:
      all:
        cm: {csv: g.csv, column: cm, row: "floor(index / 3)"}
        pas: {g: {csv: g.csv, column: g, unit: mS/cm2, row: "floor(index / 3)"}}
populations: {p: {cell: c, size: 6}}
stimuli:
  - {iclamp: {amplitude: {list: [100 pA, 0.2 nA, 0.3 nA], row: "mod(index, 3)"}, duration: 1 ms}, to: p,
     at: soma(0.5)}
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(), IsEmpty());
  const auto& region = cable(result.network).regions.at(0);
  const auto& g = region.mechanisms.at(0).parameters.at("g");
  const auto& clamp = std::get<models::CurrentClamp>(result.network.stimuli.at(0).kind);
  RandomStream none(0, Purpose::parameter, {});
  const auto whose = [] { return std::string(); };
  constexpr double nA[] = {0.1, 0.2, 0.3};
  for (int i = 0; i < 6; ++i) {
    Bindings cell;
    cell.index = i;
    cell.size = 6;
    EXPECT_EQ(g.evaluate(cell, none, whose), i < 3 ? 0.001 : 0.002);
    EXPECT_EQ(region.cm_uF_per_cm2->evaluate(cell, none, whose), i < 3 ? 0.5 : 1.5);
    EXPECT_EQ(clamp.amplitude.evaluate(cell, none, whose), nA[i % 3]) << i;
  }
}

TEST(ModelReader, RowsThatNoCellHasAreProbablyAMistake) {
  const ModelFolder folder;
  folder.write("g.csv", "g\n1\n2\n3\n4\n");
  folder.write("model.yaml", R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {pas: {g: {csv: g.csv, row: "floor(index / 3)"}}}}
populations: {p: {cell: c, size: 6}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
)yaml");
  const auto result = read(folder);
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(),
              ElementsAre(testing::AllOf(HasSubstr("6:30: cells.c.regions.all.pas.g: "),
                                         HasSubstr("g.csv has 4 rows, of which 2 belong to no cell "
                                                   "of population p (the first is row 2)"))));
}

TEST(ModelReader, DistributionsKeepTheirParametersInTheSlotsUnit) {
  const auto network = good(R"yaml(
stimuli:
  - {iclamp: {amplitude: {normal: {mean: 100 pA, sd: 10 pA}}, duration: 1 ms}, to: a, at: soma(0.5)}
  - {iclamp: {amplitude: {constant: 100 pA}, duration: {uniform: {min: 1 ms, max: 2 ms}}}, to: a,
     at: soma(0.5)}
)yaml");
  const auto& first = std::get<models::CurrentClamp>(network.stimuli.at(0).kind);
  const auto& normal = std::get<models::Distribution>(first.amplitude.content());
  EXPECT_EQ(normal.kind, models::Distribution::Kind::normal);
  EXPECT_EQ(normal.first, 0.1);
  EXPECT_EQ(normal.second, 0.01);
  const auto& second = std::get<models::CurrentClamp>(network.stimuli.at(1).kind);
  EXPECT_EQ(second.amplitude.constant(), 0.1);
  const auto& uniform = std::get<models::Distribution>(second.duration_ms.content());
  EXPECT_EQ(uniform.first, 1);
  EXPECT_EQ(uniform.second, 2);
}

TEST(ModelReader, AnchorsStandForTheirNodes) {
  const auto network = good(R"yaml(
stimuli:
  - {poisson: {rate: 1 Hz}, to: a, synapse: &s {expsyn: {tau: 3 ms}, at: soma(0.5)}, weight: 1 nS}
  - {poisson: {rate: 2 Hz}, to: b, synapse: *s, weight: 1 nS}
)yaml");
  const auto& events = std::get<models::EventSource>(network.stimuli.at(1).kind);
  EXPECT_EQ(events.synapse.mechanism.parameters.at("tau").constant(), 3);
}

TEST(ModelReader, UnusedDefinitionsAreWarnings) {
  const auto result = read(R"yaml(hillock: 1
run: {duration: 10 ms}
cells:
  used: {izhikevich: {}}
  idle: {izhikevich: {}}
populations:
  p: {cell: used, size: 1}
  q: {cell: used, size: 1}
record: [{name: spikes, of: p}]
)yaml");
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(),
              ElementsAre("5:3: cells.idle: no population uses this cell",
                          "8:3: populations.q: no projection, stimulus or record refers to it"));
}

TEST(ModelReader, AStopAfterTheRunIsCutWithAWarning) {
  const auto result = read(with_base(
      "record: [{name: v, of: a, variable: v, at: soma(0.5), stop: 20 ms}, {name: s, of: b}]"));
  EXPECT_THAT(result.errors(), IsEmpty());
  EXPECT_THAT(result.warnings(), ElementsAre(HasSubstr("record[0].stop: the run ends before")));
  EXPECT_EQ(result.network.recordings.at(0).stop_ms, 10);
}

TEST(ModelReader, AMissingModelIsAnInputError) {
  const ModelFolder folder;
  EXPECT_THROW(read(folder), InputOutputError);
}

}  // namespace
}  // namespace hillock::io
