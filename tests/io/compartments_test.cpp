// Cells that are given in compartments, and their values by compartment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/io/hdf5_making.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A soma of one compartment, and a dendrite of three that joins its middle.
MadeHdf5 two_branches(const ModelFolder& folder) {
  MadeHdf5 file(folder.path() / "cell.h5");
  file.texts("/branches/name", {"soma", "dend[0]"})
      .numbers("/branches/parent", {-1, 0})
      .numbers("/branches/at", {1, 0.5})
      .numbers("/branches/compartments", {1, 3})
      .numbers("/branches/length", {20, 300})
      .numbers("/branches/end_resistance", {0.1, 40})
      .numbers("/compartments/area", {1200, 600, 500, 400})
      .numbers("/compartments/diameter", {20, 2, 1.8, 1.5})
      .numbers("/compartments/resistance", {0.2, 30, 60, 70});
  return file;
}

std::string with_regions(const std::string& regions, const std::string& keys = "") {
  return "hillock: 1\nrun: {duration: 10 ms}\ncells:\n  c:\n    morphology: {compartments: {hdf5: "
         "cell.h5}" +
         keys + "}\n    regions: {" + regions + "}\npopulations: {p: {cell: c, size: 2}}\n" +
         "record: [{name: v, of: p, variable: v, at: soma(0.5)}]\n";
}

ReadResult read_with(const ModelFolder& folder, const std::string& regions,
                     const std::string& keys = "") {
  folder.write("model.yaml", with_regions(regions, keys));
  return read(folder);
}

const models::CableCell& cell_of(const ReadResult& result) {
  return std::get<models::CableCell>(result.network.cells.at(0).kind);
}

TEST(GivenCompartments, AreBranchesWithTheirNumbers) {
  const ModelFolder folder;
  two_branches(folder);
  const auto result = read_with(folder, "all: {pas: {}}, dend: {hh: {}}", ", origin: soma(0)");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& morphology = std::get<models::Morphology>(cell_of(result).morphology);
  ASSERT_EQ(morphology.branches.size(), 2U);
  const models::Branch& dendrite = morphology.branches[1];
  EXPECT_EQ(dendrite.name, "dend[0]");
  EXPECT_EQ(dendrite.region, "dend");
  EXPECT_EQ(dendrite.parent, 0);
  EXPECT_EQ(dendrite.at, 0.5);
  EXPECT_EQ(dendrite.compartments, 3);
  EXPECT_EQ(models::length_um(dendrite), 300);
  EXPECT_EQ(dendrite.points.front().x_um, 10);
  EXPECT_EQ(dendrite.points.back().diameter_um, 1.5);
  ASSERT_TRUE(morphology.given);
  EXPECT_THAT(morphology.given->area_um2, ElementsAre(1200, 600, 500, 400));
  EXPECT_THAT(morphology.given->resistance_MOhm, ElementsAre(0.2, 30, 60, 70));
  EXPECT_THAT(morphology.given->end_resistance_MOhm, ElementsAre(0.1, 40));
  EXPECT_EQ(result.network.inputs.size(), 2U);  // the model and the file, with its hash
  EXPECT_FALSE(result.network.inputs[1].sha256.empty());
}

TEST(GivenCompartments, MayHaveCentreLines) {
  const ModelFolder folder;
  two_branches(folder)
      .numbers("/cells/7/branches/parent", {-1})
      .texts("/cells/7/branches/name", {"soma"})
      .numbers("/cells/7/branches/compartments", {2})
      .numbers("/cells/7/branches/end_resistance", {1})
      .numbers("/cells/7/compartments/area", {10, 11})
      .numbers("/cells/7/compartments/diameter", {3, 3})
      .numbers("/cells/7/compartments/resistance", {1, 2})
      .numbers("/cells/7/points/branch", {0, 0, 0})
      .numbers("/cells/7/points/x", {0, 3, 3})
      .numbers("/cells/7/points/y", {0, 4, 4})
      .numbers("/cells/7/points/z", {0, 0, 7})
      .numbers("/cells/7/points/diameter", {3, 3, 2});
  std::string text = with_regions("all: {pas: {}}");
  text.replace(text.find("cell.h5}"), 8, "cell.h5, group: /cells/7}");
  folder.write("model.yaml", text);
  const auto result = read(folder);
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& branch = std::get<models::Morphology>(cell_of(result).morphology).branches.at(0);
  EXPECT_EQ(models::length_um(branch), 12);
  EXPECT_EQ(branch.at, 1);
}

