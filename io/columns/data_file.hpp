#pragma once
// What arrays a model names: in an HDF5 file, or held in memory.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hillock::io {

/// Rows and columns; what has one dimension has one column.
using Extent = std::array<std::uint64_t, 2>;

/// How many rows of so many numbers there are, of one dimension one; nothing where rows are of
/// another length.
inline std::optional<std::uint64_t> rows_of(const Extent& extent, std::uint64_t width) {
  if (extent[1] == 1 && extent[0] == width) return 1;
  return extent[1] == width ? std::optional(extent[0]) : std::nullopt;
}

/// The most numbers of a dataset with a row for each cell.
inline constexpr std::uint64_t most_numbers_by_cell = 50'000'000;

/// Arrays of numbers of one or two dimensions, and texts, in groups. What is not there is nothing;
/// what is there and cannot be read is an InputOutputError with the file's name.
class DataFile {
 public:
  virtual ~DataFile() = default;

  /// How messages name it.
  virtual const std::filesystem::path& path() const = 0;
  /// The names in a group, in the order of their bytes.
  virtual std::vector<std::string> children(const std::string& group) = 0;
  virtual std::optional<Extent> extent(const std::string& dataset) = 0;
  /// [count[0] × count[1]] from row begin[0] and column begin[1] on, all of which must be there.
  virtual std::vector<double> numbers(const std::string& dataset, const Extent& begin,
                                      const Extent& count) = 0;
  /// Of a dataset of texts; none where there is none.
  virtual std::vector<std::string> texts(const std::string& dataset) = 0;

  /// All of a one-dimensional dataset of at most so many numbers; nothing where there is none.
  std::optional<std::vector<double>> column(const std::string& dataset, std::uint64_t most);
};

}  // namespace hillock::io
