#include "core/expressions/block_program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/random/philox.hpp"
#include "core/random/random.hpp"

namespace hillock {
namespace {

const std::vector<Variable> every_variable = {Variable::index, Variable::size, Variable::distance,
                                              Variable::x,     Variable::y,    Variable::z,
                                              Variable::diam,  Variable::r};

std::uint64_t bits(double value) {
  // One not-a-number is as good as another.
  return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
}

/// Bindings with zeros of both signs, numbers without end, tiny and ordinary ones.
class Columns {
 public:
  Columns() {
    RandomStream draws(7, Purpose::parameter, {});
    const double odd[] = {0., -0., 1, -1, 2, INFINITY, -INFINITY, NAN, 5e-324, 1e308, -1e308, 0.5};
    for (LaneArray& column : columns_) {
      column.resize(block_size);
      for (std::size_t i = 0; i < block_size; ++i)
        column[i] = draws.uniform() < 0.4 ? odd[draws.below(std::size(odd))]
                                          : 2e6 * (draws.uniform() - 0.5);
    }
  }

  BlockProgram::Variables variables() const {
    BlockProgram::Variables all{};
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = columns_[v].data();
    return all;
  }

  Bindings at(std::size_t i) const {
    const auto value = [&](Variable v) { return columns_[static_cast<std::size_t>(v)][i]; };
    return {value(Variable::index), value(Variable::size), value(Variable::distance),
            value(Variable::x),     value(Variable::y),    value(Variable::z),
            value(Variable::diam),  value(Variable::r)};
  }

