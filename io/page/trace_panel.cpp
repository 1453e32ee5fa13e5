#include "io/page/trace_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/page/sixteen_bits.hpp"

namespace hillock::io::page {

std::vector<std::size_t> spread_columns(std::size_t columns, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(columns, most);
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(columns <= most ? i
                                     : static_cast<std::size_t>(static_cast<double>(i) *
                                                                static_cast<double>(columns) /
                                                                static_cast<double>(count)));
  return chosen;
}

TracePanel::TracePanel(std::vector<std::size_t> columns, std::uint64_t rows,
                       std::size_t most_values)
    : columns_(std::move(columns)), rows_(rows) {
  const std::size_t count = std::max<std::size_t>(1, columns_.size());
  const std::size_t most_bins = std::max<std::size_t>(1, most_values / count / 2);
  if (rows > most_values / count) samples_per_bin_ = (rows + most_bins - 1) / most_bins;
  bins_ = static_cast<std::size_t>((rows + samples_per_bin_ - 1) / samples_per_bin_);
  const std::size_t values_per_bin = samples_per_bin_ == 1 ? 1 : 2;
  values_.resize(columns_.size() * bins_ * values_per_bin, std::numeric_limits<float>::quiet_NaN());
}

void TracePanel::add(std::span<const double> values, std::size_t width) {
  if (width == 0) return;
  for (std::size_t at = 0; at + width <= values.size() && row_ < rows_; at += width, ++row_) {
    const auto bin = static_cast<std::size_t>(row_ / samples_per_bin_);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto value = static_cast<float>(values[at + columns_[c]]);
      if (!std::isfinite(value)) {
        ++not_finite_;
        continue;
      }
      if (samples_per_bin_ == 1) {
        values_[c * bins_ + bin] = value;
        continue;
      }
      float* range = &values_[(c * bins_ + bin) * 2];
      if (!(range[0] <= value)) range[0] = value;  // the first one, too
      if (!(range[1] >= value)) range[1] = value;
    }
  }
}

Json TracePanel::to_json(Blobs& blobs, const std::vector<std::string>& labels) const {
  SixteenBits all;
  std::vector<float> low, high;
  const std::size_t length = columns_.empty() ? 0 : values_.size() / columns_.size();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    quantise(std::span(values_).subspan(c * length, length), all);
    low.push_back(all.low);
    high.push_back(all.high);
  }
  return Json::object({{"labels", labels},
                       {"bins", bins_},
                       {"samples_per_bin", samples_per_bin_},
                       {"rows", row_},
                       {"values", blobs.add(all.values)},
                       {"low", blobs.add(low)},
                       {"high", blobs.add(high)}});
}

}  // namespace hillock::io::page
