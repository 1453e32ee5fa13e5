// The evaluator's variables: what each symbol becomes, and what has to last from call to call.

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "core/mechanism/signature.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

using Kind = ir::Variable::Kind;

Kind environment_kind(Environment which) {
  switch (which) {
    case Environment::v:
      return Kind::v;
    case Environment::t:
      return Kind::time;
    case Environment::dt:
      return Kind::dt;
    case Environment::celsius:
      return Kind::celsius;
    default:
      return Kind::shared;
  }
}

mechanisms::SharedQuantity shared_quantity(IonQuantity which) {
  switch (which) {
    case IonQuantity::current:
      return mechanisms::SharedQuantity::current;
    case IonQuantity::reversal:
      return mechanisms::SharedQuantity::reversal;
    case IonQuantity::inside:
      return mechanisms::SharedQuantity::inside;
    default:
      return mechanisms::SharedQuantity::outside;
  }
}

}  // namespace

void find_needs(const ir::Body& body, std::set<int>& assigned, std::set<int>& needs) {
  const std::function<void(const ir::Expr&)> read = [&](const ir::Expr& e) {
    if (e->kind == ir::Node::Kind::variable && !assigned.count(e->variable))
      needs.insert(e->variable);
    for (const ir::Expr& operand : e->operands) read(operand);
  };
  for (const ir::Statement& s : body) {
    for (const ir::Expr& e : ir::read_by(s))
      if (e) read(e);
    switch (s.kind) {
      case ir::Statement::Kind::assign:
        assigned.insert(s.target);
        break;
      case ir::Statement::Kind::branch: {
        std::set<int> yes = assigned, no = assigned;
        find_needs(s.body, yes, needs);
        find_needs(s.otherwise, no, needs);
        std::set_intersection(yes.begin(), yes.end(), no.begin(), no.end(),
                              std::inserter(assigned, assigned.end()));
        break;
      }
      case ir::Statement::Kind::store:  // of no element it is sure
      case ir::Statement::Kind::send:
        break;
      case ir::Statement::Kind::connections:
      case ir::Statement::Kind::loop: {
        std::set<int> inside = assigned;
        find_needs(s.body, inside, needs);
        break;
      }
      case ir::Statement::Kind::newton:
        for (const int unknown : s.newton->unknowns)
          if (!assigned.count(unknown)) needs.insert(unknown);
        find_needs(s.body, assigned, needs);
        break;
    }
  }
}

namespace {

/// Of a symbol, or an element of one that is an array.
InstanceVariable instance_variable(const Symbol& symbol, int element, int variable) {
  InstanceVariable kept;
  kept.name = symbol.size > 0 ? symbol.name + "[" + std::to_string(element) + "]" : symbol.name;
  kept.unit = symbol.unit_text.empty() ? "1" : symbol.unit_text;
  kept.default_value = symbol.value;
  if (std::isfinite(symbol.minimum)) kept.minimum = symbol.minimum;
  if (std::isfinite(symbol.maximum)) kept.maximum = symbol.maximum;
  kept.variable = variable;
  return kept;
}

/// No other symbol's: a file may have both x[4] and x_0.
std::string name_of_element(const Module& module, const Symbol& symbol, int element) {
  std::string name = symbol.name + "_" + std::to_string(element);
  const auto is_taken = [&](const Symbol& other) { return other.name == name; };
  while (std::ranges::any_of(module.symbols, is_taken)) name += "_";
  return name;
}

}  // namespace

