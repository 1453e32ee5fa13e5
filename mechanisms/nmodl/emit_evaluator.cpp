// Prints evaluators as C++.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "mechanisms/nmodl/evaluator_ir.hpp"

namespace hillock::nmodl {
namespace {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Operator;
using ir::Statement;
using ir::Variable;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string result = text;
  // The shortest text that reads back as the same number.
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

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result + "\"";
}

const char* function_name(ir::Function function) {
  static const char* const names[] = {"exp",   "log",  "log10", "sqrt", "pow",  "sin",  "cos",
                                      "tan",   "tanh", "sinh",  "cosh", "asin", "acos", "atan",
                                      "atan2", "abs",  "floor", "ceil", "fmod", "min",  "max"};
  return names[static_cast<int>(function)];
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

class Printer {
 public:
  Printer(const EvaluatorIr& evaluator, std::string value_type)
      : e_(evaluator), uniform_(uniform_variables(evaluator)), V_(std::move(value_type)) {}

  /// results: expressions that `ending` prints.
  std::string function(const Body& body, const std::vector<Expr>& results = {},
                       const std::function<void()>& ending = {}) {
    text_.clear();
    indent_ = 2;
    declare_locals(body, results);
    print(body, "");
    if (ending) ending();
    return text_;
  }

  void line(const std::string& content) {
    text_ += std::string(at(2 * indent_), ' ') + content + "\n";
  }

  bool varies(const Expr& e) const {
    if (e->kind == Node::Kind::variable) return !uniform_[at(e->variable)];
    return std::any_of(e->operands.begin(), e->operands.end(),
                       [this](const Expr& operand) { return varies(operand); });
  }

  /// An expression as a value of type V, whatever it depends on.
  std::string value(const Expr& e) {
    if (varies(e)) return numeric(e);
    if (ir::is_number(e, 0)) return V_ + "{}";
    return V_ + "{} + " + numeric(e);
  }

 private:
  void collect(const Body& body, std::set<int>& used) const {
    const std::function<void(const Expr&)> read = [&](const Expr& e) {
      if (!e) return;
      if (e->kind == Node::Kind::variable) used.insert(e->variable);
      for (const Expr& operand : e->operands) read(operand);
    };
    for (const Statement& s : body) {
      if (s.target >= 0) used.insert(s.target);
      read(s.value);
      collect(s.body, used);
      collect(s.otherwise, used);
      if (s.newton) {
        used.insert(s.newton->unknowns.begin(), s.newton->unknowns.end());
        used.insert(s.newton->residuals.begin(), s.newton->residuals.end());
        for (const auto& row : s.newton->jacobian)
          for (const int v : row)
            if (v >= 0) used.insert(v);
      }
    }
  }

  /// Assigned once, unconditionally and before any use: declared where it is assigned.
  void declare_locals(const Body& body, const std::vector<Expr>& results) {
    std::set<int> used;
    collect(body, used);
    for (const Expr& result : results) collect({ir::assign(-1, result)}, used);
    declared_here_.clear();
    std::map<int, int> times;
    count_assigns(body, times);
    std::set<int> at_top;
    for (const Statement& s : body)
      if (s.kind == Statement::Kind::assign) at_top.insert(s.target);
    for (const int v : used) {
      if (v < 0 || e_.program.variables[at(v)].kind != Variable::Kind::local) continue;
      if (times[v] == 1 && at_top.count(v) && !read_before(body, v)) {
        declared_here_.insert(v);
        continue;
      }
      line(uniform_[at(v)] ? "[[maybe_unused]] double " + name(v) + " = 0.0;"
                           : "[[maybe_unused]] " + V_ + " " + name(v) + " = " + V_ + "{};");
    }
  }

  static void count_assigns(const Body& body, std::map<int, int>& times) {
    for (const Statement& s : body) {
      if (s.kind == Statement::Kind::assign) ++times[s.target];
      if (s.newton)
        for (const int u : s.newton->unknowns) ++times[u];
      count_assigns(s.body, times);
      count_assigns(s.otherwise, times);
    }
  }

  /// Whether a variable is read before its assign at the top of the body.
  static bool read_before(const Body& body, int v) {
    const std::function<bool(const Body&)> reads_in = [&](const Body& inner) {
      for (const Statement& s : inner) {
        if (s.value && ir::reads(s.value, v)) return true;
        if (reads_in(s.body) || reads_in(s.otherwise)) return true;
      }
      return false;
    };
    for (const Statement& s : body) {
      if (s.value && ir::reads(s.value, v)) return true;
      if (s.kind == Statement::Kind::assign && s.target == v) return false;
      if (reads_in(s.body) || reads_in(s.otherwise)) return true;
    }
    return true;
  }

  std::string name(int v) const {
    const Variable& variable = e_.program.variables[at(v)];
    switch (variable.kind) {
      case Variable::Kind::v:
        return "at.v_mV";
      case Variable::Kind::time:
        return "at.time_ms";
      case Variable::Kind::dt:
        return "at.dt_ms";
      case Variable::Kind::celsius:
        return "at.celsius";
      case Variable::Kind::argument:
        return "weight";
      case Variable::Kind::local:
        return variable.name + "_" + std::to_string(v);
      default:
        return "x." + variable.name + "_";
    }
  }

  std::string numeric(const Expr& e) {
    switch (e->kind) {
      case Node::Kind::number:
        return number_text(e->value);
      case Node::Kind::variable:
        return name(e->variable);
      case Node::Kind::call:
        return call_text(e);
      default:
        break;
    }
    if (ir::is_condition(e)) {
      if (!varies(e)) return "(" + condition(e) + " ? 1.0 : 0.0)";
      return "select(" + condition(e) + ", " + V_ + "{} + 1.0, " + V_ + "{})";
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

  std::string wrapped(const Expr& e) { return V_ + "(" + value(e) + ")"; }

  std::string call_text(const Expr& e) {
    const bool any = varies(e);
    if (e->function == ir::Function::pow && ir::is_number(e->operands[1])) {
      const double power = e->operands[1]->value;
      if (power == static_cast<int>(power) && power > 0 && power <= 16)
        return "integer_power<" + std::to_string(static_cast<int>(power)) + ">(" +
               (any ? wrapped(e->operands[0]) : "double(" + numeric(e->operands[0]) + ")") + ")";
    }
    std::string text = std::string(function_name(e->function)) + "<" + (any ? V_ : "double") + ">(";
    for (std::size_t k = 0; k < e->operands.size(); ++k)
      text += (k > 0 ? ", " : "") + (any ? value(e->operands[k]) : numeric(e->operands[k]));
    return text + ")";
  }

  /// A condition: bool where nothing varies, else a mask.
  std::string condition(const Expr& e) {
    if (!ir::is_condition(e)) return "(" + numeric(e) + " != 0.0)";
    const bool any = varies(e);
    if (e->op == Operator::logical_not)
      return any ? "opposite(" + mask(e->operands[0]) + ")"
                 : "(!" + condition(e->operands[0]) + ")";
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

  /// A condition as a mask of V even where nothing varies.
  std::string mask(const Expr& e) {
    if (varies(e)) return condition(e);
    return "(" + V_ + "{} + (" + condition(e) + " ? 1.0 : 0.0) != 0.0)";
  }

  void print(const Body& body, const std::string& on) {
    for (const Statement& s : body) {
      switch (s.kind) {
        case Statement::Kind::assign:
          print_assign(s, on);
          break;
        case Statement::Kind::branch:
          print_branch(s, on);
          break;
        case Statement::Kind::loop:
          print_loop(s, on);
          break;
        case Statement::Kind::newton:
          print_newton(s, on);
          break;
      }
    }
  }

  void print_assign(const Statement& s, const std::string& on) {
    const bool uniform = uniform_[at(s.target)];
    const std::string to = name(s.target);
    if (declared_here_.count(s.target))
      line("[[maybe_unused]] const " +
           (uniform ? "double " + to + " = " + numeric(s.value)
                    : V_ + " " + to + " = " + value(s.value)) +
           ";");
    else if (uniform)
      line(to + " = " + numeric(s.value) + ";");
    else if (on.empty())
      line(to + " = " + value(s.value) + ";");
    else
      line(to + " = select(" + on + ", " + wrapped(s.value) + ", " + to + ");");
  }

  void print_branch(const Statement& s, const std::string& on) {
    if (!varies(s.value)) {
      line("if (" + condition(s.value) + ") {");
      nested(s.body, on);
      if (!s.otherwise.empty()) {
        line("} else {");
        nested(s.otherwise, on);
      }
      line("}");
      return;
    }
    const std::string yes = "on" + std::to_string(++masks_), no = "on" + std::to_string(++masks_);
    const std::string chosen = "chosen" + std::to_string(masks_);
    line("{");
    ++indent_;
    line("const auto " + chosen + " = " + condition(s.value) + ";");
    const auto part = [&](const std::string& own, const std::string& which, const Body& body) {
      if (body.empty()) return;
      line("const auto " + own + " = " + (on.empty() ? which : "both(" + on + ", " + which + ")") +
           ";");
      line("if (any(" + own + ")) {");
      nested(body, own);
      line("}");
    };
    part(yes, chosen, s.body);
    part(no, "opposite(" + chosen + ")", s.otherwise);
    --indent_;
    line("}");
  }

  void print_loop(const Statement& s, const std::string& on) {
    if (!varies(s.value)) {
      line("while (" + condition(s.value) + ") {");
      nested(s.body, on);
      line("}");
      return;
    }
    const std::string active = "on" + std::to_string(++masks_);
    line("for (auto " + active + " = " +
         (on.empty() ? mask(s.value) : "both(" + on + ", " + mask(s.value) + ")") + "; any(" +
         active + "); " + active + " = both(" + active + ", " + mask(s.value) + ")) {");
    nested(s.body, active);
    line("}");
  }

  void print_newton(const Statement& s, const std::string& on) {
    const ir::Newton& n = *s.newton;
    const std::string size = std::to_string(n.unknowns.size());
    const std::string id = std::to_string(++masks_);
    const auto solve_once = [&] {
      print(s.body, on);
      line(V_ + " f" + id + "[" + size + "], j" + id + "[" + size + "][" + size + "];");
      for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
        line("f" + id + "[" + std::to_string(r) + "] = " + name(n.residuals[r]) + ";");
        for (std::size_t c = 0; c < n.unknowns.size(); ++c)
          line("j" + id + "[" + std::to_string(r) + "][" + std::to_string(c) +
               "] = " + (n.jacobian[r][c] < 0 ? V_ + "{}" : name(n.jacobian[r][c])) + ";");
      }
      line("solve_dense<" + size + ">(j" + id + ", f" + id + ");");
    };
    const auto move = [&](const std::string& mask_text) {
      for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
        const std::string x = name(n.unknowns[r]);
        const std::string moved = x + " - f" + id + "[" + std::to_string(r) + "]";
        line(mask_text.empty()
                 ? x + " = " + moved + ";"
                 : x + " = select(" + mask_text + ", " + V_ + "(" + moved + "), " + x + ");");
      }
    };
    if (n.is_linear) {
      line("{");
      ++indent_;
      solve_once();
      move(on);
      --indent_;
      line("}");
      return;
    }
    const std::string active = "on" + id;
    line("auto " + active + " = " + (on.empty() ? "(" + V_ + "{} == " + V_ + "{})" : on) + ";");
    line("for (int round" + id + " = 0; round" + id + " < " + std::to_string(n.most_rounds) +
         " && any(" + active + "); ++round" + id + ") {");
    ++indent_;
    solve_once();
    move(active);
    // At rest when no unknown moves by more than 1e-9 of itself.
    std::string moving;
    for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
      const std::string still = "(abs<" + V_ + ">(f" + id + "[" + std::to_string(r) +
                                "]) > 1e-9 * abs<" + V_ + ">(" + name(n.unknowns[r]) + ") + 1e-14)";
      moving = moving.empty() ? still : "either(" + moving + ", " + still + ")";
    }
    line(active + " = both(" + active + ", " + moving + ");");
    --indent_;
    line("}");
  }

  void nested(const Body& body, const std::string& on) {
    ++indent_;
    print(body, on);
    --indent_;
  }

  const EvaluatorIr& e_;
  std::vector<bool> uniform_;
  std::string V_;
  std::string text_;
  std::set<int> declared_here_;
  int indent_ = 2, masks_ = 0;
};

const char* quantity_name(mechanisms::PlaceQuantity quantity) {
  static const char* const names[] = {"PlaceQuantity::current", "PlaceQuantity::reversal",
                                      "PlaceQuantity::inside",  "PlaceQuantity::outside",
                                      "PlaceQuantity::area",    "PlaceQuantity::diameter",
                                      "PlaceQuantity::pointer", "PlaceQuantity::stream"};
  return names[static_cast<int>(quantity)];
}

std::string variable_line(const InstanceVariable& v) {
  const auto limit = [](double x) {
    return x <= -1e300  ? std::string("-unlimited")
           : x >= 1e300 ? std::string("unlimited")
                        : number_text(x);
  };
  return "       {" + quoted(v.name) + ", " + quoted(v.unit) + ", " + number_text(v.default_value) +
         ", " + limit(v.minimum) + ", " + limit(v.maximum) + "},\n";
}

}  // namespace

std::vector<bool> uniform_variables(const EvaluatorIr& evaluator) {
  const auto& variables = evaluator.program.variables;
  std::vector<bool> uniform(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    uniform[v] =
        variables[v].kind == Variable::Kind::local || variables[v].kind == Variable::Kind::time ||
        variables[v].kind == Variable::Kind::dt || variables[v].kind == Variable::Kind::celsius;
  const std::function<bool(const Expr&)> varies = [&](const Expr& e) {
    if (e->kind == Node::Kind::variable) return !uniform[at(e->variable)];
    return std::any_of(e->operands.begin(), e->operands.end(), varies);
  };
  bool changed = true;
  const auto vary = [&](int v) {
    changed = changed || uniform[at(v)];
    uniform[at(v)] = false;
  };
  const std::function<void(const Body&, bool)> walk = [&](const Body& body, bool under) {
    for (const Statement& s : body) {
      if (s.kind == Statement::Kind::assign) {
        if (under || varies(s.value)) vary(s.target);
        continue;
      }
      if (s.newton) {
        for (const int v : s.newton->unknowns) vary(v);
        for (const int v : s.newton->residuals) vary(v);
        for (const auto& row : s.newton->jacobian)
          for (const int v : row)
            if (v >= 0) vary(v);
        walk(s.body, under);
        continue;
      }
      walk(s.body, under || varies(s.value));
      walk(s.otherwise, under || varies(s.value));
    }
  };
  while (changed) {
    changed = false;
    for (const Body* body :
         {&evaluator.initialise, &evaluator.current, &evaluator.advance, &evaluator.receive})
      walk(*body, false);
  }
  return uniform;
}

std::string emit_evaluator(const EvaluatorIr& e, const std::string& struct_name) {
  std::string text = "struct " + struct_name + " {\n";
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  const std::vector<InstanceVariable>* const lists[] = {&e.parameters, &e.places, &e.assigned,
                                                        &e.states};
  std::map<int, int> columns;
  text += "  static constexpr VariableInfo variables[] = {\n";
  for (const auto* list : lists)
    for (const InstanceVariable& v : *list) {
      columns.emplace(v.variable, static_cast<int>(columns.size()));
      text += variable_line(v);
    }
  if (columns.empty()) text += "      {}";  // an array has at least one element
  text += "  };\n  static constexpr Coupling couplings[] = {\n";
  for (const PlaceVariable& c : e.couplings)
    text += "      {" + std::string(quantity_name(c.quantity)) + ", " + quoted(c.ion) + ", " +
            number_text(c.valence) + ", " + std::to_string(columns.at(c.variable)) + ", " +
            flag(c.reads) + ", " + flag(c.writes) + "},\n";
  if (e.couplings.empty()) text += "      {}";
  const auto number = [](auto value) { return std::to_string(value) + ", "; };
  text += "  };\n  static constexpr MechanismInfo info{\n      " + quoted(e.name) + ", " +
          quoted(e.description) + ", " + flag(e.is_point_process) + ", " + flag(e.is_artificial) +
          ", " + flag(e.is_electrode) + ",\n      " + number(e.parameters.size()) +
          number(e.places.size()) + number(e.assigned.size()) + number(e.states.size()) +
          "variables, couplings, " + number(e.couplings.size()) + "\n      " +
          flag(e.receives_events) + ", " + quoted(e.weight_unit) + ", " + number(e.arguments) +
          number(e.watches) + flag(e.starts) + ", " + flag(e.begins_connections) + ", " +
          flag(e.changes_in_current) + ", " + flag(e.changes_parameters) + "};\n\n";
  text += "  template <class V>\n  struct Variables {\n";
  for (const auto* list : lists)
    for (const InstanceVariable& v : *list)
      text += "    V " + e.program.variables[at(v.variable)].name + "_;\n";
  text += "  };\n\n";

  const auto function = [&](const std::string& head, const Body& body) {
    Printer printer(e, "V");
    text += "  template <class V>\n  static HILLOCK_FUNCTION void " + head +
            "([[maybe_unused]] Variables<V>& x, [[maybe_unused]] const Instant<V>& at) {\n" +
            printer.function(body) + "  }\n\n";
  };
  function("initialise", e.initialise);
  {
    Printer printer(e, "V");
    text +=
        "  template <class V>\n  static HILLOCK_FUNCTION Current<V> current([[maybe_unused]] "
        "Variables<V>& x, [[maybe_unused]] const Instant<V>& at) {\n";
    const Expr i = e.i ? e.i : ir::number(0), g = e.g ? e.g : ir::number(0);
    text += printer.function(e.current, {i, g}, [&] {
      printer.line("return {" + printer.value(i) + ", " + printer.value(g) + "};");
    });
    text += "  }\n\n";
  }
  function("advance", e.advance);
  if (e.receives_events) {
    Printer printer(e, "double");
    text +=
        "  static HILLOCK_FUNCTION void receive([[maybe_unused]] Variables<double>& x, "
        "[[maybe_unused]] const Instant<double>& at, [[maybe_unused]] Delivery& event) {\n"
        "    [[maybe_unused]] const double weight = event.arguments[0];\n" +
        printer.function(e.receive) + "  }\n";
  }
  text += "};\n";
  return text;
}

}  // namespace hillock::nmodl
