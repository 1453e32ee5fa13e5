// Values from a column of a CSV file: which one, where none is named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> errors_with(const std::string& table, const std::string& more = "") {
  const ModelFolder folder;
  folder.write("values.csv", table);
  folder.write("model.yaml", R"(hillock: 1
run: {duration: 10 ms, dt: 0.1 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions:
      all: {pas: {g: {csv: values.csv)" +
                                 more + R"(}}}
populations:
  p: {cell: c, size: 2}
)");
  return read(folder).errors();
}

TEST(ReadColumn, TakesTheOnlyOneThatHoldsValues) {
  EXPECT_THAT(errors_with("g\n1e-4\n2e-4\n"), IsEmpty());
  EXPECT_THAT(errors_with("branch,position,g\n0,0.5,1e-4\n"), IsEmpty());
  EXPECT_THAT(errors_with("g,branch,position\n1e-4,0,0.5\n"), IsEmpty());
  EXPECT_THAT(errors_with("position,g,branch\n0.5,1e-4,0\n"), IsEmpty());
}

TEST(ReadColumn, WantsANameWhereSeveralMayHoldThem) {
  const auto several = [](int columns) {
    return HasSubstr("has " + std::to_string(columns) + " columns (name one with column:)");
  };
  EXPECT_THAT(errors_with("a,b\n1e-4,2e-4\n1e-4,2e-4\n"), ElementsAre(several(2)));
  EXPECT_THAT(errors_with("a,b,c\n1e-4,2e-4,3e-4\n1e-4,2e-4,3e-4\n"), ElementsAre(several(3)));
  EXPECT_THAT(errors_with("branch,position,a,b\n0,0.5,1e-4,2e-4\n"), ElementsAre(several(4)));
  EXPECT_THAT(errors_with("branch,position,a,b\n0,0.5,1e-4,2e-4\n", ", column: b"), IsEmpty());
  EXPECT_THAT(errors_with("branch,position,a,b\n0,0.5,1e-4,2e-4\n", ", column: d"),
              ElementsAre(HasSubstr("no column 'd' (its columns: branch, position, a, b)")));
}

}  // namespace
}  // namespace hillock::io
