#pragma once
// A YAML document as a tree of our own: every node knows its place, and nothing is converted.
// Scalars stay text, so 010, .nan and 1e400 are seen as they were written.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/errors/place.hpp"

namespace hillock::io {

/// A text that nodes come from.
struct Source {
  std::string name;                 ///< as messages show it
  std::filesystem::path directory;  ///< where the paths in it start from
  std::string_view text;            ///< kept by whoever keeps the source
};

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// One node. Aliases share the node of their anchor.
struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Entry {
    std::string key;
    int line = 0;
    int column = 0;
    const Source* source = nullptr;
    NodePtr value;

    Place place() const { return {source->name, line, column}; }
  };

  Kind kind = Kind::null;
  bool quoted = false;
  bool has_base_unit = false;  ///< of a number without a unit, by an Override
  int depth = 1;               ///< levels below and with this node, aliases followed
  int line = 0;                ///< from 1; 0 when unknown
  int column = 0;
  const Source* source = nullptr;
  std::uint64_t weight = 1;  ///< nodes below and with this one, aliases followed
  std::string scalar;
  std::vector<NodePtr> items;
  std::vector<Entry> entries;

  Place place() const { return {source->name, line, column}; }
  /// The place of byte `offset` of the scalar where that can be told, else the node's place.
  Place place_inside(std::size_t offset) const;
  const Node* find(std::string_view key) const;
  Entry* find_entry(std::string_view key);
};

/// Parses the one document of `source`, which must outlive the tree. Problems go to `diagnostics`:
/// text that is not UTF-8, syntax errors, duplicate keys, tags, merge keys, several documents,
/// nesting beyond 200 levels, aliases that expand beyond two million nodes. Returns nothing when
/// there is no tree to use.
NodePtr parse_yaml(const Source& source, Diagnostics& diagnostics);

}  // namespace hillock::io
