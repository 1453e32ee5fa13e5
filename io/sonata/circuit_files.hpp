#pragma once
// Writes a network as files of a SONATA circuit: nodes and edges with their types, and the
// configuration that names them. Units are SONATA's: um, uS, ms.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/sonata/sonata.hpp"

namespace hillock::io {

/// A table of types: a CSV file with spaces between columns, as the format has it.
struct TypesTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< [row][column]; an empty text is NULL
};

/// One population of nodes. Columns have one length.
struct CircuitNodes {
  std::string population;
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> types;  ///< rows of the table of types, by node_type_id
  std::vector<double> x_um, y_um, z_um;
};

/// One population of edges. Columns have one length.
struct CircuitEdges {
  std::string population;
  std::string source_nodes, target_nodes;        ///< populations
  std::uint64_t source_end = 0, target_end = 0;  ///< one more than the largest ids of these
  std::int64_t type_id = 0;
  std::vector<std::uint64_t> sources, targets;  ///< ids
  /// Columns of the edges' group, by SONATA's names: syn_weight, delay, afferent_section_pos, …
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::uint32_t>> counts;  ///< afferent_section_id, …
};

/// The table's text.
std::string csv_of(const TypesTable& table);

/// nodes.h5 and edges.h5 of one folder, which appear when they are whole.
class CircuitFiles {
 public:
  /// The folder must be there. provenance: of the model, for the files' roots.
  CircuitFiles(const std::filesystem::path& folder, const Provenance& provenance);
  ~CircuitFiles();
  CircuitFiles(const CircuitFiles&) = delete;
  CircuitFiles& operator=(const CircuitFiles&) = delete;

  void add(const CircuitNodes& nodes);
  void add(const CircuitEdges& edges);
  /// Throws InputOutputError, as all of these.
  void finish();

  static constexpr const char* nodes_name = "nodes.h5";
  static constexpr const char* edges_name = "edges.h5";

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace hillock::io
