#include "core/errors/diagnostics.hpp"

#include <gtest/gtest.h>

#include "core/errors/errors.hpp"

namespace hillock {
namespace {

TEST(Diagnostics, PlacesPrintAsCompilersPrintThem) {
  EXPECT_EQ(to_string(Place{"ring.yaml", 14, 9}), "ring.yaml:14:9");
  EXPECT_EQ(to_string(Place{"ring.yaml", 14, 0}), "ring.yaml:14");
  EXPECT_EQ(to_string(Place{"--set", 0, 0}), "--set");
  EXPECT_EQ(to_string(Diagnostic{Severity::error, {"a.yaml", 1, 2}, "wrong"}),
            "a.yaml:1:2: error: wrong");
  EXPECT_EQ(to_string(Diagnostic{Severity::warning, {"a.yaml", 1, 2}, "odd"}),
            "a.yaml:1:2: warning: odd");
}

TEST(Diagnostics, AllErrorsAreThrownTogether) {
  Diagnostics diagnostics;
  diagnostics.warning({"a.yaml", 1, 1}, "odd");
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
  diagnostics.error({"a.yaml", 2, 1}, "wrong");
  diagnostics.error({"a.yaml", 3, 1}, "also wrong");
  EXPECT_EQ(diagnostics.error_count(), 2U);
  try {
    diagnostics.throw_if_errors();
    FAIL() << "nothing was thrown";
  } catch (const InvalidModel& error) {
    EXPECT_EQ(error.diagnostics().size(), 3U);
    EXPECT_STREQ(error.what(),
                 "a.yaml:1:1: warning: odd\na.yaml:2:1: error: wrong\na.yaml:3:1: error: also"
                 " wrong");
  }
}

TEST(Diagnostics, AFindingOfOthersCountsAsOnesOwn) {
  Diagnostics diagnostics;
  diagnostics.add({Severity::note, {"a.yaml", 1, 1}, "by the way"});
  diagnostics.add({Severity::warning, {"a.yaml", 1, 1}, "odd"});
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.add({Severity::error, {"a.yaml", 2, 1}, "wrong"});
  diagnostics.add({Severity::error, {"a.yaml", 2, 1}, "wrong"});
  EXPECT_EQ(diagnostics.error_count(), 1U);
  EXPECT_THROW(diagnostics.throw_if_errors(), InvalidModel);
}

TEST(Diagnostics, TheSameFindingIsKeptOnce) {
  Diagnostics diagnostics;
  diagnostics.error({"a.yaml", 2, 1}, "wrong");
  diagnostics.error({"a.yaml", 2, 1}, "wrong");
  EXPECT_EQ(diagnostics.error_count(), 1U);
}

TEST(Diagnostics, TheNearestWordIsSuggestedWhenItIsNear) {
  const std::vector<std::string> keys{"duration", "dt", "seed", "temperature"};
  EXPECT_EQ(nearest("durration", keys), "duration");
  EXPECT_EQ(nearest("drutaion", keys), "duration");
  EXPECT_EQ(nearest("td", keys), "dt");
  EXPECT_EQ(nearest("banana", keys), "");
  EXPECT_EQ(did_you_mean("sed", keys), " Did you mean 'seed'?");
  EXPECT_EQ(did_you_mean("banana", keys), "");
  EXPECT_EQ(nearest("", {}), "");
}

}  // namespace
}  // namespace hillock
