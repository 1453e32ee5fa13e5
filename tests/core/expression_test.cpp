#include "core/expressions/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace hillock {
namespace {

const std::vector<Variable> all_variables = {Variable::index, Variable::size, Variable::distance,
                                             Variable::x,     Variable::y,    Variable::z,
                                             Variable::diam,  Variable::r};

double value(const std::string& text, const char* unit = "", const Bindings& bindings = {}) {
  const auto parsed = Expression::parse(text, unit_of(unit), all_variables);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    ADD_FAILURE() << text << ": " << error->message;
    return std::nan("");
  }
  return std::get<Expression>(parsed).evaluate(bindings);
}

ExpressionError error(const std::string& text, const char* unit = "",
                      const std::vector<Variable>& allowed = all_variables) {
  const auto parsed = Expression::parse(text, unit_of(unit), allowed);
  if (const auto* found = std::get_if<ExpressionError>(&parsed)) return *found;
  ADD_FAILURE() << text << " is accepted";
  return {};
}

// A value that passes through SI is rounded a few times; 1e-14 is 45 units in the last place.
constexpr double round_off = 1e-14;
#define EXPECT_CLOSE(a, b) EXPECT_NEAR(a, b, std::abs(b) * round_off)

TEST(Expression, ALiteralIsConvertedInOneRounding) {
  EXPECT_EQ(value("0.025 ms", "ms"), 0.025);
  EXPECT_EQ(value("0.5 nS", "uS"), 0.0005);
  EXPECT_EQ(value("1s", "ms"), 1000);
  EXPECT_EQ(value("-65 mV", "mV"), -65);
  EXPECT_NEAR(value("6.3 degC", "K"), 279.45, 1e-12);  // round-off
}

TEST(Expression, PrecedenceIsThatOfArithmetic) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8/2/2"), 2);
  EXPECT_EQ(value("8 - 2 - 2"), 4);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("1 < 2 ? 10 : 20"), 10);
  EXPECT_EQ(value("1 > 2 ? 10 : 3 >= 3 ? 20 : 30"), 20);
}

TEST(Expression, ANumberAndItsUnitBindTightest) {
  Bindings at;
  at.distance_um = 300;
  EXPECT_CLOSE(value("1e-4 S/cm2 * exp(distance / 300 um)", "S/cm2", at), 1e-4 * std::exp(1.0));
  EXPECT_CLOSE(value("0.2*exp(-distance/150 um)", "", at), 0.2 * std::exp(-2.0));
  EXPECT_CLOSE(value("distance / 0.3 m/s", "ms", at), 1.0);
  EXPECT_CLOSE(value("1 mV/2 + 3mV*2", "mV"), 6.5);
  EXPECT_CLOSE(value("1 mV-3 mV", "mV"), -2.0);
  EXPECT_CLOSE(value("2 1/ms * 3 ms"), 6.0);
  EXPECT_CLOSE(value("2 1/ms + r*0 1/s", "1/ms", at), 2.0);
}

TEST(Expression, VariablesTakeTheirBindings) {
  Bindings b{3, 10, 20, 1, 2, 4, 1.5, 0.25};
  EXPECT_EQ(value("index + size", "", b), 13);
  EXPECT_EQ(value("-65 + 15*r*r", "", b), -64.0625);
  EXPECT_CLOSE(value("distance", "um", b), 20.0);
  EXPECT_CLOSE(value("x + y*2 + z", "um", b), 9.0);
  EXPECT_CLOSE(value("1e-4 S/cm2 * (diam / 1 um)^2", "S/cm2", b), 2.25e-4);
  EXPECT_CLOSE(value("-65 mV + 5 mV * (2*r - 1)", "mV", b), -67.5);
}

TEST(Expression, FunctionsAreThoseOfTheMathLibrary) {
  Bindings b;
  b.x_um = 2;
  EXPECT_EQ(value("exp(1)"), std::exp(1.0));
  EXPECT_EQ(value("log(2)"), std::log(2.0));
  EXPECT_EQ(value("sin(1) + cos(1)"), std::sin(1.0) + std::cos(1.0));
  EXPECT_EQ(value("tanh(0.5)"), std::tanh(0.5));
  EXPECT_EQ(value("floor(-1.5)"), -2);
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2)"), 4);
  EXPECT_CLOSE(value("abs(-x)", "um", b), 2.0);
  EXPECT_CLOSE(value("sqrt(x*x + 0 um2)", "um", b), 2.0);
  EXPECT_CLOSE(value("max(x, 5 um)", "um", b), 5.0);
  EXPECT_CLOSE(value("x^2", "um2", b), 4.0);
}

