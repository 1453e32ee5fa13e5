#include "core/expressions/block_program.hpp"

#include <algorithm>
#include <span>

#include "core/expressions/expression_parser.hpp"

namespace hillock {

namespace {

using Instruction = Expression::Instruction;

Instruction number(double value) {
  return {Operation::constant, Variable::index, value};
}

}  // namespace

/// Follows the stack of the postfix code: what would lie on it is a constant or a column.
/// Columns are numbered ~c for constant c, then from 0 on variables and what is computed.
class BlockProgram::Compiler {
 public:
  Compiler(const std::vector<Instruction>& code, BlockProgram& program) : program_(program) {
    for (const Instruction& step : code) {
      if (step.operation == Operation::constant)
        stack_.push_back({true, step.constant, 0});
      else if (step.operation == Operation::variable)
        stack_.push_back({false, 0, static_cast<int>(step.variable)});
      else
        apply(step.operation);
      if (step.operation == Operation::variable &&
          std::ranges::find(program.variables_, step.variable) == program.variables_.end())
        program.variables_.push_back(step.variable);
    }
    program.result_ = column_of(stack_.back());
    // Constants come first.
    const int constants = static_cast<int>(program.constants_.size());
    const auto place = [&](int column) { return column < 0 ? ~column : constants + column; };
    for (Step& step : program.steps_) {
      for (int& from : step.from) from = place(from);
      step.to = place(step.to);
    }
    program.result_ = place(program.result_);
    program.columns_ = constants + variable_count + static_cast<int>(in_use_.size()) + 1;
  }

 private:
  struct Operand {
    bool is_constant = false;
    double constant = 0;
    int column = 0;
  };

  void apply(Operation operation) {
    const auto count = static_cast<std::size_t>(arguments_of(operation));
    const std::span<const Operand> operands = std::span(stack_).last(count);
    Operand result;
    if (std::ranges::all_of(operands, &Operand::is_constant)) {
      std::vector<Instruction> code;
      for (const Operand& operand : operands) code.push_back(number(operand.constant));
      code.push_back({operation, Variable::index, 0});
      result = {true, run_postfix(code, {}), 0};
    } else {
      Step step{operation, {}, 0};
      for (std::size_t i = 0; i < count; ++i) step.from[i] = column_of(operands[i]);
      result.column = step.to = free_column();
      for (std::size_t i = 0; i < count; ++i)
        if (step.from[i] >= variable_count)
          in_use_[static_cast<std::size_t>(step.from[i] - variable_count)] = false;
      program_.steps_.push_back(step);
    }
    stack_.resize(stack_.size() - count);
    stack_.push_back(result);
  }

  int column_of(const Operand& operand) {
    if (!operand.is_constant) return operand.column;
    program_.constants_.push_back(operand.constant);
    return ~static_cast<int>(program_.constants_.size() - 1);
  }

  int free_column() {
    const auto free = std::ranges::find(in_use_, false);
    const auto i = free - in_use_.begin();
    if (free == in_use_.end())
      in_use_.push_back(true);
    else
      *free = true;
    return variable_count + static_cast<int>(i);
  }

  BlockProgram& program_;
  std::vector<Operand> stack_;
  std::vector<bool> in_use_;  ///< [what is computed]
};

BlockProgram::BlockProgram(const Expression& expression)
    : kernels_(block_kernels()), from_(expression.unit_), to_(expression.unit_) {
  if (expression.is_literal_) {
    Compiler({number(expression.literal_)}, *this);
    return;
  }
  from_ = Unit{to_.dimension, 1, 0, 0};
  Compiler(expression.code_, *this);
}

BlockProgram::Scratch::Scratch(const BlockProgram& program) {
  columns_.resize(static_cast<std::size_t>(program.columns_) * block_size);
  for (std::size_t c = 0; c < program.constants_.size(); ++c)
    std::fill_n(columns_.data() + c * block_size, block_size, program.constants_[c]);
}

const double* BlockProgram::run(const Variables& variables, std::size_t n, Scratch& scratch) const {
  double* const columns = scratch.columns_.data();
  const auto column = [&](int c) { return columns + static_cast<std::size_t>(c) * block_size; };
  for (const Variable variable : variables_) {
    const int v = static_cast<int>(variable);
    kernels_.scale(variables[static_cast<std::size_t>(v)], si_factor(variable),
                   column(static_cast<int>(constants_.size()) + v), n);
  }
  for (const Step& step : steps_)
    kernels_.of[static_cast<int>(step.operation)](column(step.from[0]), column(step.from[1]),
                                                  column(step.from[2]), column(step.to), n);
  double* const result = column(result_);
  if (from_ == to_) return result;
  // A constant's column stays as it is.
  double* const converted = column(columns_ - 1);
  for (std::size_t i = 0; i < n; ++i) converted[i] = convert(result[i], from_, to_);
  return converted;
}

}  // namespace hillock
