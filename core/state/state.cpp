#include "core/state/state.hpp"

namespace hillock {

CellOffsets::CellOffsets(const CellCounts& counts) : counts_(&counts) {
  if (counts.is_one()) {
    all_ = counts.size() * counts.one();
    return;
  }
  every_.reserve(counts.size() / apart + 1);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (c % apart == 0) every_.push_back(all_);
    all_ += counts[c];
  }
}

}  // namespace hillock