void Lowering::declare_symbols() {
  for (std::size_t s = 0; s < m_.symbols.size(); ++s) {
    const Symbol& symbol = m_.symbols[s];
    const int count = std::max(1, symbol.size);
    for (int k = 0; k < count; ++k) {
      ir::Variable variable;
      variable.name = symbol.size > 0 ? name_of_element(m_, symbol, k) : symbol.name;
      switch (symbol.role) {
        case Role::environment:
          variable.kind = environment_kind(symbol.environment);
          // `v = v + 0.0001` moves a copy, for the rest of the call.
          if (variable.kind == Kind::v && symbol.written) variable.kind = Kind::local;
          break;
        case Role::parameter:
          // What a user sets and the file then corrects stays a parameter.
          variable.kind = symbol.written && !symbol.in_range && !symbol.in_global ? Kind::assigned
                                                                                  : Kind::parameter;
          break;
        case Role::initial_value:
          variable.kind = symbol.written ? Kind::assigned : Kind::parameter;
          break;
        case Role::state:
          variable.kind = symbol.ion >= 0 ? Kind::shared : Kind::state;
          break;
        case Role::ion:
          // A current that is written is the mechanism's own.
          variable.kind = symbol.quantity == IonQuantity::current &&
                                  m_.ions[at(symbol.ion)].find(IonQuantity::current)->write
                              ? Kind::assigned
                              : Kind::shared;
          break;
        case Role::pointer:
        case Role::bbcore_pointer:
          variable.kind = Kind::shared;
          break;
        default:
          variable.kind = Kind::assigned;
          break;
      }
      const int index = static_cast<int>(e_.program.variables.size());
      e_.program.variables.push_back(std::move(variable));
      variables_[{static_cast<int>(s), k}] = index;
    }
  }
  for (const auto& [key, variable] : variables_)
    if (m_.symbols[at(key.first)].role == Role::environment &&
        m_.symbols[at(key.first)].environment == Environment::v &&
        m_.symbols[at(key.first)].written)
      copy_of_v_ = variable;
}

int Lowering::symbol_variable(int symbol, int element) const {
  return variables_.at({symbol, element});
}

/// What stands before INITIAL: states at m0 or their START, parameters that the file assigns at
/// their defaults, everything else at 0.
void Lowering::initial_values(Body& body) {
  for (const auto& [key, variable] : variables_) {
    const Symbol& symbol = m_.symbols[at(key.first)];
    if (is_peer_voltage(symbol)) continue;  // it is there before INITIAL
    Expr value;
    if (symbol.role == Role::state && symbol.ion < 0)
      value = symbol.initial_value >= 0 ? ir::variable(symbol_variable(symbol.initial_value, 0))
                                        : ir::number(symbol.value);
    else if (e_.program.variables[at(variable)].kind == Kind::assigned &&
             symbol.role != Role::environment && symbol.role != Role::initial_value)
      value = ir::number(
          symbol.role == Role::parameter || symbol.role == Role::constant ? symbol.value : 0);
    if (value) body.push_back(ir::assign(variable, value));
  }
}

/// What the mechanism shares with its location, ion by ion.
void Lowering::collect_couplings() {
  const auto add = [&](mechanisms::SharedQuantity quantity, const Ion* ion, int variable,
                       bool reads, bool writes) {
    e_.couplings.push_back({quantity, ion ? ion->name : "", ion ? ion->valence.value_or(0) : 0,
                            variable, reads, writes});
  };
  for (const Ion& ion : m_.ions)
    for (const IonVariable& v : ion.variables) {
      const int own = variables_.at({v.symbol, 0});
      const auto quantity = shared_quantity(v.quantity);
      if (v.quantity != IonQuantity::current) {
        add(quantity, &ion, own, v.read, v.write);
        continue;
      }
      if (v.write) add(quantity, &ion, own, false, true);
      if (!v.read) continue;
      int total = own;
      if (v.write) {
        total = static_cast<int>(e_.program.variables.size());
        e_.program.variables.push_back({m_.symbols[at(v.symbol)].name + "_total", Kind::shared});
        totals_.emplace(own, total);
      }
      add(quantity, &ion, total, true, false);
    }
  for (const auto& [key, variable] : variables_) {
    const Symbol& symbol = m_.symbols[at(key.first)];
    if (symbol.role == Role::pointer || symbol.role == Role::bbcore_pointer)
      add(mechanisms::SharedQuantity::pointer, nullptr, variable, true, symbol.written);
    if (symbol.role != Role::environment) continue;
    if (symbol.environment == Environment::area)
      add(mechanisms::SharedQuantity::area, nullptr, variable, true, false);
    if (symbol.environment == Environment::diam)
      add(mechanisms::SharedQuantity::diameter, nullptr, variable, true, false);
  }
}

