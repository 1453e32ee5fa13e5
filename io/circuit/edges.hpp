#pragma once
// Edges as projections of the model: one for all edges of a type between two of its populations.

#include "io/circuit/populations.hpp"
#include "io/circuit/synapses.hpp"

namespace hillock::io::circuit {

/// Reports the files of edges, and of their types, that cannot be read.
void check_edge_files(const Config& config, const std::filesystem::path& column_reader,
                      Diagnostics& diagnostics);

/// Adds a projection and a file of its connections for each. What is wrong is reported.
void make_projections(const Config& config, const std::filesystem::path& column_reader,
                      const Nodes& nodes, const std::vector<CellGroup>& groups, Synapses& synapses,
                      const std::string& data_folder, ModelParts& model, Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
