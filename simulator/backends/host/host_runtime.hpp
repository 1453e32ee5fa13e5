#pragma once
// What was launched of the grids whose blocks wait for one another.

namespace on_host {

struct TogetherCounts {
  unsigned blocks = 0;     ///< of the last one
  unsigned apart = 0;      ///< some warps of each block pass spikes while others advance neurons
  unsigned all_warps = 0;  ///< all do the one and then the other
};
TogetherCounts counts_together();

}  // namespace on_host
