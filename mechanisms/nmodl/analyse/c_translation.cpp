// C code becomes statements of NMODL where there are such: before names are bound, in every block.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"
#include "mechanisms/nmodl/analyse/verbatim.hpp"
#include "mechanisms/nmodl/parse/c_code.hpp"
#include "mechanisms/nmodl/parse/token_stream.hpp"

namespace hillock::nmodl {
namespace {

using ast::BlockKind;
using ast::Operator;
using CKind = c::ExpressionKind;
using CStatement = c::StatementKind;

/// Behind the word VERBATIM.
Position behind_word(Position verbatim) {
  verbatim.column += static_cast<int>(std::string_view("VERBATIM").size());
  return verbatim;
}

[[noreturn]] void refuse(Position position, std::string reason) {
  throw SyntaxError{position, std::move(reason)};
}

/// An expression with C's idea of it. `nodes`: how long it is.
struct Value {
  ast::Expression e;
  bool is_whole = false;
  int nodes = 1;
};

ast::Expression number(double value, Position position) {
  ast::Expression e;
  e.position = position;
  e.value = value;
  return e;
}

ast::Expression variable(const std::string& name, Position position) {
  ast::Expression e;
  e.kind = ast::ExpressionKind::variable;
  e.position = position;
  e.name = name;
  return e;
}

Value combined(ast::ExpressionKind kind, Position position, std::vector<Value> parts) {
  constexpr int deepest = 500, longest = 5000;
  Value made;
  made.e.kind = kind;
  made.e.position = position;
  for (Value& part : parts) {
    made.nodes += part.nodes;
    made.e.depth = std::max(made.e.depth, part.e.depth + 1);
    made.e.operands.push_back(std::move(part.e));
  }
  if (made.e.depth > deepest || made.nodes > longest) refuse(position, "an expression is too long");
  return made;
}

Value operation(Operator op, Value a, Value b) {
  const Position position = a.e.position;
  std::vector<Value> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  Value made = combined(ast::ExpressionKind::binary, position, std::move(parts));
  made.e.op = op;
  return made;
}

Value called(const std::string& name, Position position, std::vector<Value> arguments) {
  Value made = combined(ast::ExpressionKind::call, position, std::move(arguments));
  made.e.name = name;
  return made;
}

bool is_number(const Value& value) {
  return value.e.kind == ast::ExpressionKind::number;
}

/// Mathematics and what draws; C's abs is another function, and poisrand's result an int.
const BuiltinFacts* function_of_c(std::string_view name) {
  const BuiltinFacts* known = find_builtin(name);
  if (!known || name == "abs" || known->builtin == Builtin::poisrand) return nullptr;
  return known->builtin <= Builtin::normrand ? known : nullptr;
}

/// Whether it may be computed twice.
bool is_pure(const ast::Expression& e) {
  if (e.kind == ast::ExpressionKind::call) {
    const BuiltinFacts* known = find_builtin(e.name);
    if (!known || known->builtin > Builtin::nrn_ghk) return false;
  }
  return std::ranges::all_of(e.operands, is_pure);
}

/// What C makes an int of: towards 0.
Value truncated(Value value) {
  if (value.is_whole) return value;
  const Position position = value.e.position;
  Value made;
  if (is_number(value)) {
    made.e = number(std::trunc(value.e.value), position);
  } else {
    if (!is_pure(value.e)) refuse(position, "an int is made of what a function gives");
    const auto part = [&](const char* end, const char* rounded) {
      std::vector<Value> one, two;
      one.push_back(value);
      two.push_back(called(rounded, position, std::move(one)));
      two.push_back({number(0, position)});
      return called(end, position, std::move(two));
    };
    made = operation(Operator::add, part("fmin", "ceil"), part("fmax", "floor"));
  }
  made.is_whole = true;
  return made;
}

/// Flags that say where a run left: what stands behind them is under a condition.
class Guards {
 public:
  explicit Guards(std::string flag) : flag_(std::move(flag)) {}

