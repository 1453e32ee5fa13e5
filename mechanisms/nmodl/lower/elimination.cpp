#include "mechanisms/nmodl/lower/elimination.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hillock::nmodl::ir {
namespace {

class Elimination {
 public:
  Elimination(Program& program, Matrix a, std::vector<Expr> b, const std::set<int>& last, Body& out)
      : program_(program),
        a_(std::move(a)),
        b_(std::move(b)),
        last_(last),
        out_(out),
        open_(b_.size(), true) {}

  std::optional<std::vector<Expr>> run() {
    for (auto& row : a_)
      for (Expr& entry : row)
        if (entry) entry = hold("entry", entry);
    for (std::size_t n = 0; n < b_.size(); ++n) {
      const std::size_t k = cheapest();
      if (!a_[k][k]) return std::nullopt;
      open_[k] = false;
      order_.push_back(k);
      eliminate(k);
    }
    std::vector<Expr> x(b_.size());
    for (auto k = order_.rbegin(); k != order_.rend(); ++k) {
      Expr sum = b_[*k];
      for (std::size_t c = 0; c < b_.size(); ++c)
        if (c != *k && a_[*k][c] && x[c]) sum = sum - a_[*k][c] * x[c];
      x[*k] = hold("x", sum * a_[*k][*k]);
    }
    return x;
  }

 private:
  /// The open row that makes the fewest products, by Markowitz' count.
  std::size_t cheapest() const {
    std::size_t best = b_.size();
    std::size_t least = 0;
    for (std::size_t k = 0; k < b_.size(); ++k) {
      if (!open_[k]) continue;
      std::size_t row = 0, column = 0;
      for (std::size_t other = 0; other < b_.size(); ++other) {
        if (!open_[other] || other == k) continue;
        row += a_[k][other] != nullptr;
        column += a_[other][k] != nullptr;
      }
      std::size_t cost = row * column;
      if (!a_[k][k] || last_.count(static_cast<int>(k))) cost += b_.size() * b_.size();
      if (best == b_.size() || cost < least) {
        best = k;
        least = cost;
      }
    }
    return best;
  }

  /// Leaves 1/pivot on the diagonal.
  void eliminate(std::size_t k) {
    a_[k][k] = hold("pivot", number(1) / a_[k][k]);
    for (std::size_t r = 0; r < b_.size(); ++r) {
      if (!open_[r] || !a_[r][k]) continue;
      const Expr factor = hold("factor", a_[r][k] * a_[k][k]);
      for (std::size_t c = 0; c < b_.size(); ++c)
        if (open_[c] && a_[k][c]) {
          const Expr change = factor * a_[k][c];
          a_[r][c] = hold("entry", a_[r][c] ? a_[r][c] - change : -change);
        }
      b_[r] = hold("right", b_[r] - factor * b_[k]);
      a_[r][k] = nullptr;
    }
  }

  Expr hold(const char* name, const Expr& value) {
    if (is_number(value) || value->kind == Node::Kind::variable) return value;
    const int local = program_.add_local(name);
    out_.push_back(assign(local, value));
    return variable(local);
  }

  Program& program_;
  Matrix a_;
  std::vector<Expr> b_;
  const std::set<int>& last_;
  Body& out_;
  std::vector<bool> open_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::optional<std::vector<Expr>> eliminate(Program& program, Matrix a, std::vector<Expr> b,
                                           const std::set<int>& last, Body& out) {
  return Elimination(program, std::move(a), std::move(b), last, out).run();
}

Dependence::Dependence(const Body& body, const std::vector<int>& on)
    : variables_(on.begin(), on.end()) {
  std::size_t before = 0;
  do {
    before = variables_.size();
    walk(body, false);
  } while (variables_.size() > before);
}

bool Dependence::depends(const Expr& e) const {
  if (e->kind == Node::Kind::variable) return variables_.count(e->variable) > 0;
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [this](const Expr& operand) { return depends(operand); });
}

void Dependence::walk(const Body& body, bool under) {
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::assign) {
      if (under || depends(s.value)) variables_.insert(s.target);
      continue;
    }
    if (s.kind == Statement::Kind::store) {
      if (under || depends(s.value) || depends(s.index))
        variables_.insert(s.elements.begin(), s.elements.end());
      continue;
    }
    if (s.newton)  // what it solves for may depend on anything it reads
      for (const int unknown : s.newton->unknowns) variables_.insert(unknown);
    const bool chooses = under || (s.value && depends(s.value));
    walk(s.body, chooses);
    walk(s.otherwise, chooses);
  }
}

Body needed(const Body& body, std::set<int> wanted, const Dependence& varies) {
  std::map<int, int> times;  // a variable that is assigned but once still has its value
  for (const Statement& s : body)
    for (const int v : assigned_in({s})) ++times[v];
  Body result;
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
    const std::vector<int> assigned = assigned_in({*s});
    if (std::none_of(assigned.begin(), assigned.end(), [&](int v) { return wanted.count(v); }))
      continue;
    if (s->kind == Statement::Kind::assign) wanted.erase(s->target);
    for (const auto& [v, count] : times) {
      Statement reading = *s;
      if (s->kind == Statement::Kind::assign) reading.target = -1;
      if ((count > 1 || varies.depends(variable(v))) && mentions({reading}, v)) wanted.insert(v);
    }
    result.push_back(*s);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace hillock::nmodl::ir
