#pragma once
// What a model becomes, written as a SONATA circuit: cells with their positions, connections with
// their places, weights and delays, as a run would draw them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "simulator/session/loaded_model.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::session {

/// The files of an exported circuit.
std::vector<std::string> circuit_file_names();

struct ExportedCircuit {
  std::map<std::string, std::string> texts;  ///< by name, files to stand beside nodes.h5, edges.h5
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};

/// Writes nodes.h5 and edges.h5 into a folder that is there. A projection is a population of edges,
/// in memory as a whole (some 80 bytes a connection). Throws InvalidModel, InputOutputError.
ExportedCircuit export_circuit(const LoadedModel& model, const std::filesystem::path& folder,
                               simulator::Activity& activity);

}  // namespace hillock::session
