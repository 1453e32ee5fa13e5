#pragma once
// The populations of nodes of a circuit.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/circuit/config.hpp"
#include "io/circuit/elements.hpp"

namespace hillock::io::circuit {

/// A cell of the model: which population of it, and which of its cells.
struct CellOf {
  std::uint32_t group = 0;
  std::uint32_t cell = 0;
};

struct NodePopulation {
  std::string name;
  std::unique_ptr<Elements> elements;
  std::vector<std::uint64_t> ids;                       ///< [node]
  std::unordered_map<std::uint64_t, std::uint32_t> at;  ///< by id, the node
  std::vector<CellOf> cells;                            ///< [node] what it became
  std::uint64_t first_gid = 0;                          ///< bmtk counts through all populations
};

class Nodes {
 public:
  /// Reads all that the configuration names; nothing after an error.
  static std::optional<Nodes> read(const Config& config, const std::filesystem::path& column_reader,
                                   Diagnostics& diagnostics);

  std::deque<NodePopulation>& populations() { return populations_; }
  const std::deque<NodePopulation>& populations() const { return populations_; }
  /// Null where there is none of that name.
  const NodePopulation* find(const std::string& name) const;

 private:
  std::deque<NodePopulation> populations_;
};

/// Reads the file of types that stands beside an HDF5 file, if one does.
std::shared_ptr<const TypesTable> read_types(const Item& entry, const std::string& kind,
                                             Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
