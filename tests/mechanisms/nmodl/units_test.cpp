#include "mechanisms/nmodl/analyse/units.hpp"

#include <gtest/gtest.h>

namespace hillock::nmodl {
namespace {

TEST(UnitForModels, KeepsWhatModelFilesKnow) {
  for (const char* unit : {"mV", "S/cm2", "mho/cm2", "1/ms", "/ms", "degC", "1"})
    EXPECT_EQ(unit_for_models(unit), unit);
}

TEST(UnitForModels, SpellsWhatNmodlSpellsOtherwise) {
  EXPECT_EQ(unit_for_models("/mM-ms"), "1/mM/ms");
  EXPECT_EQ(unit_for_models("um2 mV"), "um2.mV");
  EXPECT_EQ(unit_for_models("ohm-cm"), "ohm.cm");
  for (const char* text : {"/mM-ms", "um2 mV", "ohm-cm"})
    EXPECT_EQ(unit_of(unit_for_models(text)), UnitTable().parse(text)) << text;
}

TEST(UnitForModels, IsAPlainNumberWhereThereIsNoWord) {
  EXPECT_EQ(unit_for_models(""), "1");
  EXPECT_EQ(unit_for_models("1e3 apples"), "1");
}

}  // namespace
}  // namespace hillock::nmodl
