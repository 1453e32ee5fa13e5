#pragma once
// The spots of a network's wiring, cell by cell.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/network.hpp"
#include "simulator/plan/range/range_draft.hpp"
#include "solver/wiring.hpp"

namespace hillock::simulator {

/// Unknowns are spots in the order of their cells. Throws InvalidModel where the network has what
/// cannot be beside a wiring.
class WiredCells {
 public:
  /// The network must have a wiring, and outlive this.
  explicit WiredCells(const models::Network& network);

  const solver::WiringEquations& equations() const { return equations_; }
  /// [unknown] b during a step, of whose middle that is the time.
  void find_sources(double now_ms, std::span<double> sources) const;
  /// The population, by name, and the cell of an unknown.
  std::pair<std::string, std::uint64_t> cell_of(std::size_t unknown) const;

  /// Puts the spots of the draft's current cell into its plan. Throws InvalidModel.
  void add_to_cell(RangeDraft& draft) const;

 private:
  struct Played {
    std::uint32_t unknown = 0;
    const models::Waveform* table = nullptr;
  };

  void leave_to_cells();

  const models::Network& network_;
  std::vector<std::uint32_t> spot_of_;  ///< [unknown]
  std::vector<CellId> cells_;           ///< with spots, rising
  solver::WiringEquations equations_;
  std::vector<double> ground_uS_;  ///< [unknown] what its cell's own matrix has of the wiring
  std::vector<double> sources_;
  std::vector<Played> played_;
};

}  // namespace hillock::simulator