TEST(Expression, NotANumberStaysSoInMinAndMaxWhicheverSideItIsOn) {
  for (const char* text : {"min(1, 0/0)", "min(0/0, 1)", "max(1, 0/0)", "max(0/0, 1)",
                           "min(1, 0/0, 2)", "max(1, 2, 0/0)", "max(0/0, 2, 1)"})
    EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_EQ(value("min(2, 1/0, 3)"), 2);
  EXPECT_EQ(value("max(2, 1/0, 3)"), std::numeric_limits<double>::infinity());
}

TEST(Expression, ModCountsRoundAndRoundWhateverTheSign) {
  Bindings b;
  b.index = 30;
  EXPECT_EQ(value("mod(index, 13)", "", b), 4);
  EXPECT_EQ(value("floor(index / 13)", "", b), 2);
  EXPECT_EQ(value("mod(-1, 13)"), 12);
  EXPECT_EQ(value("mod(1, -13)"), -12);
  EXPECT_EQ(value("mod(-26, 13)"), 0);
  EXPECT_EQ(value("mod(0.7, 0.1)"), std::fmod(0.7, 0.1));
  EXPECT_CLOSE(value("mod(25 ms, 10 ms)", "ms"), 5.0);
  EXPECT_TRUE(std::isnan(value("mod(1, 0)")));
  EXPECT_EQ(error("mod(1 mV, 2)", "mV").message, "mod of a voltage and a plain number");
  EXPECT_EQ(error("mod(1)").message, "mod needs two values, separated by a comma");
  EXPECT_EQ(error("mod(1, 2, 3)").message, "mod takes two values");
  EXPECT_EQ(error("index % 13").message, "unexpected '%' in the expression (write mod(a, b))");
}

TEST(Expression, ComparisonsGiveZeroOrOne) {
  EXPECT_EQ(value("(1 < 2) + (1 <= 1) + (2 > 1) + (1 >= 2) + (1 == 1) + (1 != 1)"), 4);
}

TEST(Expression, ConditionsAreJoinedWithThePrecedenceOfC) {
  EXPECT_EQ(value("1 && 2"), 1);
  EXPECT_EQ(value("1 && 0"), 0);
  EXPECT_EQ(value("0 || -3"), 1);
  EXPECT_EQ(value("0 || 0"), 0);
  EXPECT_EQ(value("!0.5"), 0);
  EXPECT_EQ(value("!0"), 1);
  EXPECT_EQ(value("1 || 1 && 0"), 1);
  EXPECT_EQ(value("(1 || 1) && 0"), 0);
  EXPECT_EQ(value("!0 == 2"), 0);
  EXPECT_EQ(value("!(0 == 2)"), 1);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("2 < 3 && 4 > 5 || 1 <= 1 ? 7 : 8"), 7);
  EXPECT_EQ(value("0 && 1 ? 7 : 1 && 1 && 0.5 ? 8 : 9"), 8);
  EXPECT_EQ(value("(0.5 && 2) + (3 || 4) + !!5"), 3);
  Bindings at;
  at.distance_um = 150;
  EXPECT_EQ(value("distance > 100 um && distance < 200 um ? 1 mV : 2 mV", "mV", at), 1);
  at.distance_um = 250;
  EXPECT_EQ(value("distance > 100 um && distance < 200 um ? 1 mV : 2 mV", "mV", at), 2);
  EXPECT_EQ(error("1 mV && 1").message, "what '&&' takes must be a plain number, not a voltage");
  EXPECT_EQ(error("1 || distance").offset, 5u);
  EXPECT_EQ(error("!x").message, "what '!' takes must be a plain number, not a length");
  EXPECT_EQ(error("1 && 1", "mV").message,
            "the expression gives a plain number; a voltage is needed");
  EXPECT_EQ(error("1 & 1").message, "unexpected '&' in the expression");
}

TEST(Expression, PiIsAConstant) {
  EXPECT_EQ(value("pi"), 3.14159265358979323846);
  EXPECT_CLOSE(value("2*pi*3 um", "um"), 18.849555921538759);
  EXPECT_NEAR(value("sin(pi)"), 0, 1e-15);  // the sine of the double next to pi
  EXPECT_NE(error("2 pi").message.find("write * before 'pi'"), std::string::npos);
}

