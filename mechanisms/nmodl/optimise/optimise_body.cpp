#include "mechanisms/nmodl/optimise/optimise_body.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Function;
using ir::Node;
using ir::Statement;

namespace {

/// What a branch may cost when both of its sides are computed.
constexpr int most_calls = 6, most_statements_of_a_side = 40;

bool is_local(const EvaluatorIr& e, int v) {
  return e.program.variables[at(v)].kind == ir::Variable::Kind::local;
}

void note_reads(const Expr& e, const std::function<void(int)>& note) {
  if (!e) return;
  for (const Node* node : in_order({e}))
    if (node->kind == Node::Kind::variable) note(node->variable);
}

void note_newton(const ir::Newton& newton, const std::function<void(int)>& note) {
  for (const int v : newton.unknowns) note(v);
  for (const int v : newton.residuals) note(v);
  for (const auto& row : newton.jacobian)
    for (const int v : row)
      if (v >= 0) note(v);
}

int calls_in(const Expr& e) {
  int calls = 0;
  for (const Node* node : in_order({e})) calls += node->kind == Node::Kind::call;
  return calls;
}

/// Adds what a branch's sides hold; false where they are more than assignments and branches.
bool count(const Body& body, int& calls, int& statements) {
  for (const Statement& s : body) {
    if (++statements > most_statements_of_a_side) return false;
    if (s.kind == Statement::Kind::assign) {
      calls += calls_in(s.value);
    } else if (s.kind != Statement::Kind::branch || !count(s.body, calls, statements) ||
               !count(s.otherwise, calls, statements)) {
      return false;
    }
  }
  return calls <= most_calls;
}

}  // namespace

void rewrite(Values& values, Segment& segment,
             const std::function<Expr(const Expr&, const Node&)>& change) {
  std::unordered_map<const Node*, Expr> now;
  std::unordered_map<const Node*, std::string> names;
  for (const Node* node : in_order(segment.values)) {
    std::vector<Expr> operands;
    for (const Expr& operand : node->operands) operands.push_back(now.at(operand.get()));
    const Expr& changed = now[node] =
        change(values.rebuilt(*node, std::move(operands), true), *node);
    const auto name = segment.names.find(node);
    if (name != segment.names.end()) names.emplace(changed.get(), name->second);
  }
  for (Expr& value : segment.values) value = now.at(value.get());
  segment.names = std::move(names);
}

std::unordered_map<int, BodyOptimiser::Uses> BodyOptimiser::uses_in(const Body& body) {
  std::unordered_map<int, Uses> uses;
  int statement = 0;
  const auto read = [&](int v) {
    ++uses[v].count;
    uses[v].last_read = statement;
  };
  const std::function<void(const Statement&)> look_at = [&](const Statement& s) {
    if (s.target >= 0) ++uses[s.target].count;
    for (const int v : s.elements) read(v);  // all of them but one are what they were
    for (const Expr& e : ir::read_by(s)) note_reads(e, read);
    if (s.newton) note_newton(*s.newton, read);
    std::ranges::for_each(s.body, look_at);
    std::ranges::for_each(s.otherwise, look_at);
  };
  for (const Statement& s : body) {
    look_at(s);
    ++statement;
  }
  return uses;
}

/// An expression with what its variables hold.
Expr BodyOptimiser::value_of(const Expr& e) {
  std::unordered_map<const Node*, Expr> now;
  for (const Node* node : in_order({e})) {
    if (node->kind == Node::Kind::variable) {
      const auto held = held_.find(node->variable);
      now[node] = held != held_.end() ? held->second : values_.variable(node->variable);
      continue;
    }
    std::vector<Expr> operands;
    for (const Expr& operand : node->operands) operands.push_back(now.at(operand.get()));
    if (counts_wholes(*node) && node->operands[0]->kind == Node::Kind::operation &&
        node->operands[0]->op == ir::Operator::divide) {
      const Node& quotient = *node->operands[0];
      operands[0] = values_.as_written(ir::Operator::divide, now.at(quotient.operands[0].get()),
                                       now.at(quotient.operands[1].get()));
    }
    now[node] = values_.rebuilt(*node, std::move(operands));
  }
  return now.at(e.get());
}

