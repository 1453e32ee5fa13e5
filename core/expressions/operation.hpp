#pragma once
// The operations that expressions are made of. Includes nothing of the standard library's
// containers, for the loops that are compiled for every instruction set.

#include <cstdint>

namespace hillock {

enum class Operation : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  choose,
  exp,
  log,
  sqrt,
  sin,
  cos,
  tanh,
  abs,
  min,
  max,
  floor,
  mod,
};

inline constexpr int operation_count = static_cast<int>(Operation::mod) + 1;

/// How many values an operation takes.
constexpr int arguments_of(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::variable:
      return 0;
    case Operation::negate:
    case Operation::exp:
    case Operation::log:
    case Operation::sqrt:
    case Operation::sin:
    case Operation::cos:
    case Operation::tanh:
    case Operation::abs:
    case Operation::floor:
      return 1;
    case Operation::choose:
      return 3;
    default:
      return 2;
  }
}

}  // namespace hillock
