#pragma once
// Linear equations that tie the voltages of places on several cells, and unknowns of their own, to
// one another: C dy/dt + G y = b, in a step (C/dt + G) y' = b + C/dt y, where the row of a place is
// added to that of its cell's matrix.
//
// Each cell is solved alone, T x = r. At the places cells then have, with A = C/dt + G,
//   x = alone - Z w,   w = A x - b - C/dt y   (what flows out of them),
// Z = the inverse of T at a cell's places. With w of places and x of free unknowns this is a dense
// system of as many numbers as are tied together, which rounds as the whole of all rows would.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hillock::solver {

/// Elements of C, nF, and G, uS.
struct WiringTerm {
  std::uint32_t equation = 0, unknown = 0;
  double capacitance = 0, conductance = 0;
};

/// What is tied together. Unknowns are numbered cell by cell.
struct WiringEquations {
  std::vector<std::uint32_t> first_of_cell{0};  ///< [cell, and one more] its unknowns
  std::vector<char> is_free;                    ///< [unknown] no place: alone in its cell
  std::vector<WiringTerm> terms;

  std::size_t size() const { return is_free.size(); }
};

/// The equations of a run, and a step's numbers. Deterministic.
class Wiring {
 public:
  Wiring(WiringEquations equations, double dt_ms);

  const WiringEquations& equations() const { return equations_; }
  /// What a step begins with, [unknown] of y, of b and of `alone`; of a cell its Z, by row. Cells
  /// may be written to side by side.
  std::span<double> before() { return before_; }
  std::span<double> sources() { return sources_; }
  std::span<double> alone() { return alone_; }
  std::span<double> influence(std::size_t cell);

  /// An unknown that is no finite number then, if one is.
  std::optional<std::size_t> solve();
  /// [unknown] w, nA; of free ones x.
  std::span<const double> solution() const { return solution_; }

  /// The most unknowns that are tied together.
  std::size_t largest() const;
  std::size_t bytes() const;

 private:
  struct Term {
    std::uint32_t unknown;
    double a;       ///< of A
    double charge;  ///< C/dt
  };
  /// Unknowns that are tied to one another, directly or by others.
  using Component = std::vector<std::uint32_t>;

  void find_components();
  void assemble(const Component& component);
  void solve(const Component& component);

  WiringEquations equations_;
  std::vector<std::uint32_t> cell_of_;     ///< [unknown]
  std::vector<std::size_t> first_of_z_;    ///< [cell]
  std::vector<Term> terms_;                ///< by equation
  std::vector<std::uint32_t> first_term_;  ///< [equation, and one more]
  std::vector<Component> components_;
  std::vector<std::uint32_t> number_in_;  ///< [unknown] in its component
  std::vector<double> before_, sources_, alone_, z_, solution_;
  std::vector<double> matrix_, right_, scale_;  ///< of the component at hand
};

}  // namespace hillock::solver
