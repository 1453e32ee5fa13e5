#pragma once
// Nodes as populations of the model: one for all nodes of a type that are the same cell.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/cells.hpp"
#include "io/circuit/origins.hpp"

namespace hillock::io::circuit {

/// A population of the model.
struct CellGroup {
  std::string name;
  std::size_t nodes = 0;            ///< which population of nodes it is of
  std::vector<std::uint32_t> rows;  ///< [cell] the node
  CellText cell;
};

/// What the model's text will hold.
struct ModelParts {
  SectionText cells, populations, projections, stimuli, record;
  Names population_names, projection_names, input_files, record_names;
  /// [group of virtual nodes] a population whose cells spike a step before these do, for edges
  /// along which spikes arrive within the step in which they are sent.
  std::map<std::uint32_t, std::string> early;
  std::map<std::string, std::string> files;
  Origins origins;  ///< of the files; the sections know theirs
};

/// The population `early` of a group, which is made where there is none.
const std::string& early_population(ModelParts& model, const std::vector<CellGroup>& groups,
                                    std::uint32_t group);

/// Adds cells and populations to the model, and to the nodes what they became. Nothing after an
/// error of theirs.
std::optional<std::vector<CellGroup>> make_populations(Nodes& nodes, CellTexts& texts,
                                                       const std::string& data_folder,
                                                       ModelParts& model, Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
