#include "solver/cable/cut_piece.hpp"

#include <fmt/format.h>

#include "core/random/random.hpp"

namespace hillock::solver {

double value_for(const CutFor& of, const models::Value& value, const CutPiece& piece) {
  if (const auto* constant = std::get_if<double>(&value.content())) return *constant;
  const auto whose = [&] {
    const std::string cell = value.varies_between_cells() ? of.name : std::string();
    if (piece.branch.empty()) return cell;
    return fmt::format("{}{}{}({:.6g})", cell, cell.empty() ? "" : " at ", piece.branch,
                       piece.location.position);
  };
  if (value.has_places()) return value.at(piece.piece, of.bindings.index, whose);
  Bindings bindings = of.bindings;
  bindings.distance_um = piece.location.distance_um;
  bindings.x_um = piece.location.x_um;
  bindings.y_um = piece.location.y_um;
  bindings.z_um = piece.location.z_um;
  bindings.diam_um = piece.diameter_um;
  RandomStream none(0, Purpose::parameter, {});
  return value.evaluate(bindings, none, whose);
}

}  // namespace hillock::solver
