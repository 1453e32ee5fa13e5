#pragma once
// The cells of a model on its page: shapes, and where on them mechanisms, synapses, stimuli and
// recordings are.

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"
#include "models/network.hpp"

namespace hillock::session {

/// One item a kind of cell that has a shape. Throws InvalidModel where a place is nowhere.
io::Json cells_in(const models::Network& network, io::page::Blobs& blobs);

}  // namespace hillock::session
