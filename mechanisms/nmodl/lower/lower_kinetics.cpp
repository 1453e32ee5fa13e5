// KINETIC: reactions by mass action as rates of their states.

#include <algorithm>
#include <string>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {

Lowering::Expr Lowering::rate_variable(int state) {
  const auto found = rates_.find(state);
  if (found != rates_.end()) return ir::variable(found->second);
  const int local = e_.program.add_local("rate");
  rates_.emplace(state, local);
  return ir::variable(local);
}

/// Whether reactions change a value: a STATE, also one that an ion owns, and nothing else.
bool Lowering::is_integrated(const Expr& value) const {
  if (value->kind != ir::Node::Kind::variable) return false;  // a CONSTANT
  for (const auto& [key, of] : variables_)
    if (of == value->variable) return m_.symbols[at(key.first)].role == Role::state;
  return false;
}

/// What of a state reacts and is conserved: a local that stands for it there, and nowhere else.
Lowering::Expr Lowering::amount(int state) {
  const auto found = amounts_.find(state);
  if (found != amounts_.end()) return ir::variable(found->second);
  const int local = e_.program.add_local("amount");
  amounts_.emplace(state, local);
  return ir::variable(local);
}

/// Adds a reaction's flux to the rates of its states, by mass action.
void Lowering::reaction(const ast::Reaction& r, Frame& frame, Body& out) {
  const auto product = [&](const std::vector<ast::ReactionTerm>& terms) {
    Expr all = ir::number(1);
    int factors = 0;
    for (const ast::ReactionTerm& term : terms)
      for (int k = 0; k < term.coefficient; ++k, ++factors) {
        const Expr of = expression(term.state, frame, out);
        all = all * (is_integrated(of) ? amount(of->variable) : of);
      }
    mass_action_is_linear_ = mass_action_is_linear_ && factors <= 1;
    return all;
  };
  const auto add = [&](const std::vector<ast::ReactionTerm>& terms, const Expr& flux) {
    for (const ast::ReactionTerm& term : terms) {
      const Expr reacting = expression(term.state, frame, out);
      if (!is_integrated(reacting)) continue;
      const int state = reacting->variable;
      Expr change = ir::number(term.coefficient) * flux;
      if (const auto volume = volumes_.find(state); volume != volumes_.end())
        change = change / volume->second;
      const Expr rate = rate_variable(state);
      out.push_back(ir::assign(rate->variable, rate + change));
    }
  };
  const int net = e_.program.add_local("flux");
  if (r.arrow == ast::Arrow::into) {
    out.push_back(ir::assign(net, expression(r.forward, frame, out)));
    add(r.left, ir::variable(net));
    return;
  }
  const int forward = e_.program.add_local("f_flux"), backward = e_.program.add_local("b_flux");
  const Expr kf = expression(r.forward, frame, out);
  out.push_back(ir::assign(forward, kf * product(r.left)));
  if (r.backward) {
    const Expr kb = expression(*r.backward, frame, out);
    out.push_back(ir::assign(backward, kb * product(r.right)));
  } else {
    out.push_back(ir::assign(backward, ir::number(0)));
  }
  out.push_back(ir::assign(net, ir::variable(forward) - ir::variable(backward)));
  add(r.left, -ir::variable(net));
  if (r.arrow == ast::Arrow::both) add(r.right, ir::variable(net));
  const auto& locals = m_.blocks[at(frame.block)].locals;
  for (std::size_t l = 0; l < locals.size(); ++l)
    if (locals[l].kind == LocalKind::flux)
      out.push_back(ir::assign(frame.locals[l].variables[0],
                               ir::variable(locals[l].name == "b_flux" ? backward : forward)));
}

/// COMPARTMENT: what the fluxes into states are divided by, element by element of arrays.
void Lowering::compartment(const ast::Compartment& c, Frame& frame, Body& out) {
  for (const ast::Name& state : c.states) {
    const int size = m_.symbols[at(state.binding.index)].size;
    for (int k = 0; k < std::max(1, size); ++k) {
      if (c.index) frame.locals[at(c.index->binding.index)].value = ir::number(k);
      volumes_[symbol_variable(state.binding.index, k)] = expression(c.volume, frame, out);
    }
  }
}

