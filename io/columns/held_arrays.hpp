#pragma once
// Arrays in memory that stand where a model names an HDF5 file.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/columns/data_file.hpp"

namespace hillock::io {

/// A dataset: numbers row by row, which are somebody else's, or texts.
struct HeldArray {
  std::span<const double> numbers;
  Extent extent{};  ///< of the numbers
  std::vector<std::string> texts;
};

/// By path, "branches/name".
using HeldArrays = std::map<std::string, HeldArray, std::less<>>;

/// Their hash, which is that of no file.
std::string sha256_of(const HeldArrays& arrays);

class HeldFile final : public DataFile {
 public:
  /// The arrays must outlive it.
  HeldFile(std::string shown, const HeldArrays& arrays)
      : shown_(std::move(shown)), arrays_(arrays) {}

  const std::filesystem::path& path() const override { return shown_; }
  std::vector<std::string> children(const std::string& group) override;
  std::optional<Extent> extent(const std::string& dataset) override;
  std::vector<double> numbers(const std::string& dataset, const Extent& begin,
                              const Extent& count) override;
  std::vector<std::string> texts(const std::string& dataset) override;

 private:
  const HeldArray* find(std::string_view dataset) const;

  std::filesystem::path shown_;
  const HeldArrays& arrays_;
};

}  // namespace hillock::io
