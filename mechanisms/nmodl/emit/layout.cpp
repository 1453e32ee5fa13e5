#include "mechanisms/nmodl/emit/layout.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/index.hpp"

namespace hillock::nmodl {
namespace {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Statement;

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
constexpr int in_function = -1;  // beside the numbers of parts
constexpr int unseen = -2;

/// About as many instructions as an expression takes.
std::size_t operations(const Expr& e) {
  constexpr std::size_t of_a_function = 15;
  if (!e) return 0;
  std::size_t sum = 0;
  for (const Expr& operand : e->operands) sum += operations(operand);
  if (e->kind == Node::Kind::operation) return sum + 1;
  if (e->kind != Node::Kind::call) return sum;
  return sum + (e->function == ir::Function::fma ? 1 : of_a_function);
}

std::size_t operations(const Body& body);

std::size_t operations(const Statement& s) {
  std::size_t sum = 1 + operations(s.body) + operations(s.otherwise);
  for (const Expr& e : ir::read_by(s)) sum += operations(e);
  return sum;
}

std::size_t operations(const Body& body) {
  std::size_t sum = 0;
  for (const Statement& s : body) sum += operations(s);
  return sum;
}

/// What is said of a local variable. Places count statements in the order of the text.
struct Use {
  int assigns = 0;
  bool under_mask = false;  ///< the last assign
  std::size_t assigned_at = 0, scope = 0;
  std::size_t first_read = nowhere, last_read = 0;
  int part = unseen;
  bool in_several = false;
};

class Scan {
 public:
  Scan(const ir::Program& program, const std::vector<bool>& uniform, std::size_t most)
      : uses(program.variables.size()), uniform_(uniform), most_(most) {}

  void function(const Body& body, const std::vector<Expr>& results, bool cut) {
    is_cut_ = cut;
    const std::size_t scope = open();
    walk(body, in_function, scope, false);
    ++place_;
    for (const Expr& result : results) read(result, in_function);
    close(scope);
  }

  /// Whether the scope of its one assign is all that reads a variable, and does so afterwards.
  bool is_declared_in_place(int v) const {
    const Use& use = uses[at(v)];
    return use.assigns == 1 && !use.under_mask && use.first_read > use.assigned_at &&
           use.last_read <= scope_ends_[use.scope];
  }

  std::vector<Use> uses;  ///< [variable]
  std::map<const Body*, std::vector<Cut>> cuts;
  int parts = 0;

 private:
  std::size_t open() {
    scope_ends_.push_back(nowhere);
    return scope_ends_.size() - 1;
  }
  void close(std::size_t scope) { scope_ends_[scope] = place_; }

  bool varies(const Expr& e) const {
    if (e->kind == Node::Kind::variable) return !uniform_[at(e->variable)];
    return std::ranges::any_of(e->operands, [this](const Expr& o) { return varies(o); });
  }

  Use& seen(int v, int part) {
    Use& use = uses[at(v)];
    use.in_several = use.in_several || (use.part != unseen && use.part != part);
    use.part = part;
    return use;
  }
  void read(int v, int part) {
    Use& use = seen(v, part);
    use.first_read = std::min(use.first_read, place_);
    use.last_read = place_;
  }
  void read(const Expr& e, int part) {
    if (!e) return;
    if (e->kind == Node::Kind::variable) read(e->variable, part);
    for (const Expr& operand : e->operands) read(operand, part);
  }
  void assign(int v, int part, std::size_t scope, bool masked) {
    Use& use = seen(v, part);
    ++use.assigns;
    use.assigned_at = place_;
    use.scope = scope;
    use.under_mask = masked;
  }

  bool makes_mask(const Statement& s) const {
    const bool asks = s.kind == Statement::Kind::branch || s.kind == Statement::Kind::loop;
    return asks && varies(s.value);
  }

  /// Parts of at most so many operations. A long statement stays: what is in it is cut.
  std::vector<Cut> cut(const Body& body) {
    std::vector<Cut> found;
    std::size_t begin = 0, sum = 0;
    const auto end_at = [&](std::size_t end) {
      if (end > begin) found.push_back({begin, end, sum > most_ / 4 ? parts++ : in_function});
      begin = end;
      sum = 0;
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
      const std::size_t more = operations(body[i]);
      if (sum + more > most_) end_at(i);
      sum += more;
      if (more > most_ && body[i].kind != Statement::Kind::assign && !makes_mask(body[i])) {
        found.push_back({i, i + 1, in_function});
        begin = i + 1;
        sum = 0;
      }
    }
    end_at(body.size());
    return found;
  }

  void walk(const Body& body, int part, std::size_t scope, bool masked) {
    std::vector<Cut> its{{0, body.size(), in_function}};
    if (is_cut_ && part == in_function && !masked) {
      its = cut(body);
      cuts[&body] = its;
    }
    for (const Cut& c : its)
      for (std::size_t i = c.begin; i < c.end; ++i)
        statement(body[i], c.part == in_function ? part : c.part, scope, masked);
  }

  void statement(const Statement& s, int part, std::size_t scope, bool masked) {
    ++place_;
    for (const Expr& e : ir::read_by(s)) read(e, part);
    for (const int v : s.elements) {
      read(v, part);
      assign(v, part, scope, true);
    }
    if (s.kind == Statement::Kind::assign) return assign(s.target, part, scope, masked);
    const bool under = masked || makes_mask(s);
    for (const Body* body : {&s.body, &s.otherwise}) {
      const std::size_t inner = open();
      walk(*body, part, inner, under);
      ++place_;
      if (s.newton && body == &s.body) read_newton(*s.newton, part, inner);
      close(inner);
    }
  }

  /// What solving reads and moves, in the scope of the statement's body.
  void read_newton(const ir::Newton& newton, int part, std::size_t scope) {
    for (const int v : newton.residuals) read(v, part);
    for (const auto& row : newton.jacobian)
      for (const int v : row)
        if (v >= 0) read(v, part);
    for (const int v : newton.unknowns) {
      read(v, part);
      assign(v, part, scope, true);
    }
  }

  const std::vector<bool>& uniform_;
  std::size_t most_;
  bool is_cut_ = false;
  std::size_t place_ = 0;
  std::vector<std::size_t> scope_ends_;
};

}  // namespace

Layout::Layout(const ir::Program& program, const std::vector<bool>& uniform, const Body& body,
               const std::vector<Expr>& results, std::size_t longest, std::size_t most_in_a_part)
    : in_place_(program.variables.size()), is_kept_(program.variables.size()) {
  Scan scan(program, uniform, most_in_a_part);
  scan.function(body, results, operations(body) > longest);
  cuts_ = std::move(scan.cuts);
  parts_ = scan.parts;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Use& use = scan.uses[v];
    if (program.variables[v].kind != ir::Variable::Kind::local || use.part == unseen) continue;
    const int number = static_cast<int>(v);
    in_place_[v] = scan.is_declared_in_place(number);
    // What is 0 at first, or has a value from an earlier round, does not begin with its part.
    is_kept_[v] = use.in_several || (use.part != in_function && !in_place_[v]);
    if (!in_place_[v]) begun_.push_back(number);
    if (is_kept_[v]) kept_.push_back(number);
  }
}

std::vector<Cut> Layout::cuts(const Body& body) const {
  const auto found = cuts_.find(&body);
  if (found != cuts_.end()) return found->second;
  return {{0, body.size(), in_function}};
}

bool Layout::is_declared_in_place(int variable) const {
  return in_place_[at(variable)];
}

bool Layout::is_kept(int variable) const {
  return is_kept_[at(variable)];
}

}  // namespace hillock::nmodl
