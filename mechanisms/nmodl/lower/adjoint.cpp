#include "mechanisms/nmodl/lower/adjoint.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "mechanisms/nmodl/lower/differentiate.hpp"
#include "mechanisms/nmodl/lower/not_supported.hpp"

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Variable;

namespace {

void refuse_if(bool is_so, const std::string& what) {
  if (is_so) throw NotSupported({}, "the derivative of a mechanism " + what);
}

class Adjoint {
 public:
  explicit Adjoint(EvaluatorIr forward) : f_(std::move(forward)) {
    refuse_if(f_.is_point_neuron || f_.is_artificial, "without a membrane");
    refuse_if(f_.sends_events || f_.starts || !f_.watches.empty(), "that sends events");
    refuse_if(f_.sets_voltage, "that sets the voltage");
    refuse_if(f_.arguments > 1 || f_.begins_connections, "whose connections have arguments");
    refuse_if(!f_.diffusions.empty(), "with LONGITUDINAL_DIFFUSION");
    refuse_if(f_.changes_parameters, "that changes its parameters");
    refuse_if(f_.changes_in_current, "whose current changes what lasts");
    for (const SharedVariable& c : f_.couplings)
      refuse_if(c.quantity == mechanisms::SharedQuantity::pointer, "with a POINTER");
  }

  EvaluatorIr run() {
    a_.name = f_.name + "_adjoint";
    a_.description = "derivatives of " + f_.name;
    a_.is_point_process = f_.is_point_process;
    a_.receives_events = f_.receives_events;
    a_.arguments = f_.arguments;
    a_.weight_unit = f_.weight_unit;
    a_.tables = f_.tables;
    a_.changes_in_current = true;
    a_.is_adjoint = true;
    a_.program = f_.program;
    declare();
    a_.current = undone(f_.current, outputs_of_current(), false);
    undo_advance();
    if (f_.receives_events) undo_receive();
    leave_out_what_stays_0();
    return std::move(a_);
  }

 private:
  /// A number that a run comes to by its derivative.
  struct Output {
    Expr value;
    int derivative;
    /// What becomes of the derivative's variable.
    enum class Then { stays, is_replaced, is_given } then = Then::stays;  ///< before every call
  };

  /// What a body assigns becomes local to it, and begins as what is seen.
  void declare() {
    for (const Body* body : {&f_.current, &f_.advance, &f_.receive})
      for (const int v : ir::assigned_in(*body)) changed_.insert(v);
    const auto see = [&](std::vector<InstanceVariable>& list, const InstanceVariable& v) {
      InstanceVariable seen = v;
      if (changed_.contains(v.variable)) {
        Variable& own = a_.program.variables[at(v.variable)];
        const Variable::Kind kind = own.kind;
        own.kind = Variable::Kind::local;
        std::string name =
            own.array.empty() ? own.name : own.array + "_" + std::to_string(own.index) + "_of";
        own.array.clear();
        seen.variable = add(std::move(name) + "_before", kind);
        before_[v.variable] = seen.variable;
      }
      list.push_back(seen);
    };
    for (const InstanceVariable& v : f_.parameters) see(a_.parameters, v);
    for (const InstanceVariable& v : f_.shared) see(a_.shared, v);
    for (const InstanceVariable& v : f_.assigned)
      see(changed_.contains(v.variable) ? a_.shared : a_.assigned, v);
    for (const InstanceVariable& v : f_.states) see(a_.shared, v);
    of_i_ = derivative("_current");
    of_g_ = derivative("_conductance");
    of_v_ = derivative("_voltage");
    of_weight_ = derivative("_weight");
    seeds_[environment(Variable::Kind::v)] = of_v_;
    for (auto* list : {&f_.parameters, &f_.shared, &f_.assigned, &f_.states})
      for (const InstanceVariable& v : *list) {
        derivatives_[v.variable] = derivative("_by_" + v.name);
        seeds_[seen(v.variable)] = derivatives_[v.variable];
      }
  }

