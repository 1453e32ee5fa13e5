#include "core/units/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace hillock {
namespace {

double in(const char* text, const char* unit, double value = 1) {
  return convert(value, unit_of(text), unit_of(unit));
}

// Exact: powers of ten are applied in one rounding, so these are the doubles a reader writes.
TEST(Units, PowersOfTenConvertExactly) {
  EXPECT_EQ(in("nS", "uS", 0.5), 0.0005);
  EXPECT_EQ(in("m/s", "um/ms", 0.3), 300);
  EXPECT_EQ(in("nM", "mM", 50), 5e-5);
  EXPECT_EQ(in("V", "mV", 0.065), 65);
  EXPECT_EQ(in("mm", "um", 1.2), 1200);
  EXPECT_EQ(in("uF/cm2", "F/m2", 1), 0.01);
  EXPECT_EQ(in("mS/cm2", "S/cm2", 120), 0.12);
  EXPECT_EQ(in("pS/um2", "S/cm2", 1200), 0.12);
  EXPECT_EQ(in("kohm.cm", "ohm.cm", 0.1), 100);
}

TEST(Units, MinutesAndHoursConvert) {
  EXPECT_DOUBLE_EQ(in("min", "s", 2), 120);
  EXPECT_DOUBLE_EQ(in("h", "min", 1), 60);
}

TEST(Units, BothMicroSignsAreTheLetterU) {
  EXPECT_EQ(unit_of("\u00b5m"), unit_of("um"));
  EXPECT_EQ(unit_of("\u03bcm"), unit_of("um"));
}

TEST(Units, ExponentsDotsAndSlashesFollowTheGrammar) {
  EXPECT_EQ(unit_of("S/cm2"), unit_of("S/cm^2"));
  EXPECT_EQ(unit_of("S/cm2"), unit_of("S.cm-2"));
  EXPECT_EQ(unit_of("S/cm2"), unit_of("S*cm^-2"));
  EXPECT_EQ(unit_of("1/ms"), unit_of("/ms"));
  EXPECT_EQ(unit_of("1/ms").dimension, unit_of("Hz").dimension);
  EXPECT_EQ(unit_of("mol/l"), unit_of("M"));
  EXPECT_TRUE(unit_of("").dimension.is_number());
  EXPECT_TRUE(unit_of("1").dimension.is_number());
}

TEST(Units, TextsThatAreNoUnitsGiveNothing) {
  for (const char* text : {"furlong", "mv", "ms ", " ms", "ms/", "S//cm2", "cm0", "cm^", "u", "3",
                           "ms..mV", "cm99999999999", "%", "kdegC", "mmin"})
    EXPECT_FALSE(parse_unit(text)) << text;
  EXPECT_THROW(unit_of("furlong"), std::logic_error);
}

TEST(Units, CelsiusHasAnOffsetAndKelvinHasNone) {
  EXPECT_NEAR(in("K", "degC", 279.45), 6.3, 1e-12);  // round-off of 273.15
  EXPECT_NEAR(in("degC", "K", 6.3), 279.45, 1e-12);
  EXPECT_EQ(in("degC", "degC", 6.3), 6.3);
}

TEST(Units, DimensionsHaveTheirNames) {
  EXPECT_EQ(describe(unit_of("mV").dimension), "a voltage");
  EXPECT_EQ(describe(unit_of("S/cm2").dimension), "a conductance per area");
  EXPECT_EQ(describe(unit_of("ohm.cm").dimension), "a resistivity");
  EXPECT_EQ(describe(unit_of("nA").dimension), "a current");
  EXPECT_EQ(describe(Dimension{}), "a plain number");
  EXPECT_EQ(describe(unit_of("kg.m").dimension), "a quantity in m kg");
}

TEST(Units, DimensionsMultiplyAndDivide) {
  EXPECT_EQ(unit_of("V").dimension / unit_of("A").dimension, unit_of("ohm").dimension);
  EXPECT_EQ(unit_of("V").dimension * unit_of("S").dimension, unit_of("A").dimension);
  EXPECT_EQ(power(unit_of("m").dimension, 2), unit_of("m2").dimension);
}

}  // namespace
}  // namespace hillock