TEST(Expression, DimensionsAreChecked) {
  EXPECT_EQ(error("1 mV + 2 ms", "mV").message, "cannot add a time to a voltage");
  EXPECT_EQ(error("1 mV + 2 ms", "mV").offset, 5U);
  EXPECT_EQ(error("1 mV < 2 ms").message, "cannot compare a voltage with a time");
  EXPECT_EQ(error("exp(1 mV)").message, "the value of exp must be a plain number, not a voltage");
  EXPECT_EQ(error("2^(1 mV)").message, "an exponent must be a plain number, not a voltage");
  EXPECT_EQ(error("x^r", "um").message,
            "a length can only be raised to a whole number from -9 to 9");
  EXPECT_EQ(error("sqrt(x)", "um").message, "the square root of this value has no unit");
  EXPECT_EQ(error("r ? 1 mV : 1 ms", "mV").message,
            "the two sides of ':' differ: a voltage and a time");
  EXPECT_EQ(error("2*3", "ms").message, "the expression gives a plain number; a time is needed");
  EXPECT_EQ(error("10 mV", "ms").message, "10 mV is a voltage; a time is needed");
  EXPECT_EQ(error("max(1 mV, 2)", "mV").message, "max of a voltage and a plain number");
}

TEST(Expression, NamesAreCheckedWithASuggestion) {
  EXPECT_EQ(
      error("distnce / 1 um").message,
      "unknown name 'distnce' (variables here: index, size, distance, x, y, z, diam, r). Did you"
      " mean 'distance'?");
  EXPECT_EQ(error("2*distance/1 um", "", {Variable::r}).message,
            "'distance' cannot be used here (variables here: r)");
  EXPECT_EQ(error("2*distance/1 um", "", {Variable::r}).offset, 2U);
  EXPECT_EQ(
      error("system(1)").message,
      "unknown function 'system' (functions: exp log sqrt sin cos tanh abs min max floor mod).");
  EXPECT_EQ(error("ms").message,
            "unexpected unit 'ms' (a unit follows a number, without spaces inside, as in 0.12"
            " S/cm2)");
  EXPECT_EQ(error("2 r + 1").message, "'r' is not a unit (write * before 'r')");
  EXPECT_EQ(error("1 + 6 degC", "K").message,
            "degC can only stand alone (in arithmetic, write temperatures in K)");
}

TEST(Expression, BrokenTextsAreRefusedWhereTheyBreak) {
  EXPECT_EQ(error("1 +").offset, 3U);
  EXPECT_EQ(error("(1").message, "')' is missing");
  EXPECT_EQ(error("1)").message, "unexpected ')' in the expression");
  EXPECT_EQ(error("exp 1").message, "'(' is missing after exp");
  EXPECT_EQ(error("exp(1, 2)").message, "exp takes one value");
  EXPECT_EQ(error("min(1)").message, "min needs at least two values, separated by commas");
  EXPECT_EQ(error("r ? 1").message, "':' is missing after '?'");
  EXPECT_EQ(error("1e999").message, "the number is too large");
  error("");
  error("   ");
  error("1 + $x");
  error("a b c");
  error("1,2");
  error("'; import os");
}

TEST(Expression, DeepAndLongTextsAreRefusedNotFollowed) {
  EXPECT_EQ(error(std::string(1000, '(') + "1" + std::string(1000, ')')).message,
            "the expression is nested too deeply");
  EXPECT_EQ(error(std::string(1000, '-') + "r").message, "the expression is nested too deeply");
  std::string powers = "r";
  for (int i = 0; i < 500; ++i) powers += "^r";
  EXPECT_EQ(error(powers).message, "the expression is nested too deeply");
  EXPECT_EQ(error(std::string(5000, ' ') + "r+1").message,
            "the expression is longer than 4096 characters");
  std::string product = "x";
  for (int i = 0; i < 500; ++i) product += "*x";
  EXPECT_EQ(error(product).message, "the expression's unit has too high a power");
}

TEST(Expression, NestingUpToTheLimitEvaluates) {
  std::string text = "1";
  for (int i = 0; i < 30; ++i) text = "1+1*(" + text + ")";
  EXPECT_EQ(value(text), 31);
  text = "r";
  for (int i = 0; i < 20; ++i) text = "1 < 2 ? 3 + 2*(" + text + ")^1 : 0";
  EXPECT_GT(value(text), 0);
}

TEST(Expression, ConstancyAndUseAreKnown) {
  const auto constant = std::get<Expression>(Expression::parse("2*3", Unit{}, all_variables));
  EXPECT_TRUE(constant.is_constant());
  const auto varying = std::get<Expression>(Expression::parse("2*r", Unit{}, all_variables));
  EXPECT_FALSE(varying.is_constant());
  EXPECT_TRUE(varying.uses(Variable::r));
  EXPECT_FALSE(varying.uses(Variable::x));
  EXPECT_EQ(varying.text(), "2*r");
}

}  // namespace
}  // namespace hillock