void BodyOptimiser::assign(int target, Expr value) {
  if (is_local(e_, target)) names_.emplace(value.get(), e_.program.variables[at(target)].name);
  if (held_.insert_or_assign(target, std::move(value)).second) changed_.push_back(target);
}

bool BodyOptimiser::can_choose(const Statement& s) const {
  int calls = 0, statements = 0;
  return count(s.body, calls, statements) && count(s.otherwise, calls, statements);
}

/// A branch: both sides, and a choice between what they leave.
void BodyOptimiser::choose(const Statement& s) {
  const Expr condition = value_of(s.value);
  const auto side = [&](const Body& body) {
    for (const Statement& inside : body)
      if (inside.kind == Statement::Kind::assign)
        assign(inside.target, value_of(inside.value));
      else
        choose(inside);
  };
  const auto before = held_;
  const auto changed_before = changed_;
  side(s.body);
  const auto yes = std::exchange(held_, before);
  side(s.otherwise);
  const auto no = std::move(held_);
  held_ = before;
  const std::vector<int> changed = std::exchange(changed_, changed_before);
  const auto in = [&](const std::unordered_map<int, Expr>& held, int v) {
    const auto found = held.find(v);
    return found != held.end() ? found->second : values_.variable(v);
  };
  for (const int v : changed) {
    const Expr a = in(yes, v), b = in(no, v);
    if (a != in(before, v) || b != in(before, v)) assign(v, values_.select(condition, a, b));
  }
}

void BodyOptimiser::flush(const std::function<bool(int)>& is_live,
                          const std::vector<Expr*>& results, Body& out) {
  Segment segment;
  for (const int v : changed_) {
    const Expr& value = held_.at(v);
    if (value == values_.variable(v) || (is_local(e_, v) && !is_live(v))) continue;
    segment.targets.push_back(v);
    segment.values.push_back(value);
  }
  for (Expr* result : results) segment.values.push_back(value_of(*result));
  segment.names = std::move(names_);
  held_.clear();
  changed_.clear();
  names_.clear();
  shape_(segment);
  write_segment(e_.program, values_, segment, out);
  for (std::size_t k = 0; k < results.size(); ++k)
    *results[k] = segment.values[segment.targets.size() + k];
}

/// is_read_after(statement, v): whether v is read in that statement or later.
Body BodyOptimiser::sequence(const Body& body, const std::function<bool(int, int)>& is_read_after,
                             const std::vector<Expr*>& results) {
  Body out;
  int index = 0;
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::assign) {
      assign(s.target, value_of(s.value));
    } else if (s.kind == Statement::Kind::branch && can_choose(s)) {
      choose(s);
    } else {
      flush([&](int v) { return is_read_after(index, v); }, {}, out);
      Statement kept = ir::without_bodies(s);
      kept.body = inner(s.body);
      kept.otherwise = inner(s.otherwise);
      out.push_back(std::move(kept));
    }
    ++index;
  }
  flush([&](int v) { return is_read_after(index, v); }, results, out);
  return out;
}

/// The body of a loop, of Newton's method or of a branch that stays one.
Body BodyOptimiser::inner(const Body& body) {
  std::unordered_map<int, Uses> inside;
  const bool may_own = !body.empty() && body.front().kind == Statement::Kind::assign;
  if (may_own) inside = uses_in(body);  // of all in it: a chain of branches has it once
  std::set<int> own;  // nothing outside names them, and each round assigns them first
  for (const Statement& s : body) {
    if (s.kind != Statement::Kind::assign) break;
    note_reads(s.value, [&](int v) { own.insert(-1 - v); });
    if (!own.count(-1 - s.target) && inside[s.target].count == uses_[s.target].count)
      own.insert(s.target);
  }
  return sequence(
      body, [&](int statement, int v) { return !own.count(v) || inside[v].last_read >= statement; },
      {});
}

void BodyOptimiser::run(Body& body, const std::vector<Expr*>& results) {
  uses_ = uses_in(body);
  const int last = static_cast<int>(body.size());
  for (Expr* result : results) note_reads(*result, [&](int v) { uses_[v].last_read = last; });
  body = sequence(
      body,
      [&](int statement, int v) { return statement < last && uses_[v].last_read >= statement; },
      results);
}

}  // namespace hillock::nmodl
