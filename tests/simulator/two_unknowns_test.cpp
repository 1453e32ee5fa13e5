// A node may have several unknowns: here the potential inside and outside its membrane, as a cable
// in an extracellular layer has them. The page of step/cell_step.hpp takes such a step unchanged.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "network/arrival.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/integrators/backward_euler.hpp"
#include "simulator/step/integrators/crank_nicolson.hpp"

namespace hillock::simulator {
namespace {

using step::Turn;

/// Of all nodes alike, by node: nF, uS, nA. Outside, every node is tied to ground.
struct Cable {
  std::size_t nodes = 0;
  double capacity_nF = 0, leak_uS = 0, leak_mV = 0, along_inside_uS = 0;
  double outside_nF = 0, to_ground_uS = 0, along_outside_uS = 0;
  double injected_nA = 0;  ///< into the first node
};

using Block = std::array<std::array<double, 2>, 2>;

/// What an executor of the page has, of cells without events, ions, recordings and gap junctions.
struct NothingElse {
  void deliver(long long) {}
  void play(double) {}
  bool is_sampled(long long) const { return false; }
  bool has_begun() const { return false; }
  void begin_ions() {}
  void add_fields(double, bool) {}
  void keep_constant(double) {}
  void begin_again() {}
  void tell_what_spoils(long long) {}
  void detect(long long) {}
  void settle() {}
  void diffuse() {}
  void sample(long long) {}
  bool follows_gaps() const { return false; }
  int ion_turns() const { return 0; }
  void set_currents_aside(int) {}
  void add_ion_currents(int, double, double) {}
  template <class Body>
  void for_ion_currents_of(int, const Body&) {}
  void forget_aside() {}
  bool keeps_membrane_currents() const { return false; }
  void gather_electrodes(double) {}
  double electrode_nA(std::size_t) const { return 0; }
  double electrode_uS(std::size_t) const { return 0; }
  double inside(std::size_t) const { return 0; }
  template <class Start>
  void keep_axial(const Start&) {}
  void forget_electrodes() {}
};

/// A chain of nodes with a leak, two rows a node: inside, then outside.
class LayeredCable : public NothingElse {
 public:
  using Real = double;

  LayeredCable(const Cable& cable, double dt_ms, double implicit_steps)
      : cable_(cable),
        dt_ms_(dt_ms),
        implicit_ms_(dt_ms * implicit_steps),
        v_(2 * cable.nodes),
        x_(v_.size()),
        blocks_(cable.nodes) {
    for (std::size_t n = 0; n < cable.nodes; ++n) v_[2 * n] = cable.leak_mV;
  }

  double membrane_mV(std::size_t node) const { return v_[2 * node] - v_[2 * node + 1]; }
  double outside_mV(std::size_t node) const { return v_[2 * node + 1]; }
  int steps_advanced() const { return advanced_; }

  // As the page asks for.
  double time_ms(long long step) const { return static_cast<double>(step) * dt_ms_; }
  double middle_ms(long long step) const { return network::Boundaries{dt_ms_}.middle_ms(step); }
  double v(std::size_t row) const { return v_[row]; }
  double& x(std::size_t row) { return x_[row]; }
  template <class Body>
  void for_unknowns(const Body& body) {
    for (std::size_t row = 0; row < v_.size(); ++row) body(row);
  }
  void begin_rows(double, bool) {
    const Cable& c = cable_;
    const double membrane_uS = c.capacity_nF / implicit_ms_,
                 outside_uS = c.outside_nF / implicit_ms_;
    for (std::size_t n = 0; n < c.nodes; ++n) {
      const double neighbours = (n > 0 ? 1 : 0) + (n + 1 < c.nodes ? 1 : 0);
      blocks_[n] = {{{membrane_uS + neighbours * c.along_inside_uS, -membrane_uS},
                     {-membrane_uS, membrane_uS + outside_uS + c.to_ground_uS +
                                        neighbours * c.along_outside_uS}}};
      const double charge = membrane_uS * membrane_mV(n);
      x_[2 * n] = charge;
      x_[2 * n + 1] = outside_uS * outside_mV(n) - charge;
    }
    x_[0] += c.injected_nA;
  }
  /// A current through the membrane leaves one row and comes to the other.
  template <Turn turn>
  void add_currents(double, bool) {
    if (turn != Turn::density) return;
    const double g = cable_.leak_uS;
    for (std::size_t n = 0; n < cable_.nodes; ++n) {
      Block& block = blocks_[n];
      for (std::size_t i : {0, 1})
        for (std::size_t j : {0, 1}) block[i][j] += i == j ? g : -g;
      x_[2 * n] += g * cable_.leak_mV;
      x_[2 * n + 1] -= g * cable_.leak_mV;
    }
  }
  /// Blocks of two, from the last node up and back down.
  bool solve_rows() {
    const std::array<double, 2> along = {cable_.along_inside_uS, cable_.along_outside_uS};
    for (std::size_t n = cable_.nodes; n-- > 1;) {
      const Block inverse = inverse_of(blocks_[n]);
      for (std::size_t i : {0, 1})
        for (std::size_t j : {0, 1}) {
          blocks_[n - 1][i][j] -= along[i] * inverse[i][j] * along[j];
          x_[2 * (n - 1) + i] += along[i] * inverse[i][j] * x_[2 * n + j];
        }
    }
    for (std::size_t n = 0; n < cable_.nodes; ++n) {
      std::array<double, 2> right = {x_[2 * n], x_[2 * n + 1]};
      if (n > 0)
        for (std::size_t i : {0, 1}) right[i] += along[i] * x_[2 * (n - 1) + i];
      const Block inverse = inverse_of(blocks_[n]);
      for (std::size_t i : {0, 1})
        x_[2 * n + i] = inverse[i][0] * right[0] + inverse[i][1] * right[1];
    }
    return true;
  }
  void take_voltages(bool) { std::swap(v_, x_); }
  template <Turn turn>
  void advance(double, long long) {
    if (turn == Turn::density) ++advanced_;
  }

