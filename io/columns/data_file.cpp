#include "io/columns/data_file.hpp"

#include <fmt/format.h>

#include "core/errors/errors.hpp"

namespace hillock::io {

std::optional<std::vector<double>> DataFile::column(const std::string& dataset,
                                                    std::uint64_t most) {
  const auto size = extent(dataset);
  if (!size) return std::nullopt;
  if ((*size)[1] != 1 || (*size)[0] > most)
    throw InputOutputError(
        path().string(),
        fmt::format("dataset '{}' is not one of at most {} numbers in a row", dataset, most));
  return numbers(dataset, {0, 0}, {(*size)[0], 1});
}

}  // namespace hillock::io
