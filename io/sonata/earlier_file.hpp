#pragma once
// Private: a file that an earlier run left, of which a resumed one keeps the beginning.

#include <filesystem>
#include <span>
#include <string>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/sonata/sonata.hpp"

namespace hillock::io {

class EarlierFile {
 public:
  /// Opens <name>.partial or, where the run ended before it was over, <name>. Throws
  /// InputOutputError, also when it is of another model.
  EarlierFile(const std::filesystem::path& directory, const std::string& name,
              const Provenance& provenance);

  /// The first dimension's rows [begin, begin + count) of a dataset, as values of `type`.
  void read(const std::string& dataset, hid_t type, hsize_t begin, hsize_t count,
            void* values) const;
  /// Throws InputOutputError where a dataset has fewer rows, or not so many columns; columns: 0 of
  /// one without a second dimension.
  void need(const std::string& dataset, hsize_t rows, hsize_t columns) const;
  /// Throws InputOutputError where what was read of it is not what was kept.
  void see_that_same(const std::string& dataset, const KeptRows& read, const KeptRows& kept) const;

 private:
  [[noreturn]] void fail(const std::string& problem) const;

  std::filesystem::path path_;
  hdf5::Handle file_;
};

}  // namespace hillock::io