  /// Whether a condition came of it.
  bool guard(ast::Statements& list) {
    bool asks = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!sets(list[i])) continue;
      asks = std::visit([&](auto& node) { return inside(node); }, list[i].node) || asks;
      if (i + 1 == list.size()) return asks;
      ast::Statements rest(
          std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(i) + 1),
          std::make_move_iterator(list.end()));
      list.resize(i + 1);
      guard(rest);
      list.push_back(unless_set(list[i].position, std::move(rest)));
      return true;
    }
    return asks;
  }

  /// A loop that ends where the flag is set.
  void guard_round(ast::While& node) {
    const Position position = node.condition.position;
    node.condition =
        operation(Operator::logical_and, {is_unset(position)}, {std::move(node.condition)}).e;
    guard(node.body);
  }

  /// Takes the flag's assignments away.
  void drop(ast::Statements& list) const {
    std::erase_if(list, [&](const ast::Statement& s) { return is_flag(s); });
    for (ast::Statement& s : list)
      std::visit([&](auto& node) { each(node, [&](auto& body) { drop(body); }); }, s.node);
  }

  ast::Expression is_unset(Position position) const {
    return operation(Operator::equal, {variable(flag_, position)}, {number(0, position)}).e;
  }

  ast::Statement put(double value, Position position) const {
    return {position, ast::Assignment{variable(flag_, position), number(value, position), false}};
  }

 private:
  /// do_that(body) of each body of a statement that C code may stand in.
  static void each(ast::If& node, const auto& do_that) {
    for (ast::Branch& branch : node.branches) do_that(branch.body);
    if (node.otherwise) do_that(*node.otherwise);
  }
  static void each(ast::While& node, const auto& do_that) { do_that(node.body); }
  static void each(ast::Loop& node, const auto& do_that) { do_that(node.body); }
  static void each(ast::Scope& node, const auto& do_that) { do_that(node.body); }
  template <class Node>
  static void each(Node&, const auto&) {}

  bool is_flag(const ast::Statement& s) const {
    const auto* node = std::get_if<ast::Assignment>(&s.node);
    return node && node->target.name == flag_;
  }

  bool sets(ast::Statement& s) const {
    if (is_flag(s)) return true;
    bool found = false;
    std::visit(
        [&](auto& node) {
          each(node, [&](ast::Statements& body) {
            found =
                found || std::ranges::any_of(body, [&](ast::Statement& one) { return sets(one); });
          });
        },
        s.node);
    return found;
  }

  ast::Statement unless_set(Position position, ast::Statements body) const {
    ast::Branch branch{is_unset(position), std::move(body)};
    ast::If made;
    made.branches.push_back(std::move(branch));
    return {position, std::move(made)};
  }

  bool inside(ast::While& node) {
    guard_round(node);
    return true;
  }
  bool inside(ast::Loop& node) {
    guard(node.body);
    const Position position = node.first.position;
    ast::Statements body;
    body.push_back(unless_set(position, std::exchange(node.body, {})));
    node.body = std::move(body);
    return true;
  }
  template <class Node>
  bool inside(Node& node) {
    bool asks = false;
    each(node, [&](ast::Statements& body) { asks = guard(body) || asks; });
    return asks;
  }

  std::string flag_;
};

/// What is known in a list of statements. Of NMODL's names whether C has them as int.
struct Names {
  std::map<std::string, bool, std::less<>> of_nmodl, of_c;
  std::vector<ast::LocalDeclaration> declared;  ///< here, by C code
};

class Translation {
 public:
  Translation(Analysis& analysis, ast::Block& block,
              const std::set<std::string, std::less<>>& macros,
              const std::set<std::string, std::less<>>& idle)
      : analysis_(analysis), block_(block), macros_(macros), idle_(idle) {}

  void run() {
    Names outer;
    if (block_.kind != BlockKind::net_receive)
      for (const ast::Argument& argument : block_.arguments) outer.of_nmodl[argument.name] = false;
    else
      outer.of_nmodl["flag"] = false;
    if (block_.kind == BlockKind::function) outer.of_nmodl[block_.name] = false;
    names_.push_back(std::move(outer));
    walk(block_.body, true);
    if (leaves_) guard();
  }

 private:
  void guard() {
    Guards guards(leaving_);
    if (!guards.guard(block_.body)) return guards.drop(block_.body);
    const auto first = std::ranges::find_if_not(block_.body, [](const ast::Statement& s) {
      return std::holds_alternative<ast::Locals>(s.node);
    });
    block_.body.insert(first, guards.put(0, block_.position));
    ast::Locals flag;
    flag.names.push_back({leaving_, block_.position, 0, {}});
    block_.body.insert(block_.body.begin(), {block_.position, std::move(flag)});
  }

  // The statements of NMODL around C code.

