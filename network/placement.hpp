#pragma once
// Which rank has which cell.

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "models/network.hpp"

namespace hillock::network {

/// Cells begin, begin + stride, … below `end` of one population.
struct CellSet {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t stride = 1;

  std::uint64_t size() const { return begin < end ? (end - begin - 1) / stride + 1 : 0; }
  /// The i-th of them.
  std::uint64_t operator[](std::uint64_t i) const { return begin + i * stride; }
  bool contains(std::uint64_t cell) const {
    return cell >= begin && cell < end && (cell - begin) % stride == 0;
  }
  /// How many of them lie before a cell: of one that is there its place.
  std::uint64_t before(std::uint64_t cell) const;
  /// Those in [first, last).
  CellSet within(std::uint64_t first, std::uint64_t last) const;
};

/// Cells of one population, up to the next of these, that take about the same time.
struct CellCost {
  std::uint64_t end = 0;   ///< the first that is no longer of them
  std::uint64_t cost = 1;  ///< of one cell, in any unit, below 2^40
};

/// [population] by rising ends, to the population's.
using CellCosts = std::vector<std::vector<CellCost>>;

/// All cells of a network among ranks. A rank's cells are told in no more memory than costs take.
class Placement {
 public:
  /// costs: for PlacementKind::cost; left out, all cells cost the same. 0 ≤ rank < ranks.
  Placement(const models::Network& network, models::PlacementKind kind, int rank, int ranks,
            CellCosts costs = {});
  virtual ~Placement() = default;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  models::PlacementKind kind() const { return kind_; }
  /// This rank's part of a population.
  CellSet cells_of(PopulationId population) const { return cells_of(population, rank_); }
  virtual CellSet cells_of(PopulationId population, int rank) const;
  /// Who has a cell of a population.
  virtual int rank_of(PopulationId population, std::uint64_t cell) const;

 protected:
  std::uint64_t size_of(PopulationId population) const { return parts_[population.value].size; }
  /// One rank alone, whose cells cells_of() says.
  Placement() : kind_(models::PlacementKind::blocks), rank_(0), ranks_(1) {}

 private:
  __extension__ using Wide = unsigned __int128;

  /// Like cells that stand side by side, all populations in a row.
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t cost = 1;
    Wide before = 0;  ///< what all cells before cost
  };
  struct Part {
    std::uint64_t size = 0;
    std::uint64_t before = 0;        ///< cells of the populations before
    std::vector<Stretch> stretches;  ///< for PlacementKind::cost
  };

  std::uint64_t begin_of_block(const Part& part, std::uint64_t rank) const;
  std::uint64_t begin_by_cost(const Part& part, std::uint64_t rank) const;
  std::uint64_t begin_of(const Part& part, std::uint64_t rank) const;

  models::PlacementKind kind_;
  int rank_, ranks_;
  std::vector<Part> parts_;  ///< [population]
  Wide cost_ = 0;            ///< of all cells
};

/// One rank has all cells.
class AllHere final : public Placement {
 public:
  explicit AllHere(const models::Network& network)
      : Placement(network, models::PlacementKind::blocks, 0, 1) {}
};

}  // namespace hillock::network
