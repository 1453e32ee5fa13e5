#pragma once
// The types of nodes or edges: a CSV file with spaces between fields and quotes around those that
// have some.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock::io::circuit {

class TypesTable {
 public:
  struct Value {
    std::string text;
    Place place;
  };

  /// id_column: "node_type_id". Nothing after an error.
  static std::optional<TypesTable> read(const std::filesystem::path& path,
                                        const std::string& id_column, const Place& named_at,
                                        Diagnostics& diagnostics);

  bool has(std::uint64_t type) const { return rows_.contains(type); }
  bool has_column(const std::string& column) const;
  /// Null where the type has none (NULL, NONE, nothing).
  const Value* find(std::uint64_t type, const std::string& column) const;
  Place place(std::uint64_t type) const;
  const std::string& file() const { return file_; }

 private:
  struct Row {
    int line = 0;
    std::map<std::string, Value> values;
  };
  std::string file_;
  std::vector<std::string> columns_;
  std::map<std::uint64_t, Row> rows_;
};

}  // namespace hillock::io::circuit