TEST(GivenCompartments, MayHaveSizesOfEachCellsOwn) {
  const ModelFolder folder;
  two_branches(folder)
      .numbers("/compartments/area", {1200, 600, 500, 400, 1201, 601, 501, 401}, 4)
      .numbers("/branches/length", {20, 300, 30, 310}, 2);
  const auto result = read_with(folder, "all: {pas: {}}");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& morphology = std::get<models::Morphology>(cell_of(result).morphology);
  EXPECT_TRUE(models::sizes_vary(morphology));
  EXPECT_EQ(models::length_um(morphology.branches[1]), 300);
  const models::Morphology second = models::of_one_cell(morphology, 1);
  EXPECT_FALSE(models::sizes_vary(second));
  EXPECT_EQ(models::length_um(second.branches[1]), 310);
  EXPECT_EQ(second.branches[1].points.front().x_um, 15);
  EXPECT_THAT(second.given->area_um2, ElementsAre(1201, 601, 501, 401));
  EXPECT_THAT(second.given->diameter_um, ElementsAre(20, 2, 1.8, 1.5));
}

TEST(GivenCompartments, OfOwnSizesAreAsManyAsCells) {
  const ModelFolder folder;
  const auto error_with = [&](const std::string& name, const std::vector<double>& values,
                              hsize_t columns) {
    two_branches(folder)
        .numbers("/branches/length", {20, 300, 30, 310}, 2)
        .numbers(name, values, columns);
    const auto errors = read_with(folder, "all: {pas: {}}").errors();
    return errors.size() == 1 ? errors[0] : "no error, or several";
  };
  EXPECT_THAT(error_with("/branches/end_resistance", {1, 2, 3, 4, 5, 6}, 2),
              HasSubstr("/branches/length has rows for 2 cells, and another dataset for 3"));
  EXPECT_THAT(error_with("/compartments/area", {1, 2, 3, 4, 5, 6}, 3),
              HasSubstr("/compartments/area has 3 columns, and must have 4"));
  EXPECT_THAT(error_with("/compartments/area", {1, 2, 3, 4, 5, 6, -7, 8}, 4),
              HasSubstr("/compartments/area, row 1: -7 in column 2 is not a number above 0"));
  EXPECT_THAT(error_with("/branches/length", {1, 2, 3, 4, 5, 6}, 2),
              HasSubstr("cell.h5 has 3 rows, but population p has 2 cells (one row per cell)"));
}

TEST(GivenCompartments, AreRefusedWithTheRowThatIsWrong) {
  const ModelFolder folder;
  const auto error_with = [&](const std::string& name, const std::vector<double>& values) {
    two_branches(folder).numbers(name, values);
    const auto errors = read_with(folder, "all: {pas: {}}").errors();
    return errors.size() == 1 ? errors[0] : "no error, or several";
  };
  EXPECT_THAT(error_with("/branches/parent", {-1, 1}),
              HasSubstr("cell.h5: /branches/parent, row 1: 1 is not the row of a branch above"));
  EXPECT_THAT(error_with("/branches/parent", {0, 0}),
              HasSubstr("/branches/parent, row 0: 0 is not -1, which the root"));
  EXPECT_THAT(error_with("/branches/at", {1, 1.5}), HasSubstr("/branches/at, row 1: 1.5 is not"));
  EXPECT_THAT(error_with("/branches/compartments", {1, 2.5}),
              HasSubstr("row 1: 2.5 is not a whole number from 1 and at most 32767"));
  EXPECT_THAT(error_with("/branches/compartments", {1, 2}),
              HasSubstr("/compartments/area has 4 rows, and must have 3"));
  EXPECT_THAT(error_with("/compartments/area", {1200, 0, 500, 400}),
              HasSubstr("/compartments/area, row 1: 0 is not a number above 0"));
  EXPECT_THAT(error_with("/compartments/resistance", {1, std::nan(""), 1, 1}),
              HasSubstr("/compartments/resistance, row 1: nan is not"));
  EXPECT_THAT(error_with("/points/branch", {0, 0, 1, 1}),
              HasSubstr("needs either branches/length or points"));
  two_branches(folder).texts("/branches/name", {"soma", "soma"});
  EXPECT_THAT(read_with(folder, "all: {pas: {}}").errors(),
              ElementsAre(HasSubstr("/branches/name, row 1: 'soma' is the name of row 0, too")));
  two_branches(folder).texts("/branches/name", {"soma", "a.b"});
  EXPECT_THAT(read_with(folder, "all: {pas: {}}").errors(),
              ElementsAre(HasSubstr("row 1: 'a.b' cannot name a branch")));
  two_branches(folder).texts("/branches/name", {"dend", "dend[0]"});
  EXPECT_THAT(read_with(folder, "all: {pas: {}}").errors(),
              ElementsAre(HasSubstr("row 0: the branch 'dend' is called like the region")));
  folder.write("cell.h5", "no HDF5");
  EXPECT_THAT(read_with(folder, "all: {pas: {}}").errors(), ElementsAre(HasSubstr("cell.h5: ")));
}

TEST(GivenCompartments, AreNotCutOrChanged) {
  const ModelFolder folder;
  two_branches(folder);
  EXPECT_THAT(read_with(folder, "all: {pas: {}, Ra: 100 ohm.cm}").errors(),
              ElementsAre(HasSubstr("the compartments of this cell are given")));
  EXPECT_THAT(read_with(folder, "dend: {pas: {}, diam: 1 um}").errors(),
              ElementsAre(HasSubstr("the compartments of this cell are given")));
  EXPECT_THAT(read_with(folder, "all: {pas: {}, discretization: {per_branch: 1}}").errors(),
              ElementsAre(HasSubstr("the compartments of this cell are given")));
}