/// Whether a variable of the location is more than a name that the file declares and never uses.
bool Lowering::is_shared(const Symbol& symbol, int variable) const {
  if (symbol.role != Role::environment && symbol.role != Role::pointer &&
      symbol.role != Role::bbcore_pointer)
    return true;
  const auto all = pieces();
  return std::any_of(all.begin(), all.end(), [&](const Piece& piece) {
    return ir::mentions(*piece.body, variable) ||
           std::any_of(piece.results.begin(), piece.results.end(),
                       [&](const Expr& result) { return result && ir::reads(result, variable); });
  });
}

/// `initialise`, `current`, `advance` and then the others.
std::vector<Lowering::Piece> Lowering::pieces() const {
  std::vector<Piece> all{{&e_.initialise, {}},
                         {&e_.current, {e_.i, e_.g}},
                         {&e_.advance, {}},
                         {&e_.receive, {}},
                         {&e_.connect, {}}};
  for (const WatchIr& watch : e_.watches) all.push_back({&watch.body, {watch.value}});
  return all;
}

/// The voltage on the other side of a gap junction, which is set from outside at every step.
bool Lowering::is_peer_voltage(const Symbol& symbol) const {
  return e_.is_point_process && !e_.is_point_neuron && symbol.in_range && symbol.size == 0 &&
         symbol.name == peer_voltage_name;
}

/// What pieces() do with variables.
struct Lowering::Uses {
  static constexpr std::size_t initial = 0, current = 1, advance = 2;  // as pieces() has them
  std::vector<std::set<int>> needs, writes;                            ///< [piece]
  std::set<int> lasting;  ///< needed by others than `initialise`

  bool are_written_later(int v) const { return are_written_from(advance, v); }
  bool are_written_at_events(int v) const { return are_written_from(advance + 1, v); }

 private:
  bool are_written_from(std::size_t piece, int v) const {
    return std::any_of(writes.begin() + static_cast<std::ptrdiff_t>(piece), writes.end(),
                       [v](const auto& written) { return written.count(v) > 0; });
  }
};

/// All elements of an array that a run indexes become the same: where one is, all are.
void Lowering::join_indexed(std::set<int>& variables) const {
  std::set<int> symbols;
  for (const auto& [key, v] : variables_)
    if (!e_.program.variables[at(v)].array.empty() && variables.count(v)) symbols.insert(key.first);
  for (const auto& [key, v] : variables_)
    if (symbols.count(key.first)) variables.insert(v);
}

Lowering::Uses Lowering::find_uses() const {
  const std::vector<Piece> all = pieces();
  Uses uses;
  uses.needs.resize(all.size());
  uses.writes.resize(all.size());
  for (std::size_t b = 0; b < all.size(); ++b) {
    std::set<int>& needs = uses.needs[b];
    std::set<int> assigned;
    find_needs(*all[b].body, assigned, needs);
    for (const Expr& result : all[b].results)
      if (result) find_needs({ir::assign(-1, result)}, assigned, needs);
    for (const int v : ir::assigned_in(*all[b].body)) uses.writes[b].insert(v);
    for (std::set<int>* set : {&needs, &uses.writes[b]}) join_indexed(*set);
    if (b != Uses::initial) uses.lasting.insert(needs.begin(), needs.end());
  }
  return uses;
}

namespace {

bool mentions_any(const ir::Expr& e, const std::set<int>& variables) {
  if (!e) return false;
  if (e->kind == ir::Node::Kind::variable) return variables.count(e->variable) > 0;
  if (e->kind == ir::Node::Kind::call && e->function >= ir::Function::draw_uniform &&
      e->function <= ir::Function::draw_integer)
    return true;
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [&](const ir::Expr& operand) { return mentions_any(operand, variables); });
}

