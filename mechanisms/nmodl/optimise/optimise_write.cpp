// From values back to statements: a value that is used more than once, or that the file has a name
// for, gets a local variable, and so do some of a long chain; the others stand where they are used.

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "mechanisms/nmodl/optimise/optimise_body.hpp"

namespace hillock::nmodl {

using ir::Expr;
using ir::Function;
using ir::Node;
using ir::Operator;

namespace {

constexpr int most_nested = 200;    ///< values of one expression, each in the next
constexpr int most_in_turn = 1000;  ///< that are written one from within the other

bool is_plain(const Node& node) {
  return node.kind == Node::Kind::number || node.kind == Node::Kind::variable;
}

bool is_comparison(const Node& node) {
  return node.kind == Node::Kind::operation && node.op >= Operator::less &&
         node.op <= Operator::not_equal;
}

class Writer {
 public:
  Writer(ir::Program& program, Values& values, Segment& segment, ir::Body& out)
      : program_(program), values_(values), segment_(segment), out_(out) {}

  void run() {
    count_uses();
    find_deciding();
    find_chains();
    find_last_readers();
    std::vector<std::pair<int, Expr>> late;
    for (std::size_t k = 0; k < segment_.targets.size(); ++k) {
      const int target = segment_.targets[k];
      const Expr& root = segment_.values[k];
      write_chains_below(root);
      if (last_reader_[target] > k) {  // later values still need what it held
        late.push_back({target, is_plain(*root) ? root : kept(root)});
        continue;
      }
      const Expr text = now_.count(root.get()) ? now_[root.get()] : text_of(root);
      out_.push_back(ir::assign(target, text));
      if (!is_plain(*text)) now_[root.get()] = values_.variable(target);
    }
    for (std::size_t k = segment_.targets.size(); k < segment_.values.size(); ++k) {
      write_chains_below(segment_.values[k]);
      segment_.values[k] = written(segment_.values[k]);
    }
    for (auto& [target, text] : late) out_.push_back(ir::assign(target, text));
  }

 private:
  /// How often each value is used by what a result in double depends on. A comparison is no number:
  /// it is written wherever it is used, and its operands are kept.
  void count_uses() {
    const std::vector<const Node*> order = in_order(segment_.values);
    for (const Expr& root : segment_.values) ++uses_[root.get()];
    for (auto node = order.rbegin(); node != order.rend(); ++node)  // users come first
      if (uses_[*node] > 0)
        for (const Expr& operand : operands_in_double(**node)) ++uses_[operand.get()];
    for (const Node* node : order)
      if (is_comparison(*node) && uses_[node] > 0)
        for (const Expr& operand : node->operands) uses_[operand.get()] += uses_[node] - 1;
  }

  /// What comparisons and floor() see is computed as the file says.
  void find_deciding() {
    const std::vector<const Node*> order = in_order(segment_.values);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      const bool decides = is_comparison(**node) || counts_wholes(**node);
      if (decides || deciding_.count(*node))
        for (const Expr& operand : (*node)->operands) deciding_.insert(operand.get());
    }
  }

  bool is_kept(const Expr& e) const {
    if (is_plain(*e)) return false;
    if (cut_.count(e.get())) return true;
    return !is_comparison(*e) && (uses_.at(e.get()) > 1 || segment_.names.count(e.get()));
  }

  /// A loop that is unrolled leaves thousands of values, each in the next. Some of them are kept,
  /// and some that are kept are written before what uses them, so that neither this nor a compiler
  /// has to go down all of them at once.
  void find_chains() {
    std::unordered_map<const Node*, int> nested, in_turn;
    for (const Node* node : in_order(segment_.values)) {
      int levels = 0, turns = 0;
      for (const Expr& operand : node->operands) {
        int &its_levels = nested.at(operand.get()), &its_turns = in_turn.at(operand.get());
        if (its_levels >= most_nested && !is_plain(*operand)) cut_.insert(operand.get());
        const bool keeps = is_kept(operand);
        if (keeps) its_levels = 0;
        if (keeps && its_turns >= most_in_turn) {
          chains_.push_back({operand, place_.size()});
          its_turns = 0;
        }
        levels = std::max(levels, its_levels + 1);
        turns = std::max(turns, its_turns + 1);
      }
      nested[node] = levels;
      in_turn[node] = turns;
      place_.emplace(node, place_.size());
    }
  }

