#include "mechanisms/nmodl/optimise/optimise_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Operator;
using ir::Statement;

namespace {

/// How a value grows with the time: 1 of a time, 0 of a duration, NaN of what is no sum of such.
class Times {
 public:
  explicit Times(const EvaluatorIr& evaluator) : e_(evaluator) {}

  /// Whether an instance's variables are 0 each.
  bool are_not_kept() {
    for (int round = 0; round < most_rounds; ++round) {
      const auto before = slopes_;
      after_a_round();
      if (is_unclear_) return false;
      if (slopes_ != before) continue;
      for (const auto* role : {&e_.parameters, &e_.shared, &e_.assigned, &e_.states})
        for (const InstanceVariable& v : *role)
          if (slope_of(v.variable) != 0) return false;
      return true;
    }
    return false;
  }

 private:
  static constexpr int most_rounds = 20;
  static constexpr double unclear = std::numeric_limits<double>::quiet_NaN();

  double slope_of(int v) const {
    if (e_.program.variables[at(v)].kind == ir::Variable::Kind::time) return 1;
    const auto found = slopes_.find(v);
    return found != slopes_.end() ? found->second : 0;
  }

  double slope(const Expr& e) const {
    if (e->kind == Node::Kind::number || ir::is_condition(e)) return 0;
    if (e->kind == Node::Kind::variable) return slope_of(e->variable);
    const auto of = [&](std::size_t k) { return slope(e->operands[k]); };
    if (e->kind == Node::Kind::operation) {
      if (e->op == Operator::minus) return -of(0);
      if (e->op == Operator::add) return of(0) + of(1);
      if (e->op == Operator::subtract) return of(0) - of(1);
      if (e->op == Operator::select) return either(of(1), of(2));
    }
    if (e->function == ir::Function::element) {
      double sum = of(0) == 0 ? 0 : unclear;
      for (std::size_t k = 1; k < e->operands.size(); ++k) sum = either(sum, of(k));
      return sum;
    }
    for (const Expr& operand : e->operands)
      if (slope(operand) != 0) return unclear;
    return 0;
  }

  static double either(double a, double b) {
    if (a == 0 || a == b) return b;
    return b == 0 ? a : unclear;
  }

  /// The slopes of what is assigned, from those before. While these are not settled nothing is
  /// unclear: what a function is given may turn out to be a duration.
  void after_a_round() {
    std::unordered_map<int, double> next;
    is_unclear_ = false;
    const std::function<void(const Body&)> walk = [&](const Body& body) {
      for (const Statement& s : body) {
        const auto grows = [&, by = s.value ? slope(s.value) : 0](int v) {
          const double its = either(next[v], by);
          is_unclear_ = is_unclear_ || std::isnan(its);
          next[v] = std::isnan(its) ? 0 : its;
        };
        if (s.kind == Statement::Kind::assign) grows(s.target);
        std::ranges::for_each(s.elements, grows);
        walk(s.body);
        walk(s.otherwise);
      }
    };
    for (const Body* body :
         {&e_.initialise, &e_.start, &e_.connect, &e_.receive, &e_.current, &e_.advance})
      walk(*body);
    for (const WatchIr& watch : e_.watches) walk(watch.body);
    is_unclear_ = is_unclear_ && next == slopes_;
    slopes_ = std::move(next);
  }

  const EvaluatorIr& e_;
  std::unordered_map<int, double> slopes_;
  bool is_unclear_ = false;
};

bool reads_time(const EvaluatorIr& e) {
  const auto& variables = e.program.variables;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].kind != ir::Variable::Kind::time) continue;
    for (const Body* body : {&e.initialise, &e.current, &e.advance})
      if (ir::reads(*body, static_cast<int>(v))) return true;
    for (const Expr& result : {e.i, e.g})
      if (result && ir::reads(result, static_cast<int>(v))) return true;
  }
  return false;
}

bool is_beyond_floats(double value) {
  const double size = std::abs(value);
  return size != 0 &&
         !(size >= std::numeric_limits<float>::min() && size <= std::numeric_limits<float>::max());
}

bool is_beyond_floats(const Expr& e) {
  if (!e) return false;
  if (e->kind == Node::Kind::number) return is_beyond_floats(e->value);
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [](const Expr& operand) { return is_beyond_floats(operand); });
}

/// Whether it is a whole number that no float is.
bool is_long_whole_number(const Expr& e) {
  constexpr double most = 9007199254740992.0;  // of which doubles have all
  return e->kind == Node::Kind::number && std::abs(e->value) < most &&
         e->value == std::floor(e->value) &&
         static_cast<double>(static_cast<float>(e->value)) != e->value;
}

/// Whether it has words of 32 bits, or what makes them.
bool has_words(const Expr& e) {
  if (!e) return false;
  return is_long_whole_number(e) ||
         (e->kind == Node::Kind::call && (e->function == ir::Function::ran4_word ||
                                          e->function == ir::Function::random123_word)) ||
         std::any_of(e->operands.begin(), e->operands.end(),
                     [](const Expr& operand) { return has_words(operand); });
}

bool has_words(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    return has_words(s.value) || has_words(s.body) || has_words(s.otherwise);
  });
}

bool is_beyond_floats(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    return is_beyond_floats(s.value) || is_beyond_floats(s.body) || is_beyond_floats(s.otherwise);
  });
}

bool is_beyond_floats(const TableIr& table) {
  const auto are = [](const std::vector<double>& numbers) {
    return std::any_of(numbers.begin(), numbers.end(),
                       [](double value) { return is_beyond_floats(value); });
  };
  return table.given && (are(table.given->values) ||
                         std::any_of(table.given->axes.begin(), table.given->axes.end(),
                                     [&](const TableAxis& axis) {
                                       return are(axis.points) || are({axis.first, axis.last});
                                     }));
}

bool sends_itself(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    return (s.kind == Statement::Kind::send &&
            (s.message == ir::Message::self || s.message == ir::Message::move)) ||
           sends_itself(s.body) || sends_itself(s.otherwise);
  });
}

}  // namespace

bool keeps_doubles(const EvaluatorIr& e) {
  const bool draws = std::any_of(e.couplings.begin(), e.couplings.end(), [](const auto& coupling) {
    return coupling.quantity == mechanisms::SharedQuantity::stream;
  });
  for (const Body* body : {&e.initialise, &e.current, &e.advance, &e.receive, &e.start, &e.connect})
    if (has_words(*body)) return true;
  return draws || reads_time(e) || sends_itself(e.receive) || sends_itself(e.start) ||
         sends_itself(e.connect) || is_beyond_floats(e.initialise) || is_beyond_floats(e.current) ||
         is_beyond_floats(e.advance) || is_beyond_floats(e.i) || is_beyond_floats(e.g) ||
         std::any_of(e.tables.begin(), e.tables.end(),
                     [](const TableIr& table) { return is_beyond_floats(table); }) ||
         !Times(e).are_not_kept();
}

}  // namespace hillock::nmodl
