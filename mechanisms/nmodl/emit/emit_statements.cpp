// Prints statements as C++: branches and loops under masks.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {
namespace {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Statement;

/// Every variable that a body names.
void collect(const Body& body, std::set<int>& used) {
  const std::function<void(const Expr&)> read = [&](const Expr& e) {
    if (!e) return;
    if (e->kind == Node::Kind::variable) used.insert(e->variable);
    for (const Expr& operand : e->operands) read(operand);
  };
  for (const Statement& s : body) {
    if (s.target >= 0) used.insert(s.target);
    read(s.value);
    read(s.flag);
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

void count_assigns(const Body& body, std::map<int, int>& times) {
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::assign) ++times[s.target];
    if (s.newton)
      for (const int u : s.newton->unknowns) ++times[u];
    count_assigns(s.body, times);
    count_assigns(s.otherwise, times);
  }
}

/// Whether a variable is read before its assign at the top of the body.
bool read_before(const Body& body, int v) {
  for (const Statement& s : body) {
    if (ir::reads({s}, v)) return true;
    if (s.kind == Statement::Kind::assign && s.target == v) return false;
  }
  return true;
}

}  // namespace

std::string Printer::function(const Body& body, const std::vector<Expr>& results,
                              const std::function<void()>& ending) {
  text_.clear();
  indent_ = 2;
  names_number_ = false;
  declare_locals(body, results);
  print(body, "");
  if (ending) ending();
  return (names_number_ ? "    using N = Number<V>;\n" : "") + text_;
}

void Printer::line(const std::string& content) {
  text_ += std::string(at(2 * indent_), ' ') + content + "\n";
}

/// Assigned once, unconditionally and before any use: declared where it is assigned.
void Printer::declare_locals(const Body& body, const std::vector<Expr>& results) {
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
    if (v < 0 || e_.program.variables[at(v)].kind != ir::Variable::Kind::local) continue;
    if (times[v] == 1 && at_top.count(v) && !read_before(body, v)) {
      declared_here_.insert(v);
      continue;
    }
    line(uniform_[at(v)]
             ? "[[maybe_unused]] " + number_type() + " " + name(v) + " = " + literal("0.0") + ";"
             : "[[maybe_unused]] " + V_ + " " + name(v) + " = " + V_ + "{};");
  }
}

void Printer::print(const Body& body, const std::string& on) {
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
      case Statement::Kind::send:
        print_send(s);
        break;
      case Statement::Kind::connections:
        line("for (int c = 0; c < event.connection_count; ++c) {");
        ++indent_;
        line("double* const other = event.all_arguments + event.connections[c];");
        print(s.body, on);
        --indent_;
        line("}");
        break;
    }
  }
}

void Printer::print_assign(const Statement& s, const std::string& on) {
  const bool uniform = uniform_[at(s.target)];
  const std::string to = name(s.target);
  if (declared_here_.count(s.target))
    line("[[maybe_unused]] const " +
         (uniform ? number_type() + " " + to + " = " + numeric(s.value)
                  : V_ + " " + to + " = " + value(s.value)) +
         ";");
  else if (uniform)
    line(to + " = " + numeric(s.value) + ";");
  else if (on.empty())
    line(to + " = " + value(s.value) + ";");
  else
    line(to + " = select(" + on + ", " + wrapped(s.value) + ", " + to + ");");
}

/// Only where V is double: a branch that is not taken is not entered.
void Printer::print_send(const Statement& s) {
  static const char* const kinds[] = {"self", "move", "spike", "watch"};
  line("event.add(Message::Kind::" + std::string(kinds[static_cast<int>(s.message)]) + ", " +
       value(s.value) + ", " + value(s.flag) + ", " + std::to_string(s.number) + ");");
}

void Printer::print_branch(const Statement& s, const std::string& on) {
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

void Printer::print_loop(const Statement& s, const std::string& on) {
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

void Printer::print_newton(const Statement& s, const std::string& on) {
  const ir::Newton& n = *s.newton;
  const std::string size = std::to_string(n.unknowns.size());
  const std::string id = std::to_string(++masks_);
  const auto solve_once = [&] {
    print(s.body, on);
    line(V_ + " f" + id + "[" + size + "];");
    for (std::size_t r = 0; r < n.unknowns.size(); ++r)
      line("f" + id + "[" + std::to_string(r) + "] = " + name(n.residuals[r]) + ";");
    if (n.jacobian.empty()) return;
    line(V_ + " j" + id + "[" + size + "][" + size + "];");
    for (std::size_t r = 0; r < n.unknowns.size(); ++r)
      for (std::size_t c = 0; c < n.unknowns.size(); ++c)
        line("j" + id + "[" + std::to_string(r) + "][" + std::to_string(c) +
             "] = " + (n.jacobian[r][c] < 0 ? V_ + "{}" : name(n.jacobian[r][c])) + ";");
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
  std::string moving;
  for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
    const std::string still = "still_moves<" + V_ + ">(f" + id + "[" + std::to_string(r) + "], " +
                              name(n.unknowns[r]) + ")";
    moving = moving.empty() ? still : "either(" + moving + ", " + still + ")";
  }
  line(active + " = both(" + active + ", " + moving + ");");
  --indent_;
  line("}");
}

void Printer::nested(const Body& body, const std::string& on) {
  ++indent_;
  print(body, on);
  --indent_;
}

}  // namespace hillock::nmodl