  void walk(ast::Statements& list, bool is_whole_block = false) {
    names_.emplace_back();
    for (std::size_t i = 0; i < list.size(); ++i) {
      Position position = list[i].position;
      is_last_ = is_whole_block && i + 1 == list.size();
      if (auto* verbatim = std::get_if<ast::Verbatim>(&list[i].node)) {
        if (doing_code(verbatim->text).empty() || is_of_an_ion(*verbatim)) continue;
        try {
          ast::Scope made;
          made.body = translated(c::parse(verbatim->text, behind_word(position)));
          list[i].node = std::move(made);
        } catch (const SyntaxError& error) {
          verbatim->refused = error.message;
          verbatim->refused_at = error.position;
        }
      } else {
        std::visit([&](auto& node) { inside(node); }, list[i].node);
      }
    }
    std::vector<ast::LocalDeclaration> declared = std::move(names_.back().declared);
    names_.pop_back();
    if (declared.empty()) return;
    ast::Locals locals;
    locals.names = std::move(declared);
    list.insert(list.begin(), {locals.names.front().position, std::move(locals)});
  }

  void inside(ast::Locals& node) {
    for (const ast::LocalDeclaration& one : node.names) names_.back().of_nmodl[one.name] = false;
  }
  void inside(ast::If& node) {
    for (ast::Branch& branch : node.branches) walk(branch.body);
    if (node.otherwise) walk(*node.otherwise);
  }
  void inside(ast::While& node) { walk(node.body); }
  void inside(ast::Scope& node) { walk(node.body); }
  void inside(ast::Loop& node) {
    names_.emplace_back();
    names_.back().of_nmodl[node.index.text] = true;
    walk(node.body);
    names_.pop_back();
  }
  void inside(ast::ConnectionInitial& node) {
    const bool before = std::exchange(may_leave_, false);
    walk(node.body);
    may_leave_ = before;
  }
  template <class Node>
  void inside(Node&) {}

  /// What the binder knows (taken_from_ions).
  bool is_of_an_ion(const ast::Verbatim& node) const {
    return block_.kind == BlockKind::initial && !taken_from_ions(doing_code(node.text)).empty();
  }

  // Statements of C.

  ast::Statements translated(const std::vector<c::Statement>& list) {
    using enum BlockKind;
    constexpr auto places =
        std::to_array({function, procedure, initial, breakpoint, net_receive, before_initial,
                       before_breakpoint, before_step, after_initial, after_solve, constructor});
    const bool only_leaves = std::ranges::all_of(
        list, [](const c::Statement& s) { return s.kind == CStatement::leave; });
    if (!only_leaves && std::ranges::find(places, block_.kind) == places.end())
      refuse(list.front().position, "it stands in a block that is solved");
    ast::Statements made;
    scopes_.emplace_back();
    const bool is_last = is_last_;
    for (const c::Statement& s : list) {
      is_last_ = is_last && &s == &list.back();
      statement(s, made);
    }
    scopes_.pop_back();  // what is declared here is known in the code that follows
    return made;
  }

  ast::Statements in_scope(const std::vector<c::Statement>& list) {
    ast::Statements made;
    scopes_.emplace_back();
    for (const c::Statement& s : list) statement(s, made);
    for (const std::string& name : scopes_.back()) names_.back().of_c.erase(name);
    scopes_.pop_back();
    return made;
  }

  void statement(const c::Statement& s, ast::Statements& to) {
    switch (s.kind) {
      case CStatement::declaration:
        return declare(s, to);
      case CStatement::foreign:
        if (analysis_.symbols.contains(s.name) && s.name != "t")
          refuse(s.position, "'" + s.name + "' is declared anew");
        return;
      case CStatement::expression:
        return effect(*s.value, to);
      case CStatement::branch:
        return branch(s, to);
      case CStatement::loop:
      case CStatement::do_loop:
        return loop(s, to);
      case CStatement::block:
        to.push_back({s.position, ast::Scope{in_scope(s.body)}});
        return;
      case CStatement::leave:
        return leave(s, to);
      case CStatement::leave_loop:
        return leave_round(rounds_.back().leaving, s.position, to);
      case CStatement::next_round:
        return leave_round(rounds_.back().ending, s.position, to);
    }
  }

