// Prints expressions as C++.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {
namespace {

using ir::Node;
using ir::Operator;

const char* function_name(ir::Function function) {
  static const char* const names[] = {
      "exp",          "log",          "log10",        "sqrt",
      "pow",          "sin",          "cos",          "tan",
      "tanh",         "sinh",         "cosh",         "asin",
      "acos",         "atan",         "atan2",        "abs",
      "floor",        "ceil",         "fmod",         "min",
      "max",          "erf",          "draw_uniform", "draw_normal",
      "draw_poisson", "draw_integer", "ran4_word",    "random123_word",
      "fma",          "table_value",  "table_slope",  "exp_less_one",
      "one_less_exp", "element"};
  return names[static_cast<int>(function)];
}

bool is_draw(ir::Function function) {
  return function >= ir::Function::draw_uniform && function <= ir::Function::draw_integer;
}

const char* operator_text(Operator op) {
  switch (op) {
    case Operator::add:
      return " + ";
    case Operator::subtract:
      return " - ";
    case Operator::multiply:
      return " * ";
    case Operator::divide:
      return " / ";
    case Operator::less:
      return " < ";
    case Operator::greater:
      return " > ";
    case Operator::less_equal:
      return " <= ";
    case Operator::greater_equal:
      return " >= ";
    case Operator::equal:
      return " == ";
    default:
      return " != ";
  }
}

}  // namespace

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string result = text;
  for (int digits = 1; digits < 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) {
      result = text;
      break;
    }
  }
  if (result.find_first_of(".einf") == std::string::npos) result += ".0";
  if (value < 0) result = "(" + result + ")";
  return result;
}

std::string member_name(const ir::Variable& variable) {
  if (variable.array.empty()) return variable.name + "_";
  return variable.array + "_[" + std::to_string(variable.index) + "]";
}

bool Printer::varies(const Expr& e) const {
  if (e->kind == Node::Kind::variable) return !uniform_[at(e->variable)];
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [this](const Expr& operand) { return varies(operand); });
}

std::string Printer::literal(const std::string& number) {
  if (V_ == "double") return number;
  return number_type() + (number.front() == '(' ? number : "(" + number + ")");
}

std::string Printer::number_type() {
  if (V_ == "double") return V_;
  names_number_ = true;
  return "N";
}

std::string Printer::value(const Expr& e) {
  if (varies(e)) return numeric(e);
  if (ir::is_number(e, 0)) return V_ + "{}";
  return V_ + "{} + " + numeric(e);
}

std::string Printer::name(int v) {
  const ir::Variable& variable = e_.program.variables[at(v)];
  switch (variable.kind) {
    case ir::Variable::Kind::v:
      return "at.v_mV";
    case ir::Variable::Kind::time:
      return literal("at.time_ms");
    case ir::Variable::Kind::dt:
      return "at.dt_ms";
    case ir::Variable::Kind::implicit_dt:
      return "at.implicit_dt_ms";
    case ir::Variable::Kind::celsius:
      return "at.celsius";
    case ir::Variable::Kind::event_voltage:
      return "event.v_mV";
    case ir::Variable::Kind::argument:
      return "event.arguments[" + std::to_string(variable.index) + "]";
    case ir::Variable::Kind::connection:
      return "other[" + std::to_string(variable.index) + "]";
    case ir::Variable::Kind::flag:
      return "event.flag";
    case ir::Variable::Kind::local:
      return (layout_.is_kept(v) ? "kept." : "") + variable.name + "_" + std::to_string(v);
    default:
      return "x." + member_name(variable);
  }
}

std::string Printer::numeric(const Expr& e) {
  switch (e->kind) {
    case Node::Kind::number:
      return literal(number_text(e->value));
    case Node::Kind::variable:
      return name(e->variable);
    case Node::Kind::call:
      return call_text(e);
    default:
      break;
  }
  if (ir::is_condition(e)) {
    if (!varies(e))
      return "(" + condition(e) + " ? " + literal("1.0") + " : " + literal("0.0") + ")";
    return "select(" + condition(e) + ", " + V_ + "{} + " + literal("1.0") + ", " + V_ + "{})";
  }
  if (e->op == Operator::minus) return "(-" + numeric(e->operands[0]) + ")";
  if (e->op == Operator::select) {
    if (!varies(e->operands[0]) && !varies(e))
      return "(" + condition(e->operands[0]) + " ? " + numeric(e->operands[1]) + " : " +
             numeric(e->operands[2]) + ")";
    if (!varies(e->operands[0]))
      return "(" + condition(e->operands[0]) + " ? " + value(e->operands[1]) + " : " +
             value(e->operands[2]) + ")";
    return "select(" + condition(e->operands[0]) + ", " + wrapped(e->operands[1]) + ", " +
           wrapped(e->operands[2]) + ")";
  }
  return "(" + numeric(e->operands[0]) + operator_text(e->op) + numeric(e->operands[1]) + ")";
}

