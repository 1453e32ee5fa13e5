// Statements: branches stay, loops over numbers are unrolled, other loops stay.

#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

constexpr std::size_t most_statements = 200'000;  ///< after inlining and unrolling
constexpr int most_branches = 2000;               ///< each in what is otherwise done

}  // namespace

Lowering::Frame Lowering::frame_of(int block) {
  Frame frame;
  frame.block = block;
  for (const Local& local : m_.blocks[at(block)].locals) {
    Meaning meaning;
    const int count = local.size > 0 ? local.size : 1;
    for (int k = 0; k < count; ++k) meaning.variables.push_back(e_.program.add_local(local.name));
    frame.locals.push_back(std::move(meaning));
  }
  return frame;
}

void Lowering::statements(const ast::Statements& list, Frame& frame, Body& out) {
  for (const ast::Statement& s : list) statement(s, frame, out);
}

void Lowering::statement(const ast::Statement& s, Frame& frame, Body& out) {
  if (++statements_ > most_statements)
    throw NotSupported(s.position, "more than 200,000 statements once loops are unrolled");
  if (const auto* assignment = std::get_if<ast::Assignment>(&s.node)) {
    store(assignment->target, expression(assignment->value, frame, out), frame, out);
  } else if (const auto* locals = std::get_if<ast::Locals>(&s.node)) {
    // NMODL's locals are not set to anything; 0 makes runs repeat themselves.
    for (const ast::LocalDeclaration& local : locals->names)
      for (const int v : frame.locals[at(local.binding.index)].variables)
        if (depth_ > 0) out.push_back(ir::assign(v, ir::number(0)));
  } else if (const auto* c = std::get_if<ast::Call>(&s.node)) {
    call(c->call, frame, out);
  } else if (const auto* conditional = std::get_if<ast::If>(&s.node)) {
    branch(*conditional, 0, frame, out);
  } else if (const auto* repeated = std::get_if<ast::While>(&s.node)) {
    ir::Statement turning;
    turning.kind = ir::Statement::Kind::loop;
    turning.value = condition(repeated->condition, frame, out);
    if (turning.value->kind == ir::Node::Kind::number && turning.value->value != 0)
      throw NotSupported(s.position, "a loop without an end");
    const int go = e_.program.add_local("go");
    out.push_back(ir::assign(go, turning.value));
    turning.value = ir::operation(ir::Operator::not_equal, {ir::variable(go), ir::number(0)});
    statements(repeated->body, frame, turning.body);
    const Expr again = condition(repeated->condition, frame, turning.body);
    turning.body.push_back(ir::assign(go, again));
    out.push_back(std::move(turning));
  } else if (const auto* counted = std::get_if<ast::Loop>(&s.node)) {
    loop(*counted, frame, out);
  } else if (const auto* scope = std::get_if<ast::Scope>(&s.node)) {
    statements(scope->body, frame, out);
  } else if (const auto* derivative = std::get_if<ast::DerivativeEquation>(&s.node)) {
    equation(*derivative, s.position, frame, out);
  } else if (const auto* r = std::get_if<ast::Reaction>(&s.node)) {
    reaction(*r, frame, out);
  } else if (const auto* volume = std::get_if<ast::Compartment>(&s.node)) {
    compartment(*volume, frame, out);
  } else if (const auto* conserved = std::get_if<ast::Conserve>(&s.node)) {
    conserve(*conserved, frame, out);
  } else if (std::holds_alternative<ast::Solve>(s.node)) {
    solve_here(s.position, frame, out);
  } else if (const auto* linear = std::get_if<ast::Equation>(&s.node)) {
    const Expr left = expression(linear->left, frame, out);
    const Expr residual = left - expression(linear->right, frame, out);
    if (linear->adds_to_previous && !residuals_.empty())
      residuals_.back() = residuals_.back() + residual;
    else
      residuals_.push_back(residual);
  } else if (const auto* watched = std::get_if<ast::Watch>(&s.node)) {
    watch(*watched, s.position, frame, out);
  } else if (const auto* others = std::get_if<ast::ForNetcons>(&s.node)) {
    for_netcons(*others, s.position, frame, out);
  } else if (const auto* first = std::get_if<ast::ConnectionInitial>(&s.node)) {
    statements(first->body, frame, e_.connect);
  } else if (std::holds_alternative<ast::LongitudinalDiffusion>(s.node)) {
    diffusion_stands(s, frame);
  }
  // TABLE is the business of who calls the block; CONDUCTANCE, MUTEXLOCK and VERBATIM without
  // effect need nothing.
}

void Lowering::branch(const ast::If& s, std::size_t from, Frame& frame, Body& out) {
  if (from == s.branches.size()) {
    if (s.otherwise) statements(*s.otherwise, frame, out);
    return;
  }
  if (branches_ == most_branches)
    throw NotSupported(s.branches[from].condition.position,
                       "more than 2,000 branches of an if, or of those in one another");
  ++branches_;
  ir::Statement choice;
  choice.kind = ir::Statement::Kind::branch;
  choice.value = condition(s.branches[from].condition, frame, out);
  if (ir::is_number(choice.value)) {
    if (choice.value->value != 0)
      statements(s.branches[from].body, frame, out);
    else
      branch(s, from + 1, frame, out);
    --branches_;
    return;
  }
  statements(s.branches[from].body, frame, choice.body);
  branch(s, from + 1, frame, choice.otherwise);
  --branches_;
  out.push_back(std::move(choice));
}

void Lowering::loop(const ast::Loop& s, Frame& frame, Body& out) {
  const Expr first = expression(s.first, frame, out), last = expression(s.last, frame, out);
  const Expr step = s.step ? expression(*s.step, frame, out) : ir::number(1);
  const auto index = at(s.index.binding.index);
  const Meaning before = frame.locals[index];
  if (ir::is_number(first) && ir::is_number(last) && ir::is_number(step) && step->value > 0) {
    for (double k = std::trunc(first->value); k <= last->value; k += step->value) {
      frame.locals[index].value = ir::number(k);
      statements(s.body, frame, out);
    }
  } else {
    counted_loop(s, first, last, step, frame, out);
  }
  frame.locals[index] = before;
}

/// A loop whose bounds are known only during a run; a step that is not above 0 ends it.
void Lowering::counted_loop(const ast::Loop& s, const Expr& first, const Expr& last,
                            const Expr& step, Frame& frame, Body& out) {
  const int k = e_.program.add_local(s.index.text), end = e_.program.add_local("end"),
            by = e_.program.add_local("by");
  out.push_back(ir::assign(k, ir::call(ir::Function::floor, {first})));
  out.push_back(ir::assign(end, last));
  out.push_back(ir::assign(by, step));
  ir::Statement turning;
  turning.kind = ir::Statement::Kind::loop;
  turning.value =
      ir::operation(ir::Operator::logical_and,
                    {ir::operation(ir::Operator::less_equal, {ir::variable(k), ir::variable(end)}),
                     ir::operation(ir::Operator::greater, {ir::variable(by), ir::number(0)})});
  frame.locals[at(s.index.binding.index)].value = ir::variable(k);
  statements(s.body, frame, turning.body);
  turning.body.push_back(ir::assign(k, ir::variable(k) + ir::variable(by)));
  out.push_back(std::move(turning));
}

}  // namespace hillock::nmodl
