#include "io/columns/held_arrays.hpp"

#include <algorithm>

#include "core/errors/errors.hpp"
#include "core/text/sha256.hpp"

namespace hillock::io {

namespace {

std::string_view without_root(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

std::string sha256_of(const HeldArrays& arrays) {
  Sha256 hash;
  const auto add = [&](std::string_view text) {
    hash.add(std::as_bytes(std::span(text)));
    hash.add(std::as_bytes(std::span("", 1)));
  };
  for (const auto& [path, array] : arrays) {
    add(path);
    hash.add(std::as_bytes(std::span(array.extent)));
    hash.add(std::as_bytes(array.numbers));
    for (const std::string& text : array.texts) add(text);
  }
  return hash.digits();
}

const HeldArray* HeldFile::find(std::string_view dataset) const {
  const auto found = arrays_.find(without_root(dataset));
  return found == arrays_.end() ? nullptr : &found->second;
}

std::vector<std::string> HeldFile::children(const std::string& group) {
  std::string prefix(without_root(group));
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  std::vector<std::string> names;
  for (auto at = arrays_.lower_bound(prefix); at != arrays_.end() && at->first.starts_with(prefix);
       ++at) {
    std::string name = at->first.substr(prefix.size());
    name.resize(std::min(name.find('/'), name.size()));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

std::optional<Extent> HeldFile::extent(const std::string& dataset) {
  const HeldArray* const array = find(dataset);
  if (!array) return std::nullopt;
  if (!array->texts.empty())
    throw InputOutputError(shown_.string(), "dataset '" + dataset + "' has no numbers");
  return array->extent;
}

std::vector<double> HeldFile::numbers(const std::string& dataset, const Extent& begin,
                                      const Extent& count) {
  const auto size = extent(dataset);
  if (!size || begin[0] + count[0] > (*size)[0] || begin[1] + count[1] > (*size)[1])
    throw InputOutputError(shown_.string(), "dataset '" + dataset + "' is not as large");
  const std::span all = find(dataset)->numbers;
  std::vector<double> part;
  part.reserve(count[0] * count[1]);
  for (std::uint64_t row = begin[0]; row < begin[0] + count[0]; ++row) {
    const auto some = all.subspan(row * (*size)[1] + begin[1], count[1]);
    part.insert(part.end(), some.begin(), some.end());
  }
  return part;
}

std::vector<std::string> HeldFile::texts(const std::string& dataset) {
  const HeldArray* const array = find(dataset);
  return array ? array->texts : std::vector<std::string>();
}

}  // namespace hillock::io