/// Adds what a body assigns to what varies of what varies. Where that decides whether a variable is
/// assigned, and not what, as in a loop that makes a table, it is the same everywhere.
/// decided: [variable] what is assigned so.
void spread_varying(const ir::Body& body, bool is_decided, std::map<int, ir::Expr>& decided,
                    std::set<int>& varying) {
  for (const ir::Statement& s : body) {
    const auto read = ir::read_by(s);
    const bool varies =
        std::any_of(read.begin(), read.end(),
                    [&](const ir::Expr& e) { return mentions_any(e, varying); }) ||
        (is_decided && s.target >= 0 &&
         (ir::is_number(s.value) ||
          !ir::same(decided.try_emplace(s.target, s.value).first->second, s.value)));
    if (varies && s.target >= 0) varying.insert(s.target);
    if (varies || is_decided) varying.insert(s.elements.begin(), s.elements.end());
    if (s.newton) varying.insert(s.newton->unknowns.begin(), s.newton->unknowns.end());
    const bool decides =
        is_decided || varies || s.newton || s.kind == ir::Statement::Kind::connections;
    spread_varying(s.body, decides, decided, varying);
    spread_varying(s.otherwise, decides, decided, varying);
  }
}

/// Whether a variable has a say in another one than itself.
bool is_used(const ir::Body& body, int variable) {
  return std::any_of(body.begin(), body.end(), [&](const ir::Statement& s) {
    if (s.kind == ir::Statement::Kind::assign)
      return s.target != variable && ir::reads(s.value, variable);
    const auto read = ir::read_by(s);
    return std::any_of(read.begin(), read.end(),
                       [&](const ir::Expr& e) { return e && ir::reads(e, variable); }) ||
           is_used(s.body, variable) || is_used(s.otherwise, variable);
  });
}

/// Adds what a body makes of what it was: of one for all, each place goes on from the last one's.
void add_counted(const ir::Body& body, std::set<int>& counted) {
  for (const ir::Statement& s : body) {
    if (s.kind == ir::Statement::Kind::assign && s.target >= 0 && ir::reads(s.value, s.target))
      counted.insert(s.target);
    add_counted(s.body, counted);
    add_counted(s.otherwise, counted);
  }
}

}  // namespace

/// Variables whose values may differ from place to place.
std::set<int> Lowering::find_varying() const {
  std::set<int> varying;
  const auto is_of_place = [](Kind kind) {
    return kind == Kind::v || kind == Kind::shared || kind == Kind::state ||
           kind == Kind::event_voltage || kind == Kind::argument || kind == Kind::connection ||
           kind == Kind::flag;
  };
  for (std::size_t v = 0; v < e_.program.variables.size(); ++v)
    if (is_of_place(e_.program.variables[v].kind)) varying.insert(static_cast<int>(v));
  for (const auto& [key, v] : variables_) {
    const Symbol& symbol = m_.symbols[at(key.first)];
    if (symbol.role == Role::parameter ? symbol.in_range
                                       : symbol.role == Role::assigned && !symbol.written)
      varying.insert(v);
  }
  // An event is one place's.
  const std::vector<Piece> all = pieces();
  for (std::size_t b = Uses::initial + 1; b < all.size(); ++b)
    if (b == Uses::current || b == Uses::advance)
      add_counted(*all[b].body, varying);
    else
      for (const int v : ir::assigned_in(*all[b].body)) varying.insert(v);
  for (std::size_t known = 0; known != varying.size();) {
    known = varying.size();
    std::map<int, ir::Expr> decided;
    for (const Piece& piece : all) spread_varying(*piece.body, false, decided, varying);
  }
  return varying;
}

/// What lasts otherwise than an instance's own numbers do in NEURON.
void Lowering::note_lasting(const Uses& uses, const std::set<int>& varying) {
  const std::vector<Piece> all = pieces();
  const auto has_a_say = [&](int v) {
    return std::any_of(all.begin(), all.end(), [&](const Piece& piece) {
      return is_used(*piece.body, v) ||
             std::any_of(piece.results.begin(), piece.results.end(),
                         [&](const Expr& result) { return result && ir::reads(result, v); });
    });
  };
  for (const auto& [key, v] : variables_) {
    const Symbol& symbol = m_.symbols[at(key.first)];
    if (!uses.lasting.count(v) || e_.program.variables[at(v)].kind == Kind::shared) continue;
    const bool is_computed = uses.writes[Uses::current].count(v) > 0 || uses.are_written_later(v);
    const std::string name = instance_variable(symbol, key.second, v).name;
    if (!is_computed && uses.writes[Uses::initial].count(v) > 0)
      e_.begun.push_back(name);
    else if (is_computed && symbol.became_instance && varying.count(v) > 0 && has_a_say(v))
      e_.of_last_place.push_back(name);
  }
}

