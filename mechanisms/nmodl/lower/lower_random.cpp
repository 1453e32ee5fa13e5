// Random numbers: each source of an instance (a RANDOM, or the functions without one) counts its
// draws in a variable that lasts; a draw is a function of that count (draws.hpp).

#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {

/// The instance's key, a variable of its location that is there once something draws.
int Lowering::stream() {
  if (stream_ < 0) {
    stream_ = static_cast<int>(e_.program.variables.size());
    e_.program.variables.push_back({"_stream", ir::Variable::Kind::shared});
    e_.couplings.push_back(
        {mechanisms::SharedQuantity::stream, "", 0, stream_, /*reads=*/true, /*writes=*/false});
  }
  return stream_;
}

/// What counts the draws of a RANDOM (a symbol), or of the functions without one (-1).
int Lowering::draw_count(int random) {
  if (random >= 0) return variables_.at({random, 0});
  if (draws_ < 0) {
    draws_ = static_cast<int>(e_.program.variables.size());
    e_.program.variables.push_back({"_draws", ir::Variable::Kind::state});
  }
  return draws_;
}

Lowering::Expr Lowering::draw(ir::Function function, int random, std::vector<Expr> more,
                              Body& out) {
  const int count = draw_count(random);
  const int drawn = e_.program.add_local("drawn");
  std::vector<Expr> arguments{ir::variable(stream()), ir::number(random + 1), ir::variable(count)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  out.push_back(ir::assign(drawn, ir::call(function, std::move(arguments))));
  out.push_back(ir::assign(count, ir::variable(count) + ir::number(1)));
  return ir::variable(drawn);
}

/// Null when the function draws nothing.
Lowering::Expr Lowering::random(const ast::Expression& e, Frame& frame, Body& out) {
  const auto which = static_cast<Builtin>(e.binding.index);
  const bool has_source = which >= Builtin::random_uniform && which <= Builtin::random_setids;
  const int source = has_source ? e.operands[0].binding.index : -1;
  const std::size_t first = has_source ? 1 : 0;
  const auto argument = [&](std::size_t k, double otherwise) {
    return first + k < e.operands.size() ? expression(e.operands[first + k], frame, out)
                                         : ir::number(otherwise);
  };
  switch (which) {
    case Builtin::scop_random:
    case Builtin::random_dpick:
      return draw(ir::Function::draw_uniform, source, {}, out);
    case Builtin::random_uniform: {
      const Expr low = argument(0, 0), high = argument(1, 1);
      return low + (high - low) * draw(ir::Function::draw_uniform, source, {}, out);
    }
    case Builtin::exprand:
    case Builtin::random_negexp: {
      const Expr mean = argument(0, 1);
      const Expr u = draw(ir::Function::draw_uniform, source, {}, out);
      return -(mean * ir::call(ir::Function::log, {u}));
    }
    case Builtin::normrand:
    case Builtin::random_normal: {
      const Expr mean = argument(0, 0), deviation = argument(1, 1);
      return mean + deviation * draw(ir::Function::draw_normal, source, {}, out);
    }
    case Builtin::poisrand: {
      const Expr mean = argument(0, 1);
      return draw(ir::Function::draw_poisson, source, {mean}, out);
    }
    case Builtin::random_ipick:
      return draw(ir::Function::draw_integer, source, {}, out);
    case Builtin::random_setseq:
      out.push_back(ir::assign(draw_count(source), argument(0, 0)));
      return ir::number(0);
    case Builtin::random_setids:  // instances have streams of their own
      return ir::number(0);
    default:
      return nullptr;
  }
}

}  // namespace hillock::nmodl
