#pragma once
// Of runs that begin again and again with other strengths of a field.

#include <cstdint>
#include <span>

namespace hillock::simulator {

/// How much more of one field cells feel than the model says.
struct FieldFactors {
  std::uint32_t stimulus = 0;        ///< of the model
  std::span<const double> of_cells;  ///< [copy][cell of its population]
};

/// How many of each cell an engine is to have (Engine::copies()).
struct Copies {
  int wanted = 1;  ///< 0: as many as it runs side by side, up to `most`
  int most = 1;
};

}  // namespace hillock::simulator