  void declare(const c::Statement& s, ast::Statements& to) {
    if (macros_.contains(s.name)) refuse(s.position, "'" + s.name + "' is a macro");
    if (analysis_.symbols.contains(s.name) || analysis_.functions.contains(s.name) ||
        analysis_.tables.contains(s.name) || is_of_nmodl(s.name) || find_builtin(s.name) ||
        of_c(s.name) || s.name.starts_with('_'))
      refuse(s.position, "'" + s.name + "' is declared, and means something else around");
    add_local(s.name, s.size, s.is_whole, s.position);
    scopes_.back().push_back(s.name);
    if (!s.value) return;
    c::Expression target;
    target.kind = CKind::variable;
    target.position = s.position;
    target.name = s.name;
    assign(target, "=", *s.value, to);
  }

  /// LOCAL of the list of NMODL's that the code stands in.
  void add_local(const std::string& name, int size, bool is_whole, Position position) {
    auto& declared = names_.back().declared;
    const auto known = std::ranges::find(declared, name, &ast::LocalDeclaration::name);
    if (known == declared.end())
      declared.push_back({name, position, size, {}});
    else if (known->size != size)
      refuse(position, "'" + name + "' is declared in two ways");
    names_.back().of_c[name] = is_whole;
  }

  std::string new_local(const char* name, Position position) {
    std::string made = std::string(name) + "_" + std::to_string(++flags_) + "_";
    while (analysis_.symbols.contains(made) || is_of_nmodl(made) || of_c(made)) made += "_";
    add_local(made, 0, true, position);
    return made;
  }

  /// An expression that stands alone.
  void effect(const c::Expression& e, ast::Statements& to) {
    if (e.kind == CKind::assignment) return assign(e.operands[0], e.name, e.operands[1], to);
    if (e.kind != CKind::call) refuse(e.position, "a value alone");
    if (e.name == "set_seed" || (idle_.contains(e.name) && e.operands.empty())) return;
    to.push_back({e.position, ast::Call{call(e, true).e}});
  }

  void assign(const c::Expression& target, const std::string& op, const c::Expression& from,
              ast::Statements& to) {
    if (from.kind == CKind::assignment) {  // a = b = 0
      assign(from.operands[0], from.name, from.operands[1], to);
      return assign(target, op, from.operands[0], to);
    }
    if (from.kind == CKind::choice) {
      to.push_back(chosen(from, [&](const c::Expression& one, ast::Statements& body) {
        assign(target, op, one, body);
      }));
      return;
    }
    if (target.kind != CKind::variable && target.kind != CKind::element)
      refuse(target.position, "it assigns to no variable");
    const bool is_own = op == "=" && from.name == "_ion_" + target.name;
    Value place = value(target);
    if (place.e.kind == ast::ExpressionKind::number)
      refuse(target.position, "it assigns to a number");
    Value result = value(from);
    if (is_own) return;  // it is so already
    if (op != "=") result = computed(op.substr(0, 1), place, std::move(result));
    if (place.is_whole) result = truncated(std::move(result));
    to.push_back(
        {target.position, ast::Assignment{std::move(place.e), std::move(result.e), false}});
  }

  /// if (condition) do_that(first) else do_that(second)
  ast::Statement chosen(const c::Expression& e, const auto& do_that) {
    Value condition = value(e.operands[0]);
    if (is_number(condition)) {
      ast::Scope taken;
      do_that(e.operands[condition.e.value != 0 ? 1 : 2], taken.body);
      return {e.position, std::move(taken)};
    }
    ast::Branch branch{std::move(condition.e), {}};
    do_that(e.operands[1], branch.body);
    ast::If made;
    made.branches.push_back(std::move(branch));
    do_that(e.operands[2], made.otherwise.emplace());
    return {e.position, std::move(made)};
  }

  /// What an expression begins with is assigned before it: if ((a = b) > 0).
  void lift(c::Expression& e, ast::Statements& to) {
    c::Expression* first = &e;
    while (first->kind == CKind::binary || first->kind == CKind::unary ||
           first->kind == CKind::cast)
      first = &first->operands[0];
    if (first->kind != CKind::assignment) return;
    effect(*first, to);
    c::Expression target = std::move(first->operands[0]);
    *first = std::move(target);
  }

  void branch(const c::Statement& s, ast::Statements& to) {
    c::Expression asked = *s.value;
    lift(asked, to);
    Value condition = value(asked);
    if (is_number(condition)) {
      ast::Scope taken{in_scope(condition.e.value != 0 ? s.body : s.otherwise)};
      to.push_back({s.position, std::move(taken)});
      return;
    }
    ast::If made;
    made.branches.push_back({std::move(condition.e), in_scope(s.body)});
    if (!s.otherwise.empty()) made.otherwise = in_scope(s.otherwise);
    to.push_back({s.position, std::move(made)});
  }

