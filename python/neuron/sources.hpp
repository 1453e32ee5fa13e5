// Sources of spikes as NEURON lists them.

#pragma once

#include <cstddef>
#include <map>

namespace of_hillock {

/// A number for a source, and for all that NEURON looks at beside it, by which they are in the
/// order in which it does; 0 of one that is looked at by nobody, as an artificial cell.
void add_in_order(void* source, std::map<const void*, std::size_t>& order);

}  // namespace of_hillock
