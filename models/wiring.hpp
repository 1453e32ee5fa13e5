#pragma once
// Linear elements between places on cells, as electrodes, resistors and coils are.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/errors/place.hpp"
#include "core/ids.hpp"

namespace hillock::models {

/// C dy/dt + G y = b of all of them together. Each unknown lies at a place on a cell, whose voltage
/// inside it is: then its equation is that place's balance of currents, to which a row of C and G
/// adds what leaves the cell. Or it is `free`: its cell, of one compartment, only keeps it, and
/// the row is all of its equation.
struct Wiring {
  struct Spot {
    PopulationId population;
    std::uint64_t cell = 0;    ///< in the population
    std::uint32_t branch = 0;  ///< its number in the cell
    double position = 0;       ///< along the branch, 0 to 1
    /// 0: the voltage inside; else the potential in that extracellular layer, from the membrane
    /// outwards.
    std::uint32_t layer = 0;
    bool is_free = false;
    double source = 0;  ///< b, nA; of a free one in whatever unit its equation has
  };
  /// Elements of C and G.
  struct Term {
    std::uint32_t equation = 0, unknown = 0;  ///< into spots
    double capacitance_nF = 0, conductance_uS = 0;
  };
  /// A source that follows a table: (ms, value), times not falling; linear between rows, beyond
  /// them the first and the last.
  struct Played {
    std::uint32_t spot = 0;
    std::vector<std::pair<double, double>> table;
  };

  std::vector<Spot> spots;
  std::vector<Term> terms;
  std::vector<Played> played;
  Place place;
};

}  // namespace hillock::models
