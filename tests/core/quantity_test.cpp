#include "core/units/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace hillock {
namespace {

TEST(Quantity, NumberAndUnitMayTouchOrStandApart) {
  for (const char* text : {"10 ms", "10ms", " 10  ms ", "+10ms", "1e1 ms", "10. ms"}) {
    const auto quantity = read_quantity(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->value, 10) << text;
    EXPECT_EQ(quantity->unit_text, "ms") << text;
    ASSERT_TRUE(quantity->unit) << text;
  }
  EXPECT_EQ(read_quantity("-65 mV")->value, -65);
  EXPECT_EQ(read_quantity("0.2 /ms")->unit_text, "/ms");
  EXPECT_EQ(read_quantity("0.2 1/ms")->unit, read_quantity("0.2 /ms")->unit);
}

TEST(Quantity, APlainNumberHasAnEmptyUnit) {
  const auto quantity = read_quantity(".5");
  ASSERT_TRUE(quantity);
  EXPECT_EQ(quantity->value, 0.5);
  EXPECT_TRUE(quantity->unit_text.empty());
  EXPECT_TRUE(quantity->unit);
}

TEST(Quantity, AWordThatIsNoUnitIsKeptForTheMessage) {
  const auto quantity = read_quantity("10 furlong");
  ASSERT_TRUE(quantity);
  EXPECT_EQ(quantity->unit_text, "furlong");
  EXPECT_FALSE(quantity->unit);
}

TEST(Quantity, ArithmeticIsNoQuantity) {
  for (const char* text : {"2*r", "2 ms*r", "1 mV + 2 mV", "", "ms", "exp(1)", "1 2", "1 1/2", "-", "2 - 1"})
    EXPECT_FALSE(read_quantity(text)) << text;
}

TEST(Quantity, NumbersBeyondDoubleBecomeInfinityOrZero) {
  const std::string zeros(400, '0');
  for (const std::string& large :
       {std::string("1e400"), std::string("1E400"), std::string("2e+309"), std::string("0.5e400"),
        std::string(".5E+400"), "1" + zeros, "1" + zeros + "e-10", "1" + zeros + ".5E-10",
        std::string("1e99999999999999999999"), std::string("0.001e312")})
    EXPECT_EQ(read_quantity(large + " ms")->value, INFINITY) << large;
  for (const std::string& small :
       {std::string("1e-400"), std::string("1E-400"), std::string("123.5e-400"), "0." + zeros + "1",
        "." + zeros + "1E10", std::string("1E-99999999999999999999"), std::string("5e-325")})
    EXPECT_EQ(read_quantity(small + " ms")->value, 0) << small;
  EXPECT_EQ(read_quantity("0." + zeros + "1e401 ms")->value, 1);
}

TEST(Quantity, AnExponentWithoutDigitsBeginsAWord) {
  std::size_t length = 0;
  EXPECT_EQ(read_number("3em", length), 3.0);
  EXPECT_EQ(length, 1U);
  EXPECT_EQ(read_number("3e+2x", length), 300.0);
  EXPECT_EQ(length, 4U);
}

}  // namespace
}  // namespace hillock