  void loop(const c::Statement& s, ast::Statements& to) {
    rounds_.push_back({});
    ast::While made{s.value ? value(*s.value).e : number(1, s.position), in_scope(s.body)};
    const Round round = std::move(rounds_.back());
    rounds_.pop_back();
    const bool is_simple = s.kind == CStatement::loop && round.leaving.empty();
    if (!is_simple && !is_pure(made.condition))
      refuse(s.position, "a loop that asks a function whether it goes on");
    if (!round.ending.empty()) {
      Guards ending(round.ending);
      ending.guard(made.body);
      made.body.insert(made.body.begin(), ending.put(0, s.position));
    }
    for (const c::Statement& step : s.step) statement(step, made.body);
    if (s.kind == CStatement::do_loop) {  // its first round asks nothing
      const Guards begun(new_local("begun", s.position));
      to.push_back(begun.put(0, s.position));
      made.body.insert(made.body.begin(), begun.put(1, s.position));
      made.condition =
          operation(Operator::logical_or, {begun.is_unset(s.position)}, {std::move(made.condition)})
              .e;
    }
    if (!round.leaving.empty()) {
      Guards leaving(round.leaving);
      to.push_back(leaving.put(0, s.position));
      leaving.guard_round(made);
    }
    to.push_back({s.position, std::move(made)});
  }

  /// break and continue, by a flag that is made for the first of a loop.
  void leave_round(std::string& flag, Position position, ast::Statements& to) {
    count_leaves(position);
    if (flag.empty()) flag = new_local("leaves", position);
    to.push_back(Guards(flag).put(1, position));
  }

  void leave(const c::Statement& s, ast::Statements& to) {
    count_leaves(s.position);
    const bool is_function = block_.kind == BlockKind::function;
    if (is_function && s.value) {
      c::Expression result;
      result.kind = CKind::variable;
      result.position = s.position;
      result.name = "_l" + block_.name;
      assign(result, "=", *s.value, to);
    } else if (s.value) {
      const Value code = value(*s.value);
      if (!is_number(code) || code.e.value != 0) refuse(s.position, "it returns what is not 0");
    } else if (is_function) {
      refuse(s.position, "it returns no value");
    }
    if (is_function || block_.kind == BlockKind::procedure ||
        block_.kind == BlockKind::net_receive) {
      if (!may_leave_) refuse(s.position, "it returns out of INITIAL");
      leaves_ = true;
      to.push_back(Guards(leaving_).put(1, s.position));
    } else if (!is_last_ || scopes_.size() != 1) {
      refuse(s.position, "it returns from the middle of a block");
    } else if (block_.kind == BlockKind::breakpoint) {
      refuse(s.position, "it returns from BREAKPOINT");
    }
  }

  /// Each makes what follows a body of its own.
  void count_leaves(Position position) {
    constexpr int most = 50;
    if (++count_of_leaves_ > most) refuse(position, "it leaves in too many places");
  }

  // Expressions of C.

  Value value(const c::Expression& e) {
    switch (e.kind) {
      case CKind::number:
        return {number(e.value, e.position), e.is_whole};
      case CKind::text:
        refuse(e.position, "a text");
      case CKind::variable:
        return named(e);
      case CKind::element:
        return element(e);
      case CKind::call:
        return call(e, false);
      case CKind::unary:
        return unary(e);
      case CKind::binary:
        return computed(e.name, value(e.operands[0]), value(e.operands[1]));
      case CKind::cast:
        return cast(e);
      case CKind::choice:
        refuse(e.position, "a choice within an expression");
      case CKind::assignment:
        refuse(e.position, "an assignment within an expression");
    }
    return {};
  }

  Value cast(const c::Expression& e) {
    Value of = value(e.operands[0]);
    if (e.name == "int") return truncated(std::move(of));
    of.is_whole = false;
    return of;
  }

  Value unary(const c::Expression& e) {
    Value of = value(e.operands[0]);
    if (e.name == "+") return of;
    const bool is_not = e.name == "!", is_whole = of.is_whole || is_not;
    if (is_number(of)) {
      of.e.value = is_not ? of.e.value == 0 : -of.e.value;
      of.is_whole = is_whole;
      return of;
    }
    std::vector<Value> operand;
    operand.push_back(std::move(of));
    Value made = combined(ast::ExpressionKind::unary, e.position, std::move(operand));
    made.e.op = is_not ? Operator::logical_not : Operator::minus;
    made.is_whole = is_whole;
    return made;
  }

