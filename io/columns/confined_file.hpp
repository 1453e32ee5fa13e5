#pragma once
// An HDF5 file that may come from anybody, of any size, read part by part by a confined program
// (docs/decisions/0011): names in groups, texts, arrays of numbers of one or two dimensions.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program/whole_file.hpp"
#include "io/columns/data_file.hpp"

namespace hillock::io {

/// Only what lies in the file itself is read; what a name leads to may lie in another file. A
/// reader that fails is an InputOutputError, too, after which nothing more can be asked: each
/// question is such an error. Not thread-safe.
class ConfinedFile final : public DataFile {
 public:
  /// reader: the program hillock-read-columns; empty: where read_hdf5_columns() looks for it.
  /// Throws InputOutputError, also where the file is no regular one.
  explicit ConfinedFile(const std::filesystem::path& file,
                        const std::filesystem::path& reader = {});
  /// A file that comes in blocks, all of which are read; shown: how messages name it. Throws what
  /// the blocks throw, too.
  ConfinedFile(Blocks& file, const std::string& shown, const std::filesystem::path& reader = {});
  ~ConfinedFile() override;
  ConfinedFile(ConfinedFile&&) noexcept;
  ConfinedFile& operator=(ConfinedFile&&) noexcept;

  const std::filesystem::path& path() const override;
  std::vector<std::string> children(const std::string& group) override;
  std::optional<Extent> extent(const std::string& dataset) override;
  std::vector<double> numbers(const std::string& dataset, const Extent& begin,
                              const Extent& count) override;
  std::vector<std::string> texts(const std::string& dataset) override;
  /// Of an attribute of an object, or of a dataset of texts where no attribute is named.
  std::vector<std::string> texts(const std::string& object, const std::string& attribute);
  /// Of an attribute that has one number; nothing where there is none.
  std::optional<double> number(const std::string& object, const std::string& attribute);
  /// The first of the texts, or empty.
  std::string text(const std::string& object, const std::string& attribute);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hillock::io
