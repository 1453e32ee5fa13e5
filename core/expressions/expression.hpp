#pragma once
// The small arithmetic grammar of model files: "1e-4 S/cm2 * exp(distance / 300 um)".
// It computes numbers of a checked dimension and can never run code.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expressions/operation.hpp"
#include "core/units/units.hpp"

namespace hillock {

/// What an expression may refer to. Which are allowed depends on where it stands.
enum class Variable : std::uint8_t {
  index,     ///< the cell's place in its population, from 0
  size,      ///< the number of cells in the population
  distance,  ///< path length from its origin on the cell; between cells in a projection
  x,
  y,
  z,
  diam,  ///< the compartment's own diameter
  r,     ///< one uniform draw in (0, 1) per neuron
};

inline constexpr int variable_count = static_cast<int>(Variable::r) + 1;

std::string_view name_of(Variable variable);

/// Whether a variable is a length, in um in Bindings; the others are plain numbers.
constexpr bool is_length(Variable variable) {
  return variable >= Variable::distance && variable <= Variable::diam;
}

/// What turns a variable's value in Bindings into SI.
constexpr double si_factor(Variable variable) {
  return is_length(variable) ? 1e-6 : 1;
}

/// The values of the variables while one expression is evaluated. Lengths in um.
struct Bindings {
  double index = 0;
  double size = 0;
  double distance_um = 0;
  double x_um = 0;
  double y_um = 0;
  double z_um = 0;
  double diam_um = 0;
  double r = 0.5;
};

/// Why a text is not an expression of the wanted kind.
struct ExpressionError {
  std::size_t offset = 0;  ///< byte in the text, from 0
  std::string message;
};

/// A parsed, dimension-checked expression. Its value comes in the unit it was parsed for.
class Expression {
 public:
  /// Reads `text`, whose value must have the dimension of `unit`.
  /// A number and its unit bind tightest. `allowed` lists the variables that may stand here.
  static std::variant<Expression, ExpressionError> parse(std::string_view text, const Unit& unit,
                                                         const std::vector<Variable>& allowed);

  double evaluate(const Bindings& bindings) const;

  /// True when the value is the same for all bindings.
  bool is_constant() const;
  bool uses(Variable variable) const;

  /// The text it was read from.
  const std::string& text() const { return text_; }

  using Operation = hillock::Operation;
  struct Instruction {
    Operation operation = Operation::constant;
    Variable variable = Variable::index;
    double constant = 0;  ///< in SI
  };

 private:
  friend class BlockProgram;

  std::string text_;
  Unit unit_;
  bool is_literal_ = false;        ///< one number and its unit, converted without going through SI
  double literal_ = 0;             ///< its value in unit_
  std::vector<Instruction> code_;  ///< postfix
};

}  // namespace hillock
