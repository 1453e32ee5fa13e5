#pragma once
// Which cells are this rank's.

#include <cstdint>

#include "core/ids.hpp"
#include "models/network.hpp"

namespace hillock::network {

/// Cells [begin, end) of a population.
struct CellSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
};

class Placement {
 public:
  virtual ~Placement() = default;
  /// This rank's part of a population.
  virtual CellSpan cells_of(PopulationId population) const = 0;
};

/// One rank has all cells.
class AllHere final : public Placement {
 public:
  explicit AllHere(const models::Network& network) : network_(network) {}
  CellSpan cells_of(PopulationId population) const override {
    return {0, network_.populations[population.value].size};
  }

 private:
  const models::Network& network_;
};

}  // namespace hillock::network
