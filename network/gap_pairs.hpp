#pragma once
// The gap junctions of a network as their rules draw them: which of their ends are on cells of
// this rank, and in what order values go from one end to the other.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "network/connectivity.hpp"

namespace hillock::network {

/// A junction: one pair that its projection's rule drew.
struct GapPair {
  std::uint32_t projection = 0;
  std::uint32_t k = 0;       ///< counts the junctions of one (source, target) pair
  std::uint64_t number = 0;  ///< among the projection's, in the order (target, source, k)
  std::uint64_t source = 0;  ///< in its population
  std::uint64_t target = 0;  ///< in its population
  CellId source_id, target_id;
  /// The row of a list that gives it, where rows say more than cells; else 0.
  std::uint32_t row = 0;

  Connection connection() const { return {source, target, k}; }
};

enum class GapSide : std::uint8_t { source, target };

/// The end of a junction on a cell of this rank.
struct GapEnd {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  CellId cell;
  std::uint32_t pair = 0;  ///< into GapTable::pairs()
  GapSide side = GapSide::source;
  std::uint32_t publishes = none;  ///< which of the rank's values is its own
  std::uint32_t reads = none;      ///< which of the rank's values is its peer's
};

/// The values of gap junctions that a rank has, numbered in three parts: those from one of its
/// cells to another, those that leave for other ranks, and those that come from there. Each part is
/// ordered by (projection, number of the pair, side of the giver), so those that go from one rank
/// to another stand in the same order on both.
struct GapValues {
  std::size_t own = 0;              ///< how many stay here
  std::vector<CellId> leaving_to;   ///< [leaving] the cell that reads it
  std::vector<CellId> coming_from;  ///< [coming] the cell whose it is

  std::size_t published() const { return own + leaving_to.size(); }
  std::size_t size() const { return published() + coming_from.size(); }
  /// The part of an array of all, [size()].
  template <class T>
  std::span<T> leaving(std::span<T> all) const {
    return all.subspan(own, leaving_to.size());
  }
  template <class T>
  std::span<T> coming(std::span<T> all) const {
    return all.subspan(published());
  }
};

/// Every rank draws all pairs of all projections with gap junctions, and keeps those that have an
/// end on one of its cells: pair_bytes each.
class GapTable {
 public:
  /// What one pair takes with both ends while cells are made, with what the lists in which pairs
  /// are drawn leave of themselves in the process.
  static constexpr std::size_t pair_bytes =
      sizeof(GapPair) + 2 * sizeof(GapEnd) + sizeof(GapPair) / 4;

  using IsHere = std::function<bool(PopulationId population, std::uint64_t cell)>;

  /// connectors: [projection] of those that are gap junctions; others are not looked at. Throws
  /// std::length_error beyond 2^31 junctions on a rank.
  GapTable(const models::Network& network,
           std::span<const std::unique_ptr<const Connector>> connectors, const IsHere& is_here,
           const Runner& run = one_by_one);

  /// How many there are on all ranks.
  std::uint64_t drawn() const { return drawn_; }
  /// With an end here, by (projection, number).
  const std::vector<GapPair>& pairs() const { return pairs_; }
  /// A cell's, by (projection, number, side).
  std::span<const GapEnd> ends_of(CellId cell) const;
  const GapValues& values() const { return values_; }
  /// For who keeps them: the table has none afterwards.
  GapValues take_values() { return std::move(values_); }

 private:
  void draw(const models::Network& network, const Connector& connector, const IsHere& is_here,
            const Runner& run);
  void make_ends(const models::Network& network, const IsHere& is_here);

  std::uint64_t drawn_ = 0;
  std::vector<GapPair> pairs_;
  std::vector<GapEnd> ends_;  ///< by cell
  GapValues values_;
};

/// Whether some projection of a network is made of gap junctions.
bool has_gap_junctions(const models::Network& network);
/// Whether some of them read other variables than voltages.
bool has_variables_in_gaps(const models::Network& network);

}  // namespace hillock::network
