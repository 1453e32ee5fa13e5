#pragma once
// Prints bodies of the intermediate form as C++, for the emit_*.cpp files.

#include <functional>
#include <string>
#include <vector>

#include "mechanisms/nmodl/emit/layout.hpp"
#include "mechanisms/nmodl/lower/evaluator_ir.hpp"

namespace hillock::nmodl {

/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// What a variable of an instance is in the evaluator's struct: `m_`, or `m_[2]` of an array.
std::string member_name(const ir::Variable& variable);

/// Which of the local variables are the same in every lane: assigned under no condition that varies
/// and from nothing but numbers, time, dt, celsius and such locals. [variable]
std::vector<bool> uniform_variables(const EvaluatorIr& evaluator);

/// The function of an evaluator that returns a table's grid.
std::string table_function(const TableIr& table);
std::string table_name(const TableIr& table);

class Printer {
 public:
  /// value_type: what a variable of an instance is, "V" or "double".
  Printer(const EvaluatorIr& evaluator, std::string value_type)
      : e_(evaluator), uniform_(uniform_variables(evaluator)), V_(std::move(value_type)) {}

  /// What stands between a function's braces. results: expressions that `ending` prints.
  std::string function(const ir::Body& body, const std::vector<ir::Expr>& results = {},
                       const std::function<void()>& ending = {});
  /// A function of an evaluator without a result. A long one comes with the functions that are its
  /// parts, and a struct of the variables that these have in common.
  std::string functions(const std::string& name, const ir::Body& body);
  void line(const std::string& content);
  /// An expression as a value of type V, whatever it depends on.
  std::string value(const ir::Expr& e);

 private:
  using Body = ir::Body;
  using Expr = ir::Expr;
  using Statement = ir::Statement;

  // emit_expressions.cpp
  bool varies(const Expr& e) const;
  /// A double as a number of the value's own type; that type's name.
  std::string literal(const std::string& number);
  std::string number_type();
  std::string name(int v);
  std::string numeric(const Expr& e);
  std::string wrapped(const Expr& e);
  std::string call_text(const Expr& e);
  std::string element_text(const Expr& e);
  /// The member that is an array of these and no more; empty where there is none.
  std::string array_name(const std::vector<int>& elements) const;
  std::string table_arguments(const Expr& e);
  /// bool where nothing varies, else a mask.
  std::string condition(const Expr& e);
  /// A condition as a mask of V even where nothing varies.
  std::string mask(const Expr& e);

  // emit_parts.cpp
  std::string kept_struct() const;
  void print_part(const Body& body, const Cut& part);

  // emit_statements.cpp
  /// The text so far, with the names that it needs.
  std::string finished() const;
  void declare_locals();
  /// on: the mask under which the statements act, empty for all lanes.
  void print(const Body& body, const std::string& on);
  void print(const Statement& s, const std::string& on);
  void print_assign(const Statement& s, const std::string& on);
  void print_store(const Statement& s, const std::string& on);
  void print_send(const Statement& s);
  void print_branch(const Statement& s, const std::string& on);
  void print_loop(const Statement& s, const std::string& on);
  void print_newton(const Statement& s, const std::string& on);
  void nested(const Body& body, const std::string& on);

  const EvaluatorIr& e_;
  std::vector<bool> uniform_;
  std::string V_;
  Layout layout_;
  std::string function_name_;  ///< where it may have parts
  std::string text_, parts_;
  int indent_ = 2, masks_ = 0;
  bool names_number_ = false;  ///< whether the function at hand names Number<V>
};

}  // namespace hillock::nmodl
