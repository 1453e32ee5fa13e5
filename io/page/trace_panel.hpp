#pragma once
// What a page shows of a report's columns over time: every sample where there is room, else the
// least and the greatest of so many neighbours. Made row by row, however many.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"

namespace hillock::io::page {

/// At most so many of so many columns, evenly spread; always with the first.
std::vector<std::size_t> spread_columns(std::size_t columns, std::size_t most);

class TracePanel {
 public:
  /// columns: of a row, those that are shown. most_values: that the page has room for.
  TracePanel(std::vector<std::size_t> columns, std::uint64_t rows, std::size_t most_values);

  /// The next rows, each of `width` columns.
  void add(std::span<const double> values, std::size_t width);

  const std::vector<std::size_t>& columns() const { return columns_; }
  std::uint64_t samples_per_bin() const { return samples_per_bin_; }
  /// Samples that are infinite or no number.
  std::uint64_t not_finite() const { return not_finite_; }
  /// labels: [column that is shown].
  Json to_json(Blobs& blobs, const std::vector<std::string>& labels) const;

 private:
  std::vector<std::size_t> columns_;
  std::uint64_t rows_;
  std::uint64_t samples_per_bin_ = 1;
  std::size_t bins_ = 0;
  std::uint64_t row_ = 0;
  std::uint64_t not_finite_ = 0;
  /// [column][bin]: a sample, or the least and the greatest.
  std::vector<float> values_;
};

}  // namespace hillock::io::page