  Value computed(const std::string& op, Value a, Value b) {
    static const std::map<std::string, Operator, std::less<>> operators = {
        {"+", Operator::add},          {"-", Operator::subtract},
        {"*", Operator::multiply},     {"/", Operator::divide},
        {"<", Operator::less},         {">", Operator::greater},
        {"<=", Operator::less_equal},  {">=", Operator::greater_equal},
        {"==", Operator::equal},       {"!=", Operator::not_equal},
        {"&&", Operator::logical_and}, {"||", Operator::logical_or}};
    const Position position = a.e.position;
    const bool are_whole = a.is_whole && b.is_whole;
    if (op == "%") {
      if (!are_whole) refuse(position, "a remainder of what is no int");
      if (!is_pure(a.e) || !is_pure(b.e)) refuse(position, "a remainder of what a function gives");
      Value times = truncated(operation(Operator::divide, a, b));
      Value made = operation(Operator::subtract, std::move(a),
                             operation(Operator::multiply, std::move(times), std::move(b)));
      made.is_whole = true;
      return made;
    }
    const Operator what = operators.at(op);
    const bool computes = what <= Operator::divide;
    constexpr double largest_factor = 32767;
    if (what == Operator::multiply && are_whole)
      for (const Value* factor : {&a, &b})
        if (is_number(*factor) && std::abs(factor->e.value) > largest_factor)
          refuse(position, "a product of ints that may be too large for an int");
    if (what == Operator::divide && are_whole && is_number(b) && b.e.value == 0)
      refuse(position, "an int over 0");
    Value made = operation(what, std::move(a), std::move(b));
    if (what == Operator::divide && are_whole) return truncated(std::move(made));
    made.is_whole = are_whole || !computes;
    return made;
  }

  Value call(const c::Expression& e, bool is_statement) {
    if (macros_.contains(e.name)) refuse(e.position, "'" + e.name + "' is a macro");
    // A model makes a point without arguments; a session's have what hoc gave them.
    if (e.name == "ifarg" && block_.kind == BlockKind::constructor && e.operands.size() == 1)
      return {number(0, e.position), true};
    const std::string name = e.name == "hoc_Exp" ? "exp" : e.name;
    const BuiltinFacts* known = is_statement ? nullptr : function_of_c(name);
    if (!known && !analysis_.functions.contains(e.name))
      refuse(e.position, "'" + e.name + "()' is not taken");
    std::vector<Value> arguments;
    for (const c::Expression& argument : e.operands) arguments.push_back(value(argument));
    if (const auto found = analysis_.functions.find(e.name); found != analysis_.functions.end()) {
      if (!is_statement &&
          analysis_.module.syntax.blocks[at(found->second)].kind == BlockKind::procedure)
        refuse(e.position, "a PROCEDURE has no value");
      return called(e.name, e.position, std::move(arguments));
    }
    return called(name, e.position, std::move(arguments));
  }

  Value element(const c::Expression& e) {
    if (e.name == "_args") return argument(e);
    Value array = named(e), index = value(e.operands[0]);
    if (!index.is_whole) refuse(e.position, "an index that is no int");
    const bool is_whole = array.is_whole;
    const std::string name = array.e.name;
    std::vector<Value> operand;
    operand.push_back(std::move(index));
    Value made = combined(ast::ExpressionKind::element, e.position, std::move(operand));
    made.e.name = name;
    made.is_whole = is_whole;
    return made;
  }

  /// _args[1] of NET_RECEIVE
  Value argument(const c::Expression& e) {
    const Value index = value(e.operands[0]);
    const double count = static_cast<double>(block_.arguments.size());
    if (block_.kind != BlockKind::net_receive || !is_number(index) || !index.is_whole ||
        index.e.value < 0 || index.e.value >= count)
      refuse(e.position, "'_args' of that number is not taken");
    const std::string& name = block_.arguments[static_cast<std::size_t>(index.e.value)].name;
    if (is_of_nmodl(name)) refuse(e.position, "'" + name + "' is a LOCAL as well");
    return {variable(name, e.position)};
  }

