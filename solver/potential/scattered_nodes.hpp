#pragma once
// A number between nodes that lie anywhere: linear on the tetrahedra of Delaunay's triangulation,
// of which only those are made that somebody asks for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace hillock::solver {

using Place = std::array<double, 3>;

/// Which tetrahedron a place is in is found by walking there from the first one: over the face that
/// the place is farthest beyond, to the node on its other side whose sphere through the face is
/// empty. So no answer depends on the questions before. Nodes that lie on one sphere, as those of a
/// grid, have many such triangulations: for the choice of tetrahedra, and for that alone, every
/// node is moved a little, as its number says.
class ScatteredNodes {
 public:
  /// nodes: must outlive this.
  explicit ScatteredNodes(std::span<const Place> nodes);

  /// Of a place the nodes around it, and how much of it is each; nothing outside of all nodes. Of
  /// nodes in a plane, or fewer than four, all places are outside.
  struct Weights {
    std::array<std::size_t, 4> nodes{};
    std::array<double, 4> of{};
  };
  std::optional<Weights> around(const Place& place);
  /// The node that is nearest, of several that are so the first.
  std::size_t nearest(const Place& place) const;

 private:
  using Corners = std::array<std::uint32_t, 4>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void make_first();
  std::uint32_t beyond(const Corners& corners, std::size_t dropped);
  std::uint32_t find_beyond(const std::array<std::uint32_t, 3>& face, bool flips) const;
  struct Found {
    Weights weights;
    bool is_flat = false;  ///< a tetrahedron only since its nodes were moved
  };
  std::optional<Found> find_around(const Place& place);

  std::span<const Place> nodes_;
  Place middle_{};
  std::vector<Place> moved_;
  std::optional<Corners> first_;
  /// By a face's corners, which rise, and the one behind it.
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> known_;
};

}  // namespace hillock::solver
