#pragma once
// Inputs of a simulation as stimuli of the model.

#include "io/circuit/node_sets.hpp"
#include "io/circuit/populations.hpp"

namespace hillock::io::circuit {

/// What inputs and reports are made for.
struct Wiring {
  const Config& config;
  const Nodes& nodes;
  const NodeSets& sets;
  const std::vector<CellGroup>& groups;
  std::filesystem::path column_reader;
  const std::string& data_folder;
};

/// Adds a stimulus for each input and population of the model. What is wrong is reported.
void make_stimuli(const Wiring& wiring, ModelParts& model, Diagnostics& diagnostics);

/// Reports the files of inputs that cannot be opened.
void check_input_files(const Config& config, Diagnostics& diagnostics);

/// Adds what a simulation reports: spikes of all nodes that are not virtual, and its reports; those
/// that nobody makes here are left out, with a warning.
void make_records(const Wiring& wiring, ModelParts& model, Diagnostics& diagnostics);

/// A new name of a table of an input. name: what to call it after.
std::string input_file(ModelParts& model, const Wiring& wiring, const std::string& name);

/// [group] the cells that a choice of nodes became, rising.
std::map<std::uint32_t, std::vector<std::uint32_t>> cells_of(const Wiring& wiring,
                                                             const NodeChoice& choice);
/// Runs [begin, end) of rising numbers.
std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of(
    const std::vector<std::uint32_t>& numbers);
/// "exc[0:10]" in quotes, or "exc" where these are all.
std::string slice_text(const CellGroup& group, const std::pair<std::uint32_t, std::uint32_t>& run);
/// Those of a choice's cells that have a shape.
std::vector<std::string> slices_with_shapes(const Wiring& wiring, const NodeChoice& choice);

}  // namespace hillock::io::circuit
