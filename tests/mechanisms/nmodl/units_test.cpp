#include "mechanisms/nmodl/analyse/units.hpp"

#include <gtest/gtest.h>

namespace hillock::nmodl {
namespace {

TEST(UnitForModels, KeepsWhatModelFilesKnow) {
  for (const char* unit : {"mV", "S/cm2", "mho/cm2", "1/ms", "/ms", "degC", "1"})
    EXPECT_EQ(UnitTable().for_models(unit), unit);
}

TEST(UnitForModels, SpellsWhatNmodlSpellsOtherwise) {
  EXPECT_EQ(UnitTable().for_models("/mM-ms"), "1/mM/ms");
  EXPECT_EQ(UnitTable().for_models("um2 mV"), "um2.mV");
  EXPECT_EQ(UnitTable().for_models("ohm-cm"), "ohm.cm");
  for (const char* text : {"/mM-ms", "um2 mV", "ohm-cm"})
    EXPECT_EQ(unit_of(UnitTable().for_models(text)), UnitTable().parse(text)) << text;
}

TEST(UnitForModels, IsAPlainNumberWhereThereIsNoWord) {
  EXPECT_EQ(UnitTable().for_models(""), "1");
  EXPECT_EQ(UnitTable().for_models("1e3 apples"), "1");
}

TEST(UnitTable, ReadsNamesInAnotherCase) {
  const UnitTable table;
  const struct {
    const char* written;
    const char* meant;
  } cases[] = {
      {"mv", "mV"},           {"Mv", "mV"},        {"MV", "mV"},       {"MA/CM2", "mA/cm2"},
      {"mv/micron", "mV/um"}, {"HZ", "Hz"},        {"KHZ", "kHz"},     {"MS", "ms"},
      {"Ms", "ms"},           {"mS", "mS"},        {"s/cm2", "s/cm2"}, {"na", "nA"},
      {"Ohm-CM", "ohm.cm"},   {"MEGOHM", "MOhm"},  {"Siemens", "S"},   {"UMHO", "uS"},
      {"degc", "K"},          {"MilliVolt", "mV"}, {"um", "um"},       {"uM", "uM"}};
  for (const auto& [written, meant] : cases)
    EXPECT_EQ(table.parse(written), UnitTable().parse(meant)) << written;
  for (const char* text : {"UM", "MM", "NS", "bananas"}) EXPECT_FALSE(table.parse(text)) << text;
}

TEST(UnitTable, TheFilesOwnNamesGoBeforeUsualOnes) {
  UnitTable table;
  table.define("uM", unit_of("uM"));
  table.define("MV", unit_of("V"));
  EXPECT_EQ(table.parse("UM"), unit_of("uM"));
  EXPECT_EQ(table.parse("mv"), unit_of("V"));
  EXPECT_EQ(table.parse("mV"), unit_of("mV"));
}

TEST(UnitForModels, HasTheUsualCase) {
  UnitTable table;
  table.define("mv", unit_of("mV"));
  table.define("pa", unit_of("A"));
  for (const auto& [written, spelled] :
       std::initializer_list<std::pair<const char*, const char*>>{{"mv", "mV"},
                                                                  {"mv/micron", "mV/micron"},
                                                                  {"MA/cm2", "mA/cm2"},
                                                                  {"HZ", "Hz"},
                                                                  {"/MS", "/ms"},
                                                                  {"degc", "degC"},
                                                                  {"pa", "1"},
                                                                  {"megohm", "MOhm"},
                                                                  {"/megohm", "/MOhm"},
                                                                  {"kilohm", "kOhm"},
                                                                  {"SIEMENS/cm2", "siemens/cm2"}})
    EXPECT_EQ(table.for_models(written), spelled) << written;
}

}  // namespace
}  // namespace hillock::nmodl
