#pragma once
// The graph of calls between blocks.

#include <vector>

#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

/// All blocks, callees before callers; fills BlockFacts::callers. Empty after reporting recursion.
std::vector<int> order_of_calls(Analysis& analysis);

/// Fills BlockFacts::reached.
void mark_reached(Module& module);

}  // namespace hillock::nmodl