std::string Printer::wrapped(const Expr& e) {
  return V_ + "(" + value(e) + ")";
}

std::string Printer::call_text(const Expr& e) {
  const bool any = varies(e);
  if (e->function == ir::Function::pow && ir::is_number(e->operands[1])) {
    const double power = e->operands[1]->value;
    if (power == static_cast<int>(power) && power > 0 && power <= 16)
      return "integer_power<" + std::to_string(static_cast<int>(power)) + ">(" +
             (any ? wrapped(e->operands[0]) : number_type() + "(" + numeric(e->operands[0]) + ")") +
             ")";
  }
  std::string text = function_name(e->function);
  if (e->function == ir::Function::table || e->function == ir::Function::table_slope)
    return text + table_arguments(e);
  if (e->function == ir::Function::element) return text + element_text(e);
  if (e->function != ir::Function::fma) text += "<" + (any ? V_ : number_type()) + ">";
  text += is_draw(e->function) ? "(at.given, " : "(";
  for (std::size_t k = 0; k < e->operands.size(); ++k)
    text += (k > 0 ? ", " : "") + (any ? value(e->operands[k]) : numeric(e->operands[k]));
  return text + ")";
}

std::string Printer::array_name(const std::vector<int>& elements) const {
  const auto& variables = e_.program.variables;
  const ir::Variable& first = variables[at(elements[0])];
  if (first.kind == ir::Variable::Kind::local || first.array.empty()) return "";
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const ir::Variable& v = variables[at(elements[k])];
    if (v.array != first.array || v.index != static_cast<int>(k)) return "";
  }
  return "x." + first.array + "_";
}

/// <V>(index, x.a_), or <V>(index, {a, b, c}).
std::string Printer::element_text(const Expr& e) {
  const bool any = varies(e);
  const auto text = [&](const Expr& operand) {
    return any ? value(operand) : number_type() + "(" + numeric(operand) + ")";
  };
  std::string list, separator = "{";
  std::vector<int> elements;
  for (std::size_t k = 1; k < e->operands.size(); ++k, separator = ", ") {
    list += separator + text(e->operands[k]);
    elements.push_back(e->operands[k]->variable);
  }
  const bool are_variables = std::ranges::count(elements, -1) == 0;
  const std::string array = are_variables ? array_name(elements) : "";
  return "<" + (any ? V_ : number_type()) + ">(" + text(e->operands[0]) + ", " +
         (array.empty() ? list + "}" : array) + ")";
}

/// <V>(table_rate(), {v, w}), with the argument's number before the braces for a slope.
std::string Printer::table_arguments(const Expr& e) {
  const bool any = varies(e);
  const TableIr& table = e_.tables[static_cast<std::size_t>(e->operands[0]->value)];
  std::string text =
      "<" + (any ? V_ : number_type()) + ">(" + table_name(table) + "<" + number_type() + ">(), ";
  std::size_t k = 1;
  if (e->function == ir::Function::table_slope)
    text += std::to_string(static_cast<int>(e->operands[k++]->value)) + ", ";
  std::string separator = "{";
  for (; k < e->operands.size(); ++k, separator = ", ")
    text += separator +
            (any ? value(e->operands[k]) : number_type() + "(" + numeric(e->operands[k]) + ")");
  return text + "})";
}

std::string Printer::condition(const Expr& e) {
  if (!ir::is_condition(e)) return "(" + numeric(e) + " != " + literal("0.0") + ")";
  const bool any = varies(e);
  if (e->op == Operator::logical_not)
    return any ? "opposite(" + mask(e->operands[0]) + ")" : "(!" + condition(e->operands[0]) + ")";
  if (e->op == Operator::logical_and || e->op == Operator::logical_or) {
    const bool conjunction = e->op == Operator::logical_and;
    if (!any)
      return "(" + condition(e->operands[0]) + (conjunction ? " && " : " || ") +
             condition(e->operands[1]) + ")";
    return std::string(conjunction ? "both(" : "either(") + mask(e->operands[0]) + ", " +
           mask(e->operands[1]) + ")";
  }
  return "(" + numeric(e->operands[0]) + operator_text(e->op) + numeric(e->operands[1]) + ")";
}

std::string Printer::mask(const Expr& e) {
  if (varies(e)) return condition(e);
  return "(" + V_ + "{} + (" + condition(e) + " ? " + literal("1.0") + " : " + literal("0.0") +
         ") != " + literal("0.0") + ")";
}

}  // namespace hillock::nmodl