 private:
  static Block inverse_of(const Block& a) {
    const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return {{{a[1][1] / determinant, -a[0][1] / determinant},
             {-a[1][0] / determinant, a[0][0] / determinant}}};
  }

  const Cable& cable_;
  double dt_ms_, implicit_ms_;
  std::vector<double> v_, x_;  ///< [row]
  std::vector<Block> blocks_;  ///< [node]
  int advanced_ = 0;
};

constexpr Cable twelve_nodes{.nodes = 12,
                             .capacity_nF = 0.01,
                             .leak_uS = 0.001,
                             .leak_mV = -65,
                             .along_inside_uS = 0.05,
                             .outside_nF = 0.002,
                             .to_ground_uS = 0.02,
                             .along_outside_uS = 0.08,
                             .injected_nA = 0.2};

template <class Integrator>
LayeredCable run(const Cable& cable, double dt_ms, double duration_ms) {
  LayeredCable cells(cable, dt_ms, Integrator::implicit_steps);
  const auto steps = static_cast<long long>(std::lround(duration_ms / dt_ms));
  for (long long step = 0; step < steps; ++step)
    EXPECT_TRUE(step::take_step<Integrator>(cells, step));
  EXPECT_EQ(cells.steps_advanced(), steps);
  return cells;
}

/// Inside, all current that is injected leaves through membranes, and to ground from there.
TEST(TwoUnknowns, WhatIsInjectedFlowsToGround) {
  const LayeredCable cells = run<step::BackwardEuler>(twelve_nodes, 0.025, 400);
  double through_nA = 0, to_ground_nA = 0;
  for (std::size_t n = 0; n < twelve_nodes.nodes; ++n) {
    through_nA += twelve_nodes.leak_uS * (cells.membrane_mV(n) - twelve_nodes.leak_mV);
    to_ground_nA += twelve_nodes.to_ground_uS * cells.outside_mV(n);
  }
  EXPECT_NEAR(through_nA, twelve_nodes.injected_nA, 1e-9);
  EXPECT_NEAR(to_ground_nA, twelve_nodes.injected_nA, 1e-9);
  EXPECT_GT(cells.outside_mV(0), cells.outside_mV(twelve_nodes.nodes - 1));
}

/// Where the outside is grounded well the potential there vanishes, and what is left is a
/// cable.
TEST(TwoUnknowns, AGroundedLayerIsNone) {
  Cable grounded = twelve_nodes;
  grounded.to_ground_uS = 1e9;
  const LayeredCable cells = run<step::BackwardEuler>(grounded, 0.025, 10);
  Cable alone = grounded;
  alone.nodes = 1;
  alone.injected_nA = 0.05;
  const LayeredCable one = run<step::BackwardEuler>(alone, 0.025, 400);
  EXPECT_NEAR(one.membrane_mV(0), alone.leak_mV + 0.05 / alone.leak_uS, 1e-6);
  EXPECT_NEAR(cells.outside_mV(0), 0, 1e-8);
}

template <class Integrator>
double error_at(double dt_ms) {
  constexpr double duration_ms = 2;
  static const LayeredCable exact = run<step::CrankNicolson>(twelve_nodes, 1.0 / 4096, duration_ms);
  const LayeredCable cells = run<Integrator>(twelve_nodes, dt_ms, duration_ms);
  return std::abs(cells.membrane_mV(0) - exact.membrane_mV(0));
}

/// Both integrators have their order in both unknowns.
TEST(TwoUnknowns, IntegratorsHaveTheirOrder) {
  const double first =
      error_at<step::BackwardEuler>(1.0 / 32) / error_at<step::BackwardEuler>(1.0 / 64);
  const double second =
      error_at<step::CrankNicolson>(1.0 / 32) / error_at<step::CrankNicolson>(1.0 / 64);
  EXPECT_NEAR(std::log2(first), 1, 0.1);
  EXPECT_NEAR(std::log2(second), 2, 0.1);
}

}  // namespace
}  // namespace hillock::simulator
