#pragma once
// What the nodes of a population have, or the edges: a value that the HDF5 file gives to the
// element itself comes before that of its type.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/types_table.hpp"
#include "io/columns/confined_file.hpp"

namespace hillock::io::circuit {

/// A column of a group in the HDF5 file: of numbers or of texts.
struct GroupColumn {
  std::vector<double> numbers;  ///< [row × width]
  std::size_t width = 1;
  std::vector<std::string> texts;
  std::string problem;  ///< why it cannot be read; told to who asks for it

  std::size_t rows() const { return texts.empty() ? numbers.size() / width : texts.size(); }
};

class Attribute;

/// All nodes or edges of one population.
class Elements {
 public:
  /// path: of the population in the file, "/nodes/v1". kind: "node" or "edge". `types` may be null
  /// where no file gives them. Nothing after an error. Columns of groups are read when they are
  /// asked for, as far as elements have them. diagnostics: also told later, of attributes; must
  /// outlive this.
  static std::unique_ptr<Elements> read(std::shared_ptr<ConfinedFile> file, const std::string& path,
                                        const std::string& kind,
                                        std::shared_ptr<const TypesTable> types,
                                        Diagnostics& diagnostics);

  std::size_t size() const { return types_.size(); }
  std::uint64_t type(std::size_t element) const { return types_[element]; }
  std::uint32_t group(std::size_t element) const { return groups_.empty() ? 0 : groups_[element]; }
  /// Where the element's type stands.
  Place type_place(std::size_t element) const;
  /// The file, for what is wrong in it.
  Place place() const { return {file_, 0, 0}; }

  /// What elements have by this name. A column of it that cannot be read is an error.
  Attribute attribute(const std::string& name) const;
  /// Numbers, of which each element has `width`. A column of texts or of another width, and a
  /// type's text that is no number, are errors.
  Attribute numbers(const std::string& name, std::size_t width = 1) const;
  /// Whether the elements of a group have a column of this name, their own or of their types.
  bool has_column(std::uint32_t group, const std::string& name) const;
  /// Groups whose elements have parameters of their own, which nobody reads.
  const std::vector<std::string>& unread() const { return unread_; }

  /// A column of the population itself, "source_node_id", as whole numbers; nothing where there is
  /// none, or after an error.
  static std::optional<std::vector<std::uint64_t>> whole_numbers(ConfinedFile& file,
                                                                 const std::string& dataset,
                                                                 Diagnostics& diagnostics);

 private:
  friend class Attribute;
  void find_columns(std::uint32_t group);
  void count_rows();
  bool is_group(const std::string& object) const;
  const GroupColumn& column(std::uint32_t group, const std::string& name) const;
  GroupColumn read_column(std::uint32_t group, const std::string& name) const;
  void look_up_types(Attribute& attribute) const;
  std::string column_name(std::uint32_t group, const std::string& name) const;

  std::string file_;
  std::string kind_;
  std::string path_;
  std::vector<std::uint64_t> types_;
  std::vector<std::uint32_t> groups_, indices_;  ///< empty: all of group 0, in order
  /// A group of the HDF5 file.
  struct Group {
    std::uint64_t rows = 0;            ///< that elements have
    std::vector<std::string> library;  ///< columns whose numbers are places among texts
    std::map<std::string, std::optional<GroupColumn>> columns;  ///< nothing: not read yet
  };
  std::shared_ptr<ConfinedFile> source_;
  mutable std::map<std::uint32_t, Group> of_groups_;
  std::shared_ptr<const TypesTable> table_;
  std::vector<std::string> unread_;
  Diagnostics* diagnostics_ = nullptr;
};

/// One name, looked up once for all elements. The elements must outlive it.
class Attribute {
 public:
  struct Text {
    std::string text;
    Place place;
  };

  bool has(std::size_t element) const;
  /// A number, or the first of several; nothing where the element has none, or a text.
  std::optional<double> number(std::size_t element, std::size_t which = 0) const;
  std::optional<Text> text(std::size_t element) const;

 private:
  friend class Elements;
  const GroupColumn* column_of(std::size_t element) const;

  const Elements* elements_ = nullptr;
  std::string name_;
  std::vector<const GroupColumn*> columns_;  ///< [group]
  std::map<std::uint64_t, std::pair<Text, std::optional<double>>> of_types_;
};

}  // namespace hillock::io::circuit