/// LONGITUDINAL_DIFFUSION is no part of the reactions: diffusion() looks for it where it belongs.
void Lowering::diffusion_stands(const ast::Statement& s, const Frame& frame) const {
  const ast::Statements& body = m_.syntax.blocks[at(frame.block)].body;
  if (std::ranges::none_of(body, [&s](const ast::Statement& own) { return &own == &s; }))
    throw NotSupported(s.position, "LONGITUDINAL_DIFFUSION under a condition or in a loop");
  if (e_.is_point_process)
    throw NotSupported(s.position, "LONGITUDINAL_DIFFUSION in a point process");
}

/// What spreads along the cable after the reactions of a step, with coefficients and volumes as the
/// reactions leave them.
void Lowering::diffusion(int block, Body& out) {
  Frame frame = frame_of(block);
  volumes_.clear();
  // Of several lines for one state the first counts here, and in the reactions the last, as in
  // NEURON.
  for (const ast::Statement& s : m_.syntax.blocks[at(block)].body) {
    const auto* c = std::get_if<ast::Compartment>(&s.node);
    if (!c) continue;
    std::map<int, Expr> before = std::exchange(volumes_, {});
    compartment(*c, frame, out);
    before.merge(volumes_);
    volumes_ = std::move(before);
  }
  for (const ast::Statement& s : m_.syntax.blocks[at(block)].body) {
    const auto* spread = std::get_if<ast::LongitudinalDiffusion>(&s.node);
    if (!spread) continue;
    for (const ast::Name& name : spread->states) {
      const Symbol& symbol = m_.symbols[at(name.binding.index)];
      if (symbol.role != Role::state)
        throw NotSupported(s.position,
                           "LONGITUDINAL_DIFFUSION of '" + name.text + "', which is no STATE");
      for (int k = 0; k < std::max(1, symbol.size); ++k) {
        if (spread->index) frame.locals[at(spread->index->binding.index)].value = ir::number(k);
        DiffusionIr one;
        one.state = symbol_variable(name.binding.index, k);
        const std::string number = std::to_string(e_.diffusions.size());
        one.coefficient = hidden_state("_diffusion" + number);
        one.volume = hidden_state("_volume" + number);
        one.pivot = hidden_state("_pivot" + number);
        out.push_back(ir::assign(one.coefficient, expression(spread->coefficient, frame, out)));
        const auto volume = volumes_.find(one.state);
        if (volume == volumes_.end())
          throw NotSupported(s.position, "LONGITUDINAL_DIFFUSION of '" + name.text +
                                             "' without its COMPARTMENT, which has its volume");
        out.push_back(ir::assign(one.volume, volume->second));
        e_.diffusions.push_back(one);
      }
    }
  }
}

/// CONSERVE: what takes the place of the last state's equation. Compartments count by their size,
/// arrays with all their elements.
void Lowering::conserve(const ast::Conserve& c, Frame& frame, Body& out) {
  Expr sum = ir::number(0);
  int last = -1;
  const auto add = [&](int state, int coefficient) {
    last = state;
    Expr part = ir::number(coefficient) * amount(state);
    if (const auto volume = volumes_.find(state); volume != volumes_.end())
      part = part * volume->second;
    sum = sum + part;
  };
  for (const ast::ReactionTerm& term : c.terms) {
    if (term.state.kind == ast::ExpressionKind::element) {
      add(target(term.state, frame, out), term.coefficient);
      continue;
    }
    const int symbol = term.state.binding.index;
    for (int k = 0; k < std::max(1, m_.symbols[at(symbol)].size); ++k)
      add(symbol_variable(symbol, k), term.coefficient);
  }
  conservation_.emplace_back(last, sum - expression(c.total, frame, out));
}

}  // namespace hillock::nmodl