  int add(std::string name, Variable::Kind kind) {
    a_.program.variables.push_back({std::move(name), kind});
    return static_cast<int>(a_.program.variables.size()) - 1;
  }
  int environment(Variable::Kind kind) {
    for (std::size_t k = 0; k < a_.program.variables.size(); ++k)
      if (a_.program.variables[k].kind == kind) return static_cast<int>(k);
    return add("environment", kind);
  }
  /// A new state. No variable of a file begins with _.
  int derivative(const std::string& name) {
    InstanceVariable made;
    made.name = name;
    made.unit = "1";
    std::string member = made.name;
    for (char& c : member)
      if (c == '[' || c == ']') c = '_';
    made.variable = add(std::move(member), Variable::Kind::state);
    a_.states.push_back(made);
    return made.variable;
  }
  int seen(int variable) const {
    const auto found = before_.find(variable);
    return found == before_.end() ? variable : found->second;
  }

  std::vector<Output> outputs_of_current() const {
    std::vector<Output> outputs;
    if (f_.i) outputs.push_back({f_.i, of_i_});
    if (f_.g) outputs.push_back({f_.g, of_g_});
    for (const SharedVariable& c : f_.couplings)
      if (c.writes && c.quantity == mechanisms::SharedQuantity::current &&
          changed_.contains(c.variable))
        outputs.push_back(
            {ir::variable(c.variable), derivatives_.at(c.variable), Output::Then::is_given});
    return outputs;
  }

  void undo_advance() {
    std::vector<Output> outputs;
    const auto changed = ir::assigned_in(f_.advance);
    const auto lasts = [&](int v) {
      if (std::ranges::any_of(f_.states, [&](const auto& s) { return s.variable == v; }))
        return true;
      return std::ranges::any_of(f_.couplings, [&](const SharedVariable& c) {
        return c.variable == v && c.writes && c.quantity != mechanisms::SharedQuantity::current;
      });
    };
    for (const int v : changed)
      if (lasts(v))
        outputs.push_back({ir::variable(v), derivatives_.at(v), Output::Then::is_replaced});
    a_.undoes_both = can_undo_both();
    if (a_.undoes_both) undo_current_behind(changed);
    const Body advance = undone(f_.advance, outputs, a_.undoes_both);
    a_.advance.insert(a_.advance.end(), advance.begin(), advance.end());
  }

  /// Whether `current` follows `advance` with nothing in between, at the same time as far as it
  /// knows, and what that comes to costs little.
  bool can_undo_both() {
    const int time = environment(Variable::Kind::time);
    const bool stirs = std::ranges::any_of(f_.couplings, [](const SharedVariable& c) {
      return c.quantity == mechanisms::SharedQuantity::current ? c.reads : c.writes;
    });
    return !f_.is_point_process && !stirs && !f_.advance.empty() && (f_.i || f_.g) &&
           !ir::mentions(f_.current, time) && !(f_.i && ir::reads(f_.i, time)) &&
           !(f_.g && ir::reads(f_.g, time)) &&
           !ir::contains(f_.advance, ir::Statement::Kind::newton) &&
           !ir::contains(f_.advance, ir::Statement::Kind::loop);
  }

  /// Undoes the `current` that sees what `advance` has made of states.
  void undo_current_behind(const std::vector<int>& advanced) {
    a_.advance = from_before(f_.advance, {});
    const auto before = before_, seeds = seeds_;
    for (const InstanceVariable& state : f_.states) {
      const int v = state.variable;
      if (std::ranges::find(advanced, v) == advanced.end()) continue;
      const int after = a_.program.add_local(a_.program.variables[at(v)].name + "_after");
      a_.advance.push_back(ir::assign(after, ir::variable(v)));
      seeds_.erase(seen(v));
      before_[v] = after;
      seeds_[after] = derivatives_.at(v);
    }
    const Body current = undone(f_.current, outputs_of_current(), false);
    a_.advance.insert(a_.advance.end(), current.begin(), current.end());
    before_ = before;
    seeds_ = seeds;
  }

  void undo_receive() {
    std::vector<Output> outputs;
    for (const int v : ir::assigned_in(f_.receive))
      if (const auto of = derivatives_.find(v); of != derivatives_.end())
        outputs.push_back({ir::variable(v), of->second, Output::Then::is_replaced});
    auto seeds = seeds_;
    for (std::size_t v = 0; v < a_.program.variables.size(); ++v)
      if (a_.program.variables[v].kind == Variable::Kind::argument)
        seeds[static_cast<int>(v)] = of_weight_;
    std::swap(seeds, seeds_);
    a_.receive = undone(f_.receive, outputs, false);
    seeds_ = std::move(seeds);
  }

