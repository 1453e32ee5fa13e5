#include "solver/cable/frusta.hpp"

#include <cmath>
#include <numbers>

namespace hillock::solver {

namespace {

/// Walks along a branch's points, handing out the frusta up to given arc lengths.
class FrustumWalk {
 public:
  explicit FrustumWalk(const models::Branch& branch) {
    double arc = 0;
    for (std::size_t i = 0; i < branch.points.size(); ++i) {
      if (i > 0) {
        const auto& p = branch.points[i - 1];
        const auto& q = branch.points[i];
        arc += std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
      }
      arcs_.push_back(arc);
      diameters_.push_back(branch.points[i].diameter_um);
    }
    arc_ = 0;
    diameter_ = diameters_.front();
  }

  double length() const { return arcs_.back(); }

  /// Integrates from where the walk stands to `stop`; adds to area and ∫ d dx (as diameter_um),
  /// returns ∫ dx / (π d²/4).
  double advance(double stop, bool is_end, Piece& piece) {
    double resistance = 0;
    while (true) {
      // The last frustum takes what round-off leaves beyond the end.
      const bool last = next_ + 1 == arcs_.size();
      const bool inside = arcs_[next_] > stop || (last && !is_end);
      const double to = inside ? stop : arcs_[next_];
      double to_diameter = diameters_[next_];
      if (inside) {
        const double span = arcs_[next_] - arcs_[next_ - 1];
        const double fraction = span > 1e-10 ? (stop - arcs_[next_ - 1]) / span : 1.0;
        to_diameter = (1 - fraction) * diameters_[next_ - 1] + fraction * diameters_[next_];
      }
      const double step = to - arc_;
      piece.diameter_um += step * (diameter_ + to_diameter) / 2;
      piece.area_um2 +=
          std::numbers::pi * (diameter_ + to_diameter) / 2 *
          std::sqrt(step * step + (to_diameter - diameter_) * (to_diameter - diameter_) / 4);
      resistance += 4 * step / (std::numbers::pi * diameter_ * to_diameter);
      arc_ = to;
      diameter_ = to_diameter;
      if (inside) return resistance;
      if (last) return resistance;
      ++next_;
    }
  }

 private:
  std::vector<double> arcs_;
  std::vector<double> diameters_;
  std::size_t next_ = 1;  ///< the point at the far end of the current frustum
  double arc_ = 0;
  double diameter_ = 0;
};

}  // namespace

std::vector<Piece> integrate_pieces(const models::Branch& branch, int count) {
  FrustumWalk walk(branch);
  const double half = walk.length() / count / 2;
  std::vector<Piece> pieces(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Piece& piece = pieces[static_cast<std::size_t>(i)];
    piece.resistance_left = walk.advance((2 * i + 1) * half, false, piece);
    piece.resistance_right = walk.advance((2 * i + 2) * half, i + 1 == count, piece);
    piece.diameter_um /= 2 * half;
  }
  return pieces;
}

}  // namespace hillock::solver
