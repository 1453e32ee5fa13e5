#pragma once
// An HDF5 file that may come from anybody, of any size, read part by part by a confined program
// (docs/decisions/0011): names in groups, texts, arrays of numbers of one or two dimensions.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program/whole_file.hpp"

namespace hillock::io {

/// Rows and columns; what has one dimension has one column.
using Extent = std::array<std::uint64_t, 2>;

/// Only what lies in the file itself is read. What is not there is nothing; what is there and
/// cannot be read is an InputOutputError with the file's name. So is a reader that fails, after
/// which nothing more can be asked: each question is such an error. Not thread-safe.
class ConfinedFile {
 public:
  /// reader: the program hillock-read-columns; empty: where read_hdf5_columns() looks for it.
  /// Throws InputOutputError, also where the file is no regular one.
  explicit ConfinedFile(const std::filesystem::path& file,
                        const std::filesystem::path& reader = {});
  /// A file that comes in blocks, all of which are read; shown: how messages name it. Throws what
  /// the blocks throw, too.
  ConfinedFile(Blocks& file, const std::string& shown, const std::filesystem::path& reader = {});
  ~ConfinedFile();
  ConfinedFile(ConfinedFile&&) noexcept;
  ConfinedFile& operator=(ConfinedFile&&) noexcept;

  const std::filesystem::path& path() const;

  /// The names in a group, in the order of their bytes. What they lead to may lie in another file,
  /// and is not read then.
  std::vector<std::string> children(const std::string& group);
  std::optional<Extent> extent(const std::string& dataset);
  /// [count[0] × count[1]] from row begin[0] and column begin[1] on, all of which must be there.
  std::vector<double> numbers(const std::string& dataset, const Extent& begin, const Extent& count);
  /// All of a one-dimensional dataset of at most so many numbers; nothing where there is none.
  std::optional<std::vector<double>> column(const std::string& dataset, std::uint64_t most);
  /// Of an attribute of an object, or of a dataset of texts where no attribute is named.
  std::vector<std::string> texts(const std::string& object, const std::string& attribute = "");
  /// Of an attribute that has one number; nothing where there is none.
  std::optional<double> number(const std::string& object, const std::string& attribute);
  /// The first of the texts, or empty.
  std::string text(const std::string& object, const std::string& attribute);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hillock::io
