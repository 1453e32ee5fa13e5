#pragma once
// A node on its way to meaning: what it is called in messages, and checked access to its content.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/yaml/yaml_node.hpp"

namespace hillock::io {

/// A node with its path, "cells.pyr.regions.soma.cm". Every reader reports a problem once, at the
/// node's place, and then returns nothing.
class Item {
 public:
  Item(const Node& node, std::string path, Diagnostics& diagnostics)
      : node_(&node), path_(std::move(path)), diagnostics_(&diagnostics) {}

  const Node& node() const { return *node_; }
  const std::string& path() const { return path_; }
  /// The last part of the path: "cm".
  std::string name() const;
  Place place() const { return node_->place(); }
  Diagnostics& diagnostics() const { return *diagnostics_; }

  bool is_null() const { return node_->kind == Node::Kind::null; }
  bool is_scalar() const { return node_->kind == Node::Kind::scalar; }
  bool is_list() const { return node_->kind == Node::Kind::list; }
  bool is_map() const { return node_->kind == Node::Kind::map; }

  void error(std::string_view problem) const { error_at(place(), problem); }
  void error_at(const Place& place, std::string_view problem) const;
  void warning(std::string_view problem) const;

  /// The text of a scalar. `what` says what is wanted, "a file name".
  std::optional<std::string> text(std::string_view what) const;
  std::optional<std::int64_t> whole_number(std::int64_t minimum, std::int64_t maximum) const;
  std::optional<bool> boolean() const;
  /// The entries of a list.
  std::optional<std::vector<Item>> list(std::string_view what) const;
  /// One of the words given, as its index. Suggests the nearest.
  std::optional<std::size_t> choice(const std::vector<std::string>& words) const;

  /// Reports that this node has the wrong form: "must be `what`, not a list".
  void wrong_form(std::string_view what) const;

 private:
  const Node* node_;
  std::string path_;
  Diagnostics* diagnostics_;
};

/// Keys of which a map must have one, each with what it stands for.
template <class Meaning>
using OneOf = std::vector<std::pair<std::string, Meaning>>;

/// The one that it has.
template <class Meaning>
struct Chosen {
  std::string key;
  Meaning meaning;
  Item item;
};

/// Reads a map's keys. The keys asked for are the known ones; finish() reports all others, and the
/// required ones that are missing.
class MapReader {
 public:
  /// `what` names the map in messages: "a population".
  MapReader(Item item, std::string what);

  /// False when the item is not a map (this was reported).
  bool is_map() const { return item_.is_map(); }
  const Item& item() const { return item_; }

  std::optional<Item> find(const std::string& key);
  std::optional<Item> require(const std::string& key);
  bool has(std::string_view key) const { return item_.node().find(key) != nullptr; }
  /// Makes a key known without reading it.
  void allow(const std::string& key) { known_.push_back(key); }

  /// Exactly one of `keys` must be there: its index. Reports none and several.
  std::optional<std::size_t> one_of(const std::vector<std::string>& keys);
  template <class Meaning>
  std::optional<Chosen<Meaning>> one_of(const OneOf<Meaning>& keys) {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : keys) names.push_back(name);
    const auto found = one_of(names);
    if (!found) return std::nullopt;
    return Chosen<Meaning>{names[*found], keys[*found].second, *find(names[*found])};
  }

  /// An item for any entry, known or not.
  Item child(const Node::Entry& entry) const;

  /// Reports unknown and missing keys. Returns false when it did.
  bool finish();

 private:
  /// "a model" where the message has no path that says so, else nothing.
  std::string subject() const;

  Item item_;
  std::string what_;
  std::vector<std::string> known_;
  std::vector<std::vector<std::string>> missing_;  ///< each: one of these keys is required
};

/// Why a number's text is refused although it could be read: octal, hexadecimal, not finite.
/// Empty when nothing is wrong.
std::string number_trap(std::string_view text);

}  // namespace hillock::io