  void write_chains_below(const Expr& root) {
    for (; next_chain_ < chains_.size() && chains_[next_chain_].second <= place_.at(root.get());
         ++next_chain_)
      kept(chains_[next_chain_].first);
  }

  /// Which value is the last whose statements read a variable.
  void find_last_readers() {
    std::unordered_set<const Node*> seen;
    std::vector<Expr> open;
    for (std::size_t k = 0; k < segment_.values.size(); ++k) {
      open.push_back(segment_.values[k]);
      while (!open.empty()) {
        const Expr e = open.back();
        open.pop_back();
        if (e->kind == Node::Kind::variable) last_reader_[e->variable] = k;
        if (is_kept(e) && !seen.insert(e.get()).second) continue;
        open.insert(open.end(), e->operands.begin(), e->operands.end());
      }
    }
  }

  /// An expression for a value, as short as what is already computed allows.
  Expr written(const Expr& e) {
    if (is_plain(*e)) return e;
    const auto found = now_.find(e.get());
    if (found != now_.end()) return found->second;
    return is_kept(e) ? kept(e) : text_of(e);
  }

  /// A local variable for a value.
  Expr kept(const Expr& e) {
    const auto found = now_.find(e.get());
    if (found != now_.end()) return found->second;
    const Expr text = text_of(e);
    const auto name = segment_.names.find(e.get());
    const int local = program_.add_local(name != segment_.names.end() ? name->second : "part");
    out_.push_back(ir::assign(local, text));
    return now_[e.get()] = values_.variable(local);
  }

  bool is_own_product(const Expr& e) const {
    return is_operation(e, Operator::multiply) && !is_kept(e) && !now_.count(e.get());
  }

  Expr text_of(const Expr& e) {
    const bool contracts = !deciding_.count(e.get());
    if (contracts && is_operation(e, Operator::add)) {
      const Expr &a = e->operands[0], &b = e->operands[1];
      if (is_own_product(a)) return sum_of_product(a, written(b));
      if (is_own_product(b)) return sum_of_product(b, written(a));
    }
    if (contracts && is_operation(e, Operator::subtract)) {
      const Expr &a = e->operands[0], &b = e->operands[1];
      if (is_own_product(a) && ir::is_number(b))
        return sum_of_product(a, values_.number(-b->value));
      if (is_own_product(b) && ir::is_number(b->operands[0]))
        return fused(values_.number(-b->operands[0]->value), written(b->operands[1]), written(a));
    }
    Node node = *e;
    for (Expr& operand : node.operands) operand = written(operand);
    return std::make_shared<const Node>(std::move(node));
  }

  Expr sum_of_product(const Expr& product, const Expr& rest) {
    const Expr a = written(product->operands[0]);
    return fused(a, written(product->operands[1]), rest);
  }

  static Expr fused(const Expr& a, const Expr& b, const Expr& c) {
    return ir::call(Function::fma, {a, b, c});
  }

  ir::Program& program_;
  Values& values_;
  Segment& segment_;
  ir::Body& out_;
  std::unordered_map<const Node*, int> uses_;
  std::unordered_set<const Node*> deciding_;
  std::unordered_set<const Node*> cut_;
  std::vector<std::pair<Expr, std::size_t>> chains_;  ///< the place of the first that uses each
  std::unordered_map<const Node*, std::size_t> place_;
  std::size_t next_chain_ = 0;
  std::unordered_map<int, std::size_t> last_reader_;
  std::unordered_map<const Node*, Expr> now_;  ///< what stands for a value that is computed
};

}  // namespace

void write_segment(ir::Program& program, Values& values, Segment& segment, ir::Body& out) {
  Writer(program, values, segment, out).run();
}

}  // namespace hillock::nmodl