  /// The body from what is seen of what it changes.
  Body from_before(const Body& forward, const std::vector<Output>& outputs) const {
    Body source;
    for (const auto& [variable, before] : before_)
      if (ir::mentions(forward, variable) || is_output(outputs, variable))
        source.push_back(ir::assign(variable, ir::variable(before)));
    source.insert(source.end(), forward.begin(), forward.end());
    return source;
  }

  /// Forward along everything that is seen, then the sum over what came of it. What does not depend
  /// on something costs nothing (Differentiator). is_more: adds to what there is by the voltage.
  Body undone(const Body& forward, const std::vector<Output>& outputs, bool is_more) {
    const Body source = from_before(forward, outputs);
    std::vector<int> seeds;
    for (const auto& [variable, of] : seeds_)
      if (ir::reads(source, variable) || is_output(outputs, variable)) seeds.push_back(variable);
    ir::Differentiator along(a_.program, seeds);
    Body body = along.body(source);
    std::vector<Expr> sums(seeds.size());
    for (const Output& output : outputs) {
      const auto result = along.expression(output.value, body);
      for (std::size_t s = 0; s < seeds.size(); ++s)
        if (result.slopes[s]) {
          const Expr part = ir::variable(output.derivative) * result.slopes[s];
          sums[s] = sums[s] ? sums[s] + part : part;
        }
    }
    std::map<int, Expr> now;  // by derivative; null: 0
    std::set<int> given;
    if (!is_more) now[of_v_] = nullptr;
    for (const Output& output : outputs) {
      if (output.then == Output::Then::is_replaced) now[output.derivative] = nullptr;
      if (output.then == Output::Then::is_given) given.insert(output.derivative);
    }
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      if (!sums[s]) continue;
      const int of = seeds_.at(seeds[s]);
      if (const auto known = now.find(of); known != now.end() && known->second)
        known->second = known->second + sums[s];
      else
        now[of] = known != now.end() || given.contains(of) ? sums[s] : ir::variable(of) + sums[s];
    }
    std::vector<std::pair<int, int>> made;
    for (const auto& [of, value] : now) {
      made.emplace_back(of, a_.program.add_local("sum"));
      body.push_back(ir::assign(made.back().second, value ? value : ir::number(0)));
    }
    for (const auto& [of, local] : made) body.push_back(ir::assign(of, ir::variable(local)));
    return body;
  }

  /// Of what is neither kept nor shared, and of what nothing depends on.
  void leave_out_what_stays_0() {
    std::set<int> unused;
    for (const auto* list : {&f_.parameters, &f_.assigned})
      for (const InstanceVariable& v : *list)
        if (std::ranges::none_of(
                std::array{&a_.current, &a_.advance, &a_.receive},
                [&](Body* body) { return ir::mentions(*body, derivatives_.at(v.variable)); }))
          unused.insert(derivatives_.at(v.variable));
    for (const SharedVariable& c : f_.couplings) unused.erase(derivatives_.at(c.variable));
    std::erase_if(a_.states,
                  [&](const InstanceVariable& state) { return unused.contains(state.variable); });
  }

  static bool is_output(const std::vector<Output>& outputs, int variable) {
    return std::ranges::any_of(
        outputs, [&](const Output& output) { return ir::reads(output.value, variable); });
  }

  EvaluatorIr f_, a_;
  std::set<int> changed_;           ///< variables that some body assigns
  std::map<int, int> before_;       ///< of those of the instance: as they are seen
  std::map<int, int> derivatives_;  ///< [variable of the instance] the derivative by it
  std::map<int, int> seeds_;        ///< what is seen, and the derivative by it
  int of_i_ = -1, of_g_ = -1, of_v_ = -1, of_weight_ = -1;
};

}  // namespace

EvaluatorIr adjoint_of(EvaluatorIr forward) {
  return Adjoint(std::move(forward)).run();
}

}  // namespace hillock::nmodl