TEST(GivenCompartments, TakeValuesByCompartmentAndByCell) {
  const ModelFolder folder;
  const double none = std::nan("");
  two_branches(folder)
      .numbers("/hh/gnabar", {none, 120, 60, 30})
      .numbers("/cm", {1, 1, 2, 2, 1, 1, 3, 3}, 4);
  const auto result =
      read_with(folder,
                "all: {cm: {hdf5: cell.h5, compartments: /cm}}, "
                "dend: {hh: {gnabar: {hdf5: cell.h5, compartments: /hh/gnabar, unit: mS/cm2}}}");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& regions = cell_of(result).regions;
  const models::Value& cm = *regions.at(0).cm_uF_per_cm2;
  EXPECT_TRUE(cm.varies_between_cells());
  EXPECT_TRUE(cm.varies_along_cell());
  const auto whose = [] { return std::string("p[1]"); };
  EXPECT_EQ(cm.at({1, 1, 3}, 0, whose), 2);
  EXPECT_EQ(cm.at({1, 1, 3}, 1, whose), 3);
  const models::Value& g = regions.at(1).mechanisms.at(0).parameters.at("gnabar");
  EXPECT_FALSE(g.varies_between_cells());
  EXPECT_EQ(g.at({1, 2, 3}, 1, whose), 0.03);
  try {
    g.at({0, 0, 1}, 0, whose);
    FAIL() << "accepted";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("cell.h5 has no number in /hh/gnabar for p[1] (of branch 0"));
  }
}

TEST(GivenCompartments, RefuseValuesThatDoNotFit) {
  const ModelFolder folder;
  two_branches(folder)
      .numbers("/short", {1, 2, 3})
      .numbers("/three", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4)
      .numbers("/negative", {1, -1, 1, 1});
  const auto errors = [&](const std::string& value) {
    return read_with(folder, "all: {pas: {}, cm: {" + value + "}}").errors();
  };
  EXPECT_THAT(errors("hdf5: cell.h5, compartments: /short"),
              ElementsAre(HasSubstr("has 3 numbers, and the cell has 4 compartments")));
  EXPECT_THAT(errors("hdf5: cell.h5, compartments: /three"),
              ElementsAre(HasSubstr("has 3 rows, but population p has 2 cells")));
  EXPECT_THAT(errors("hdf5: cell.h5, compartments: /negative"),
              ElementsAre(HasSubstr("/negative, number 1: -1 uF/cm2 must not be negative")));
  EXPECT_THAT(errors("hdf5: cell.h5, compartments: /nothing"),
              ElementsAre(HasSubstr("has no dataset of numbers /nothing")));
  EXPECT_THAT(errors("hdf5: cell.h5"), ElementsAre(HasSubstr("compartments")));
  EXPECT_THAT(read(with_base("stimuli: [{iclamp: {amplitude: {hdf5: a.h5, compartments: /x}, "
                             "duration: 1 ms}, to: a, at: soma(0.5)}]\n"))
                  .errors(),
              ElementsAre(HasSubstr("values by compartment can stand only in regions of a cell")));
}

TEST(GivenCompartments, TellOnceThatTheirFileIsMissing) {
  const ModelFolder folder;
  const std::string value = "{hdf5: cell.h5, compartments: /numbers}";
  EXPECT_THAT(read_with(folder, "all: {pas: {g: " + value + "}, cm: " + value +
                                    "}, dend: {hh: {gnabar: " + value + "}}")
                  .errors(),
              ElementsAre(HasSubstr("morphology.compartments.hdf5")));
}

TEST(GivenCompartments, MayHaveAPotentialOutsideByCompartment) {
  const ModelFolder folder;
  two_branches(folder).numbers("/outside", {1, 2, 3, 4, 5, 6, 7, 8}, 4).numbers("/short", {1, 2});
  const auto with_field = [&](const std::string& dataset) {
    folder.write("model.yaml", with_regions("all: {pas: {}}") +
                                   "stimuli: [{to: p, field: {potential: {hdf5: cell.h5, "
                                   "compartments: " +
                                   dataset + "}}}]\n");
    return read(folder);
  };
  const auto result = with_field("/outside");
  ASSERT_THAT(result.errors(), IsEmpty());
  const auto& field =
      *std::get<std::shared_ptr<const models::Field>>(result.network.stimuli.at(0).kind);
  const auto whose = [] { return std::string("p[1]"); };
  EXPECT_EQ(std::get<models::Value>(field.potential).at({1, 1, 3}, 1, whose), 7);
  EXPECT_THAT(with_field("/short").errors(),
              ElementsAre(HasSubstr("has 2 numbers, and the cell has 4 compartments")));
}

}  // namespace
}  // namespace hillock::io
