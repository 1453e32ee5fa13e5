#pragma once
// What a page shows of a model before it runs: its cells and populations, and what its
// connections come to.

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"
#include "simulator/command/process/loaded_model.hpp"

namespace hillock::command {

/// Weights and delays are those of a sample of a projection's connections, counts are what the
/// rules say. Throws InvalidModel where connections or places cannot be made.
io::Json view_of(const LoadedModel& model, io::page::Blobs& blobs);

}  // namespace hillock::command