/// Decides which variables an instance keeps. A variable that every body sets before it reads it
/// is a local, unless a user may look at it; one that has to last is a state when it changes after
/// INITIAL.
void Lowering::classify() {
  const Uses uses = find_uses();
  note_lasting(uses, find_varying());
  const std::set<int>& initial = uses.writes[Uses::initial];
  for (const auto& [key, v] : variables_) {
    ir::Variable& variable = e_.program.variables[at(v)];
    const Symbol& symbol = m_.symbols[at(key.first)];
    const bool is_current = (symbol.role == Role::ion && symbol.quantity == IonQuantity::current) ||
                            std::any_of(m_.currents.begin(), m_.currents.end(),
                                        [&wanted = key.first](const Current& current) {
                                          return current.symbol == wanted;
                                        });
    // What the engine adds to the ion's or the cell's current, even if the file never assigns it.
    const bool is_flow = is_current && variable.kind == Kind::assigned;
    // A session of NEURON's shows what events leave.
    const bool seen = symbol.in_range || is_current || symbol.role == Role::state ||
                      (symbol.in_global && uses.are_written_at_events(v));
    InstanceVariable kept = instance_variable(symbol, key.second, v);
    const bool in_current = uses.writes[Uses::current].count(v) > 0;
    const bool later = uses.are_written_later(v);
    const bool lasts = uses.lasting.count(v) > 0;
    // A parameter that is always computed before it is read is none.
    if (variable.kind == Kind::parameter && (in_current || later) && !lasts &&
        !uses.needs[Uses::initial].count(v))
      variable.kind = Kind::assigned;
    // A STATE that BREAKPOINT computes anew each time is what it says, and not what lasts.
    if (variable.kind == Kind::state && in_current && !lasts) {
      if (later)
        e_.changes_in_current = true;
      else
        variable.kind = Kind::assigned;
    }
    const bool kept_elsewhere = variable.kind == Kind::shared && !is_current;
    if (in_current && (kept_elsewhere || (lasts && variable.kind != Kind::shared)))
      e_.changes_in_current = true;
    if (v == e_.injected) {
      variable.kind = Kind::state;
      e_.states.insert(e_.states.begin(), kept);
    } else if (is_peer_voltage(symbol) &&
               (variable.kind == Kind::parameter || variable.kind == Kind::assigned)) {
      variable.kind = Kind::state;
      e_.states.push_back(kept);
    } else if (variable.kind == Kind::parameter) {
      if (in_current || later) e_.changes_parameters = true;
      if (e_.changes_parameters || initial.count(v) > 0) e_.sets_parameters = true;
      e_.parameters.push_back(kept);
    } else if (variable.kind == Kind::shared) {
      if (is_shared(symbol, v))
        e_.shared.push_back(kept);
      else
        std::erase_if(e_.couplings,
                      [own = v](const SharedVariable& c) { return c.variable == own; });
    } else if (variable.kind == Kind::state) {
      e_.states.push_back(kept);
    } else if (variable.kind == Kind::assigned) {
      kept.default_value = 0;
      if (lasts ? in_current || later : seen && later) {
        variable.kind = Kind::state;
        e_.states.push_back(kept);
      } else if (lasts || is_flow || (seen && (in_current || initial.count(v)))) {
        e_.assigned.push_back(kept);
      } else {
        variable.kind = Kind::local;
      }
    }
  }
  keep_numbers_of_the_engine(uses);
}

void Lowering::keep_numbers_of_the_engine(const Uses& uses) {
  if (stream_ >= 0) e_.shared.push_back({"_stream", "1", 0, 0, 1e300, stream_});
  if (draws_ >= 0) {
    e_.states.push_back({"_draws", "1", 0, 0, 1e300, draws_});
    if (uses.writes[Uses::current].count(draws_)) e_.changes_in_current = true;
  }
  keep_hidden_states();
  for (const auto& [own, total] : totals_)
    e_.shared.push_back({e_.program.variables[at(total)].name, "mA/cm2", 0, -1e300, 1e300, total});
}

}  // namespace hillock::nmodl