 private:
  std::array<LaneArray, variable_count> columns_;
};

const Columns columns;

void expect_equal(const std::string& text, const char* unit = "") {
  const auto parsed = Expression::parse(text, unit_of(unit), every_variable);
  ASSERT_TRUE(std::holds_alternative<Expression>(parsed))
      << text << ": " << std::get<ExpressionError>(parsed).message;
  const auto& expression = std::get<Expression>(parsed);
  const BlockProgram program(expression);
  BlockProgram::Scratch scratch(program);
  for (const std::size_t n : {block_size, std::size_t{1}, std::size_t{67}}) {
    const double* values = program.run(columns.variables(), n, scratch);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(bits(values[i]), bits(expression.evaluate(columns.at(i)))) << text << ", row " << i;
  }
}

TEST(BlockProgram, EveryOperatorGivesWhatItGivesAlone) {
  for (const char* op : {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!="}) {
    expect_equal(std::string("index ") + op + " size");
    expect_equal(std::string("index ") + op + " 0.3");
    expect_equal(std::string("0.3 ") + op + " r");
  }
  expect_equal("-index");
  expect_equal("index ? size : r");
  expect_equal("index < size ? r : 1");
}

TEST(BlockProgram, EveryFunctionGivesWhatItGivesAlone) {
  for (const char* f : {"exp", "log", "sqrt", "sin", "cos", "tanh", "abs", "floor"}) {
    expect_equal(std::string(f) + "(index)");
    expect_equal(std::string(f) + "(r * 1e-5)");
  }
  for (const char* f : {"min", "max", "mod"}) {
    expect_equal(std::string(f) + "(index, size)");
    expect_equal(std::string(f) + "(r, 0)");
    expect_equal(std::string(f) + "(0, r)");
  }
}

TEST(BlockProgram, ConstantsFoldToTheSameBits) {
  expect_equal("0.3");
  expect_equal("1/3 + 2^0.3 * exp(-1.7)");
  expect_equal("index * (1/3) + size * (1/3) - (3^0.5 < 2 ? sin(1) : 7)");
  expect_equal("(1 + 2 * (r + 3 * (index - 4 / (size + 5))))");
}

TEST(BlockProgram, ValuesComeInTheUnitTheyWereParsedFor) {
  expect_equal("0.1 * exp(-distance / 150 um)");
  expect_equal("0.1 * exp(-(x*x + y*y) / (2 * (150 um)^2)) * (abs(z) < 1 m ? 1 : 0)");
  expect_equal("1 ms + distance / (0.3 m/s)", "ms");
  expect_equal("-65 mV + 5 mV * (2*r - 1)", "mV");
  expect_equal("1 nS * r", "uS");
  expect_equal("2 nS", "uS");
  expect_equal("6.3 degC", "degC");
}

TEST(BlockProgram, EveryInstructionSetGivesTheSameBits) {
  const auto value = [](Variable v) { return columns.variables()[static_cast<std::size_t>(v)]; };
  const double *a = value(Variable::index), *b = value(Variable::size), *c = value(Variable::r);
  const BlockKernels& one = block_kernels(Isa::baseline);
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    const BlockKernels& other = block_kernels(isa);
    LaneArray first(block_size), second(block_size);
    const auto expect_same = [&](const std::string& what) {
      for (std::size_t i = 0; i < block_size; ++i)
        ASSERT_EQ(bits(first[i]), bits(second[i])) << name_of(isa) << ", " << what << ", " << i;
    };
    for (int o = 0; o < operation_count; ++o) {
      ASSERT_EQ(one.of[o] == nullptr, arguments_of(static_cast<Operation>(o)) == 0) << o;
      if (!one.of[o]) continue;
      one.of[o](a, b, c, first.data(), block_size);
      other.of[o](a, b, c, second.data(), block_size);
      expect_same("operation " + std::to_string(o));
    }
    one.lengths(a, b, c, first.data(), block_size);
    other.lengths(a, b, c, second.data(), block_size);
    expect_same("lengths");
    one.displacements(3, a, first.data(), block_size);
    other.displacements(3, a, second.data(), block_size);
    expect_same("displacements");
    const std::uint64_t key[] = {1, 2, 3};
    one.uniforms(4, 5, key, 6, first.data(), block_size);
    other.uniforms(4, 5, key, 6, second.data(), block_size);
    expect_same("uniforms");
  }
}

TEST(BlockKernels, UniformsAreThoseOfAStream) {
  RandomStream stream(3, Purpose::connect, {4, 5, 6});
  const std::uint64_t key[] = {4, 5, 6};
  LaneArray draws(block_size);
  for (std::uint64_t block = 0; block < 3; ++block) {
    block_kernels().uniforms(3, static_cast<std::uint64_t>(Purpose::connect), key,
                             block * block_size / 4, draws.data(), block_size);
    for (const double draw : draws) ASSERT_EQ(draw, stream.uniform());
  }
}

TEST(BlockKernels, PickTakesWhatLiesBelow) {
  LaneArray draws(block_size), p(block_size);
  for (std::size_t i = 0; i < block_size; ++i) {
    draws[i] = 0.5;
    p[i] = i % 3 == 0 ? 0.6 : i % 3 == 1 ? 0.5 : 0;
  }
  std::vector<std::uint32_t> picked(block_size);
  ASSERT_EQ(block_kernels().pick(draws.data(), p.data(), picked.data(), 100), 34u);
  for (std::uint32_t i = 0; i < 34; ++i) EXPECT_EQ(picked[i], 3 * i);
}

TEST(BlockKernels, OnlyFiniteNumbersAreWithin) {
  const auto are_within = [](double value, double minimum, double maximum) {
    LaneArray values(block_size, 0.5);
    values[77] = value;
    return block_kernels().are_within(values.data(), minimum, maximum, 78) ||
           !block_kernels().are_within(values.data(), minimum, maximum, 77);
  };
  EXPECT_TRUE(are_within(0, 0, 1));
  EXPECT_TRUE(are_within(1, 0, 1));
  EXPECT_FALSE(are_within(std::nextafter(1, 2), 0, 1));
  EXPECT_FALSE(are_within(-5e-324, 0, 1));
  EXPECT_FALSE(are_within(NAN, -INFINITY, INFINITY));
  EXPECT_FALSE(are_within(INFINITY, -INFINITY, INFINITY));
  EXPECT_FALSE(are_within(-INFINITY, -INFINITY, INFINITY));
}

}  // namespace
}  // namespace hillock