  Value named(const c::Expression& e) {
    const std::string& name = e.name;
    if (macros_.contains(name)) refuse(e.position, "'" + name + "' is a macro");
    if (const bool* is_whole = of_c(name)) return {variable(name, e.position), *is_whole};
    if (name.starts_with("_ion_")) return of_ion(name.substr(5), e.position);
    if (name.starts_with("_l")) return local(name.substr(2), e);
    if (name == "M_PI") return {number(3.14159265358979323846, e.position)};
    if (name == "cvode_active_") return {number(0, e.position), true};
    const Symbol* symbol = symbol_of(name);
    if (!symbol || symbol->role == Role::local)
      refuse(e.position, "'" + name + "' is declared nowhere");
    if (symbol->role == Role::random || symbol->role == Role::bbcore_pointer)
      refuse(e.position, "'" + name + "' is not taken");
    const bool is_argument = block_.kind == BlockKind::net_receive &&
                             std::ranges::any_of(block_.arguments, [&](const ast::Argument& a) {
                               return a.name == name;
                             });
    if (is_of_nmodl(name) || is_argument) refuse(e.position, "'" + name + "' is a LOCAL as well");
    return {variable(name, e.position)};
  }

  /// _lx: nocmodl's name of a LOCAL x, of an argument, and of what a FUNCTION gives.
  Value local(const std::string& name, const c::Expression& e) {
    if (of_c(name)) refuse(e.position, "'" + name + "' means two things");
    if (is_of_nmodl(name)) return {variable(name, e.position), innermost(name)};
    const Symbol* symbol = symbol_of(name);
    if (!symbol || symbol->role != Role::local)
      refuse(e.position, "'" + e.name + "' is declared nowhere");
    return {variable(name, e.position)};
  }

  Value of_ion(const std::string& name, Position position) {
    const auto found = analysis_.symbols.find(name);
    for (const Ion& ion : analysis_.module.ions)
      for (const IonVariable& one : ion.variables)
        if (found != analysis_.symbols.end() && one.symbol == found->second && one.read &&
            !one.write && !is_of_nmodl(name))
          return {variable(name, position)};
    refuse(position, "'_ion_" + name + "' is not taken");
  }

  const Symbol* symbol_of(const std::string& name) const {
    const auto found = analysis_.symbols.find(name);
    return found == analysis_.symbols.end() ? nullptr
                                            : &analysis_.module.symbols[at(found->second)];
  }

  bool is_of_nmodl(std::string_view name) const {
    return std::ranges::any_of(names_,
                               [&](const Names& names) { return names.of_nmodl.contains(name); });
  }
  bool innermost(std::string_view name) const {
    for (auto names = names_.rbegin(); names != names_.rend(); ++names)
      if (const auto found = names->of_nmodl.find(name); found != names->of_nmodl.end())
        return found->second;
    return false;
  }
  const bool* of_c(std::string_view name) const {
    for (auto names = names_.rbegin(); names != names_.rend(); ++names)
      if (const auto found = names->of_c.find(name); found != names->of_c.end())
        return &found->second;
    return nullptr;
  }

  struct Round {
    std::string leaving, ending;  ///< flags of break and continue, where there are some
  };

  Analysis& analysis_;
  ast::Block& block_;
  const std::set<std::string, std::less<>>&macros_, &idle_;
  std::vector<Names> names_;
  std::vector<std::vector<std::string>>
      scopes_;  ///< what C code declares, from the outermost one on
  std::vector<Round> rounds_;
  const std::string leaving_ = "returns_from_c_";
  bool leaves_ = false, may_leave_ = true, is_last_ = false;
  int flags_ = 0, count_of_leaves_ = 0;
};

/// do_that(statement) of each of a body's, those within others among them.
void for_each_statement(const ast::Statements& list, const auto& do_that) {
  for (const ast::Statement& s : list) {
    do_that(s);
    if (const auto* branches = std::get_if<ast::If>(&s.node)) {
      for (const ast::Branch& branch : branches->branches) for_each_statement(branch.body, do_that);
      if (branches->otherwise) for_each_statement(*branches->otherwise, do_that);
    } else if (const auto* loop = std::get_if<ast::While>(&s.node)) {
      for_each_statement(loop->body, do_that);
    } else if (const auto* counted = std::get_if<ast::Loop>(&s.node)) {
      for_each_statement(counted->body, do_that);
    } else if (const auto* scope = std::get_if<ast::Scope>(&s.node)) {
      for_each_statement(scope->body, do_that);
    } else if (const auto* netcons = std::get_if<ast::ForNetcons>(&s.node)) {
      for_each_statement(netcons->body, do_that);
    } else if (const auto* initial = std::get_if<ast::ConnectionInitial>(&s.node)) {
      for_each_statement(initial->body, do_that);
    }
  }
}

