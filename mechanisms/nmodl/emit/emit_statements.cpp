// Prints statements as C++: branches and loops under masks.

#include <limits>

#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Statement;

std::string Printer::function(const Body& body, const std::vector<Expr>& results,
                              const std::function<void()>& ending) {
  constexpr std::size_t however_long = std::numeric_limits<std::size_t>::max();
  layout_ = Layout(e_.program, uniform_, body, results, however_long, however_long);
  text_.clear();
  names_number_ = false;
  declare_locals();
  print(body, "");
  if (ending) ending();
  return finished();
}

std::string Printer::finished() const {
  return (names_number_ ? "    using N = Number<V>;\n" : "") + text_;
}

void Printer::line(const std::string& content) {
  text_ += std::string(at(2 * indent_), ' ') + content + "\n";
}

void Printer::declare_locals() {
  for (const int v : layout_.begun()) {
    const bool uniform = uniform_[at(v)];
    const std::string type = uniform ? number_type() : V_;
    line((layout_.is_kept(v) ? "" : "[[maybe_unused]] " + type + " ") + name(v) + " = " +
         (uniform ? literal("0.0") : V_ + "{}") + ";");
  }
}

void Printer::print(const Body& body, const std::string& on) {
  for (const Cut& cut : layout_.cuts(body)) {
    if (cut.part >= 0) {
      print_part(body, cut);
      continue;
    }
    for (std::size_t i = cut.begin; i < cut.end; ++i) print(body[i], on);
  }
}

void Printer::print(const Statement& s, const std::string& on) {
  switch (s.kind) {
    case Statement::Kind::assign:
      print_assign(s, on);
      break;
    case Statement::Kind::store:
      print_store(s, on);
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

void Printer::print_assign(const Statement& s, const std::string& on) {
  const bool uniform = uniform_[at(s.target)];
  const std::string to = name(s.target);
  if (layout_.is_declared_in_place(s.target) && !layout_.is_kept(s.target))
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

void Printer::print_store(const Statement& s, const std::string& on) {
  const std::string lanes = on.empty() ? "" : ", " + on;
  if (const std::string array = array_name(s.elements); !array.empty()) {
    line("set_element<" + V_ + ">(" + value(s.index) + ", " + value(s.value) + ", " + array +
         lanes + ");");
    return;
  }
  const std::string id = std::to_string(++masks_), where = "index" + id, stored = "stored" + id;
  line("{");
  ++indent_;
  line("const " + V_ + " " + where + " = " + value(s.index) + ", " + stored + " = " +
       value(s.value) + ";");
  for (std::size_t k = 0; k < s.elements.size(); ++k) {
    const std::string to = name(s.elements[k]),
                      here = "(" + where + " == " + literal(std::to_string(k) + ".0") + ")";
    line(to + " = select(" + (on.empty() ? here : "both(" + on + ", " + here + ")") + ", " +
         stored + ", " + to + ");");
  }
  --indent_;
  line("}");
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
  using Rest = ir::Newton::Rest;
  const ir::Newton& n = *s.newton;
  const std::string size = std::to_string(n.unknowns.size());
  const std::string id = std::to_string(++masks_), active = "on" + id, moved = "moved" + id;
  const auto f = [&](std::size_t r) { return "f" + id + "[" + std::to_string(r) + "]"; };
  const auto x = [&](std::size_t r) { return name(n.unknowns[r]); };
  const auto compute = [&] {
    print(s.body, on);
    line(V_ + " f" + id + "[" + size + "];");
    for (std::size_t r = 0; r < n.unknowns.size(); ++r)
      line(f(r) + " = " + name(n.residuals[r]) + ";");
  };
  const auto solve = [&] {
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
      const std::string at = x(r) + " - " + f(r);
      line(mask_text.empty()
               ? x(r) + " = " + at + ";"
               : x(r) + " = select(" + mask_text + ", " + V_ + "(" + at + "), " + x(r) + ");");
    }
  };
  const auto any_of = [&](const auto& of) {
    std::string all;
    for (std::size_t r = 0; r < n.unknowns.size(); ++r)
      all = all.empty() ? of(r) : "either(" + all + ", " + of(r) + ")";
    return all;
  };
  if (n.is_linear) {
    line("{");
    ++indent_;
    compute();
    solve();
    move(on);
    --indent_;
    line("}");
    return;
  }
  line("auto " + active + " = " + (on.empty() ? "(" + V_ + "{} == " + V_ + "{})" : on) + ";");
  if (n.rest == Rest::as_newton)
    line(V_ + " " + moved + " = " + V_ + "{} + " + literal("1.0") + ";");
  line("for (int round" + id + " = 0; round" + id + " < " + std::to_string(n.most_rounds) +
       " && any(" + active + "); ++round" + id + ") {");
  ++indent_;
  compute();
  if (n.rest == Rest::as_newton) {
    const auto off = [&](std::size_t r) { return "is_off<" + V_ + ">(" + f(r) + ")"; };
    line(active + " = both(" + active + ", either(" + moved + " > " + literal("1e-6") + ", " +
         any_of(off) + "));");
  }
  solve();
  if (n.rest == Rest::as_newton) {
    line(moved + " = " + V_ + "{};");
    for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
      const std::string of = "moved_of_itself<" + V_ + ">(" + f(r) + ", " + x(r) + ")";
      line("{ const " + V_ + " by = " + of + "; " + moved + " = select(by > " + moved + ", by, " +
           moved + "); }");
    }
  }
  move(active);
  if (n.rest == Rest::as_sparse) {
    line(V_ + " " + moved + " = " + V_ + "{};");
    for (std::size_t r = 0; r < n.unknowns.size(); ++r) {
      line(moved + " = " + moved + " + moved_by<" + V_ + ">(" + f(r) + ", " + x(r) + ");");
      line(x(r) + " = select(" + x(r) + " < " + literal("0.0") + ", " + V_ + "{}, " + x(r) + ");");
    }
    line(active + " = both(" + active + ", " + moved + " > " + literal("1e-6") + ");");
  } else if (n.rest == Rest::exact) {
    const auto moves = [&](std::size_t r) {
      return "still_moves<" + V_ + ">(" + f(r) + ", " + x(r) + ")";
    };
    line(active + " = both(" + active + ", " + any_of(moves) + ");");
  }
  --indent_;
  line("}");
}

void Printer::nested(const Body& body, const std::string& on) {
  ++indent_;
  print(body, on);
  --indent_;
}

}  // namespace hillock::nmodl
