#pragma once
// JSON files of a circuit as trees whose nodes know their places. JSON is read as the YAML that it
// is.

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "io/yaml/item.hpp"

namespace hillock::io::circuit {

/// Keeps what it has read: items point into it.
class JsonFiles {
 public:
  explicit JsonFiles(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The root of a file that is named at `named_at`; nothing after an error.
  std::optional<Item> read(const std::filesystem::path& path, const Place& named_at);
  /// The same, of which the tree may be changed.
  NodePtr read_tree(const std::filesystem::path& path, const Place& named_at);

  Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  struct File {
    std::string text;
    Source source;
    NodePtr root;
  };
  Diagnostics& diagnostics_;
  std::deque<File> files_;
};

/// A number without a unit; nothing after an error.
std::optional<double> number_of(const Item& item);
/// The number that a map has under a key, or an error.
std::optional<double> require_number(const Item& map, const std::string& key);
/// The same, or another where there is none.
std::optional<double> number_or(const Item& map, const std::string& key, double otherwise);
/// The number of a text, if it is one and finite.
std::optional<double> number_in(const std::string& text);
/// What a map has under a key, if it has it and it is not null.
std::optional<Item> find(const Item& map, const std::string& key);
/// The same where it has to be there: an error otherwise.
std::optional<Item> require(const Item& map, const std::string& key);
/// Warns of a map's keys that are not among those given and look like one of them; others are
/// other programs' business.
void warn_of_misspelt(const Item& map, const std::vector<std::string>& known);
/// Reads the file that an item names: where it cannot be read, that is told there.
template <class Read>
void read_named(const Item& named, const Read& read) {
  try {
    read();
  } catch (const InputOutputError& error) {
    named.error(error.what());
  }
}
/// A list's entries, or the one thing that stands in its place.
std::vector<Item> each_of(const Item& item);

}  // namespace hillock::io::circuit