/// What C code declares for the rest of the file, whether or not it is run.
class Declarations {
 public:
  explicit Declarations(Analysis& analysis) : analysis_(analysis) {}

  void run() {
    std::set<std::string, std::less<>> busy;
    for (const ast::Statement& s : analysis_.module.syntax.verbatims) {
      const c::Outline made = note(s, "at the top level");
      for (const std::string& name : made.variables)
        if (is_of_file(name)) error(s, "at the top level", "it declares '" + name + "' anew");
      for (const std::string& name : made.functions)
        if (std::ranges::count(made.functions, name) > std::ranges::count(made.idle, name))
          busy.insert(name);
      idle.insert(made.idle.begin(), made.idle.end());
      for (const std::string& name : made.functions)
        if (is_of_file(name) || find_builtin(name))
          error(s, "at the top level", "it defines '" + name + "' anew");
      if (made.open_brackets != 0) error(s, "at the top level", "it ends within brackets or #if");
    }
    for (const std::string& name : busy) idle.erase(name);  // of which #if may choose another one
    for (std::size_t b = 0; b < analysis_.module.syntax.blocks.size(); ++b) {
      const ast::Block& block = analysis_.module.syntax.blocks[b];
      int open = 0;
      for_each_statement(block.body, [&](const ast::Statement& s) {
        if (std::holds_alternative<ast::Verbatim>(s.node))
          open += note(s, "in " + describe(block)).open_brackets;
      });
      if (open != 0)
        error({block.position, {}}, "in " + describe(block), "it ends within brackets or #if");
    }
  }

  std::set<std::string, std::less<>> macros, idle;

 private:
  c::Outline note(const ast::Statement& s, const std::string& where) {
    c::Outline made;
    try {
      made = c::outline(std::get<ast::Verbatim>(s.node).text, behind_word(s.position));
    } catch (const SyntaxError& error) {
      analysis_.findings.error(error.position, refusal_of_c(where, error.message));
    }
    for (const std::string& name : made.macros) {
      if (is_of_file(name) || find_builtin(name) || is_of_c(name))
        error(s, where, "it defines '" + name + "' anew");
      macros.insert(name);
    }
    return made;
  }

  bool is_of_file(const std::string& name) const {
    return analysis_.symbols.contains(name) || analysis_.functions.contains(name) ||
           analysis_.tables.contains(name) || analysis_.solvable.contains(name);
  }

  /// A word of the language, or a name of what nocmodl writes.
  static bool is_of_c(std::string_view name) {
    constexpr auto words = std::to_array<std::string_view>(
        {"double", "int",   "char",     "void",   "long",  "short",  "static",
         "extern", "const", "if",       "else",   "while", "for",    "do",
         "return", "break", "continue", "switch", "case",  "sizeof", "struct"});
    return name.empty() || name[0] == '_' || name.starts_with("nrn") || name.starts_with("hoc") ||
           std::ranges::find(words, name) != words.end();
  }

  void error(const ast::Statement& s, const std::string& where, const std::string& reason) {
    analysis_.findings.error(s.position, refusal_of_c(where, reason));
  }

  Analysis& analysis_;
};

}  // namespace

std::string refusal_of_c(const std::string& where, const std::string& reason) {
  return "C code (VERBATIM) " + where + " is refused" + (reason.empty() ? "" : ": " + reason);
}

void translate_c(Analysis& analysis) {
  Declarations declarations(analysis);
  declarations.run();
  for (ast::Block& block : analysis.module.syntax.blocks) {
    try {
      Translation(analysis, block, declarations.macros, declarations.idle).run();
    } catch (const SyntaxError& error) {
      analysis.findings.error(error.position, refusal_of_c("in " + describe(block), error.message));
    }
  }
}

void refuse_c(Analysis& analysis) {
  for (const RefusedCode& code : analysis.refused_code) {
    const ast::Block& block = analysis.module.syntax.blocks[at(code.block)];
    if (analysis.module.blocks[at(code.block)].reached && block.kind != BlockKind::destructor)
      analysis.findings.error(code.position, refusal_of_c("in " + describe(block), code.reason));
  }
}

}  // namespace hillock::nmodl
