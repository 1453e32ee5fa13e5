// Prints evaluators as C++.

#include <algorithm>
#include <functional>

#include "mechanisms/nmodl/emit/description.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Statement;
using ir::Variable;

std::vector<bool> uniform_variables(const EvaluatorIr& evaluator) {
  const auto& variables = evaluator.program.variables;
  std::vector<bool> uniform(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    uniform[v] = variables[v].kind == Variable::Kind::local ||
                 variables[v].kind == Variable::Kind::time ||
                 variables[v].kind == Variable::Kind::dt ||
                 variables[v].kind == Variable::Kind::implicit_dt ||
                 variables[v].kind == Variable::Kind::celsius;
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
      if (s.kind == Statement::Kind::send) continue;
      if (s.kind == Statement::Kind::store) {
        for (const int v : s.elements) vary(v);
        continue;
      }
      if (s.kind == Statement::Kind::connections) {
        walk(s.body, true);
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
    for (const Body* body : {&evaluator.initialise, &evaluator.current, &evaluator.advance,
                             &evaluator.receive, &evaluator.start, &evaluator.connect})
      walk(*body, false);
    for (const WatchIr& watch : evaluator.watches) walk(watch.body, false);
  }
  return uniform;
}

namespace {

/// Every condition in a branch of its own.
std::string watch_function(const EvaluatorIr& e) {
  std::string text =
      "  static HILLOCK_FUNCTION double watch(int number, [[maybe_unused]] Variables<double>& x, "
      "[[maybe_unused]] const Instant<double>& at) {\n    switch (number) {\n";
  for (std::size_t k = 0; k < e.watches.size(); ++k) {
    Printer printer(e, "double");
    const std::string head =
        k + 1 < e.watches.size() ? "case " + std::to_string(k) : std::string("default");
    text += "      " + head + ": {\n" +
            printer.function(
                e.watches[k].body, {e.watches[k].value},
                [&] { printer.line("return " + printer.value(e.watches[k].value) + ";"); }) +
            "      }\n";
  }
  return text + "    }\n  }\n\n";
}

/// Arrays that a run indexes as such; their elements stand side by side.
std::string members_text(const EvaluatorIr& e, const std::vector<InstanceVariable>& list) {
  const auto variable = [&](std::size_t k) -> const Variable& {
    return e.program.variables[at(list[k].variable)];
  };
  std::string text;
  for (std::size_t k = 0, next = 0; k < list.size(); k = next) {
    const std::string& array = variable(k).array;
    next = k + 1;
    if (array.empty()) {
      text += "    V " + member_name(variable(k)) + ";\n";
      continue;
    }
    while (next < list.size() && variable(next).array == array) ++next;
    text += "    V " + array + "_[" + std::to_string(next - k) + "];\n";
  }
  return text;
}

/// The columns of what a body assigns.
std::string set_text(const EvaluatorIr& e, const char* name, const Body& body) {
  const std::vector<int> assigned = ir::assigned_in(body);
  std::string columns;
  int column = 0;
  for (const auto* list : {&e.parameters, &e.shared, &e.assigned, &e.states})
    for (const InstanceVariable& v : *list) {
      if (std::find(assigned.begin(), assigned.end(), v.variable) != assigned.end())
        columns += (columns.empty() ? "" : ", ") + std::to_string(column);
      ++column;
    }
  return std::string("  static constexpr int ") + name + "[] = {" +
         (columns.empty() ? "-1" : columns) + "};\n";
}

std::string struct_text(const EvaluatorIr& e, const std::string& struct_name) {
  std::string text = "struct " + struct_name + " {\n" + info_text(Description(e).info());
  text += "  template <class V>\n  struct Variables {\n";
  for (const auto* list : {&e.parameters, &e.shared, &e.assigned, &e.states})
    text += members_text(e, *list);
  text += "  };\n\n";

  if (e.is_adjoint)
    text += "  /// Columns.\n" + set_text(e, "set_by_current", e.current) +
            set_text(e, "set_by_advance", e.advance) + "\n";
  for (const TableIr& table : e.tables) text += table_function(table);

  text += Printer(e, "V").functions("initialise", e.initialise);
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
  text += Printer(e, "V").functions("advance", e.advance);
  const auto event_function = [&](const char* name, const Body& body) {
    Printer printer(e, "double");
    text += "  static HILLOCK_FUNCTION void " + std::string(name) +
            "([[maybe_unused]] Variables<double>& x, [[maybe_unused]] const Instant<double>& at, "
            "[[maybe_unused]] Delivery& event) {\n" +
            printer.function(body) + "  }\n\n";
  };
  if (e.receives_events) event_function("receive", e.receive);
  if (e.starts) event_function("start", e.start);
  if (e.begins_connections) event_function("connect", e.connect);
  if (!e.watches.empty()) text += watch_function(e);
  text += "};\n";
  return text;
}

}  // namespace

std::string emit_header(const EvaluatorIr& evaluator, const std::string& struct_name) {
  return "#pragma once\n// Emitted from a .mod file: not for editing.\n\n"
         "#include \"mechanisms/evaluator.hpp\"\n#include \"mechanisms/runtime/runtime.hpp\"\n\n"
         "namespace hillock::mechanisms::inline HILLOCK_ISA {\n\n" +
         struct_text(evaluator, struct_name) +
         "\n}  // namespace hillock::mechanisms::inline HILLOCK_ISA\n";
}

}  // namespace hillock::nmodl
