// A file that the confined reader answers questions of, and readers that are broken or broken into.

#include "io/columns/confined_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors/errors.hpp"
#include "io/recorded/shape.hpp"
#include "tests/io/sonata_reading.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::filesystem::path reader = HILLOCK_COLUMN_READER;

Provenance some_provenance() {
  Provenance provenance;
  provenance.model_text = "hillock: 1\n";
  provenance.seed = 7;
  provenance.model_sha256 = "abc";
  provenance.input_sha256 = {{"a.swc", "1"}, {"b.csv", "2"}};
  provenance.version = "0";
  return provenance;
}

/// A report of three columns, with the shape of its cell.
models::ReportLayout with_shape(std::string branch_name = "dend[0]") {
  models::ReportLayout layout = one_cell("v", 3, 4);
  models::Morphology shape;
  shape.branches.resize(2);
  shape.branches[0] = {"soma", "soma", -1, 1, {{0, 0, 0, 10}, {0, 10, 0, 10}}, 0};
  shape.branches[1] = {
      std::move(branch_name), "dend", 0, 0.5, {{0, 5, 0, 2}, {1, 5, 3, 1}, {2, 5, 9, 1}}, 0};
  layout.shape = std::make_shared<const models::Morphology>(shape);
  return layout;
}

void write(const std::filesystem::path& folder, const models::ReportLayout& layout) {
  ReportFile file(folder, layout, some_provenance());
  file.append(rows_of(3, 0, 4));
  file.finish();
}

template <class Action>
std::string problem_of(const Action& action) {
  try {
    action();
  } catch (const InputOutputError& error) {
    return error.what();
  }
  return "";
}

TEST(ConfinedFile, AnswersWhatIsAsked) {
  const ScratchFolder folder;
  write(folder.path(), with_shape());
  ConfinedFile file(folder / "v.h5", reader);
  EXPECT_THAT(file.children("/"), ElementsAre("morphology", "report"));
  EXPECT_THAT(file.children("/report"), ElementsAre("exc"));
  EXPECT_THAT(file.children("/nothing"), IsEmpty());
  EXPECT_EQ(file.extent("/report/exc/data"), (Extent{4, 3}));
  EXPECT_EQ(file.extent("/report/exc/mapping/time"), (Extent{3, 1}));
  EXPECT_EQ(file.extent("/report"), std::nullopt);
  EXPECT_THAT(file.numbers("/report/exc/data", {1, 1}, {2, 2}),
              ElementsAre(value_at(1, 1), value_at(1, 2), value_at(2, 1), value_at(2, 2)));
  EXPECT_EQ(file.text("/report/exc/data", "units"), "mV");
  EXPECT_EQ(file.text("/", "model_text"), "hillock: 1\n");
  EXPECT_THAT(file.texts("/", "input_names"), ElementsAre("a.swc", "b.csv"));
  EXPECT_THAT(file.texts("/", "seed"), IsEmpty());  // no text
  EXPECT_THAT(file.texts("/", "none"), IsEmpty());
  EXPECT_EQ(file.number("/", "seed"), 7);
  EXPECT_EQ(file.number("/", "model_text"), std::nullopt);  // no number
  EXPECT_EQ(file.number("/", "none"), std::nullopt);
  EXPECT_EQ(file.number("/nothing", "seed"), std::nullopt);
}

TEST(ConfinedFile, RefusesWhatIsNotThere) {
  const ScratchFolder folder;
  write(folder.path(), with_shape());
  ConfinedFile file(folder / "v.h5", reader);
  EXPECT_NE(problem_of([&] { file.numbers("/report/exc/data", {3, 0}, {2, 3}); }), "");
  ConfinedFile again(folder / "v.h5", reader);
  EXPECT_NE(problem_of([&] { again.column("/report/exc/data", 100); }), "");
  ConfinedFile once_more(folder / "v.h5", reader);
  EXPECT_NE(problem_of([&] { once_more.numbers("/x", {0, 0}, {std::uint64_t{1} << 40, 9}); }), "");
  EXPECT_THAT(problem_of([&] { ConfinedFile(folder / "none.h5", reader); }), HasSubstr("none.h5"));
  EXPECT_THAT(problem_of([&] { ConfinedFile(folder.path(), reader); }), HasSubstr("regular"));
  std::ofstream(folder / "empty.h5").close();
  ConfinedFile empty(folder / "empty.h5", reader);
  EXPECT_THAT(problem_of([&] { empty.children("/"); }), HasSubstr("not an HDF5 file"));
}

TEST(ConfinedFile, BelievesItsReaderInNothing) {
  const ScratchFolder folder;
  std::ofstream(folder / "file.h5") << "x";
  const auto with = [&](const std::string& script, const auto& action) {
    std::ofstream(folder / "reader") << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder / "reader", std::filesystem::perms::owner_all);
    return problem_of([&] {
      ConfinedFile file(folder / "file.h5", folder / "reader");
      action(file);
    });
  };
  const auto children = [](ConfinedFile& file) { file.children("/"); };
  EXPECT_THAT(with("exit 3", children), HasSubstr("does not work"));
  const std::string hello = "printf HilkCol1; head -c 49 >/dev/null; ";  // a question and "/"
  EXPECT_THAT(with(hello + "kill -SEGV $$", children), HasSubstr("signal 11"));
  EXPECT_THAT(with(hello + "exit 0", children), HasSubstr("cannot be read"));
  const std::string zeros = R"(\0\0\0\0\0\0\0\0)";
  EXPECT_THAT(
      with(hello + "printf '" + zeros + zeros + zeros + R"(\377\377\377\377\377\0\0\0')", children),
      HasSubstr("cannot be read"));  // an answer of a terabyte
  EXPECT_THAT(
      with(hello + R"(printf '\143\0\0\0)" + zeros + zeros + zeros + R"(\0\0\0\0')", children),
      HasSubstr("cannot be read"));  // problem 99
  EXPECT_EQ(with(hello + "printf '" + zeros + zeros + zeros + zeros + "'", children), "");
}

TEST(Shape, ComesBackFromItsFile) {
  const ScratchFolder folder;
  const models::ReportLayout layout = with_shape();
  write(folder.path(), layout);
  ConfinedFile file(folder / "v.h5", reader);
  const auto shape = recorded::read_shape(file, "exc");
  ASSERT_TRUE(shape);
  ASSERT_THAT(shape->branches, SizeIs(2));
  EXPECT_EQ(shape->branches[1].name, "dend[0]");
  EXPECT_EQ(shape->branches[1].parent, 0);
  EXPECT_EQ(shape->branches[1].at, 0.5);
  EXPECT_EQ(models::length_um(shape->branches[1]), models::length_um(layout.shape->branches[1]));
  EXPECT_EQ(shape->branches[0].points[1].diameter_um, 10);
  EXPECT_FALSE(recorded::read_shape(file, "inh"));
}

TEST(Shape, CutsLongNamesBetweenCharacters) {
  const ScratchFolder folder;
  std::string name = "x";
  for (int i = 0; i < 100; ++i) name += "µ";
  write(folder.path(), with_shape(name));
  ConfinedFile file(folder / "v.h5", reader);
  EXPECT_EQ(recorded::read_shape(file, "exc")->branches[1].name, name.substr(0, 127));
}

}  // namespace
}  // namespace hillock::io
