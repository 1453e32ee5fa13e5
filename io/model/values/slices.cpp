#include "io/model/values/slices.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/units/quantity.hpp"

namespace hillock::io {

namespace {

/// A whole number that fills `text`.
std::optional<std::uint64_t> index_in(std::string_view text) {
  text = trim(text);
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads what stands between the brackets. Returns the problem, or an empty text.
std::string read_range(std::string_view inside, const std::string& name,
                       const std::optional<std::uint64_t>& size, models::PopulationSlice& slice) {
  const std::string wrong = fmt::format(
      "'{1}[{0}]' is not a part of a population (write {1}[3] or {1}[0:10])", inside, name);
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos) {
    const auto index = index_in(inside);
    if (!index) return wrong;
    if (size && *index >= *size)
      return fmt::format("{}[{}] does not exist: the population has {} cells, the last is [{}]",
                         name, *index, *size, *size - 1);
    slice.begin = *index;
    slice.end = *index + 1;
    return "";
  }
  const std::string_view first = trim(inside.substr(0, colon));
  const std::string_view last = trim(inside.substr(colon + 1));
  const auto begin = first.empty() ? std::optional<std::uint64_t>(0) : index_in(first);
  const auto end = last.empty() ? size : index_in(last);
  if (!begin || (!end && !last.empty())) return wrong;
  slice.begin = *begin;
  slice.end = end.value_or(*begin + 1);
  if (size && slice.end > *size)
    return fmt::format("{}[{}] ends beyond the population, which has {} cells", name, inside,
                       *size);
  if (slice.begin >= slice.end)
    return fmt::format("{}[{}] holds no cell (the end is not part of a range)", name, inside);
  return "";
}

}  // namespace

std::optional<models::PopulationSlice> read_slice(ReadContext& context, const Item& item) {
  const auto content = item.text("a population, such as exc or \"exc[0:10]\"");
  if (!content) return std::nullopt;
  const std::string_view text = trim(*content);
  const std::size_t bracket = text.find('[');
  const std::string name(trim(text.substr(0, bracket)));
  const auto found = context.population_index.find(name);
  if (found == context.population_index.end()) {
    std::vector<std::string> names;
    for (const auto& [known, index] : context.population_index) names.push_back(known);
    item.error(fmt::format("there is no population '{}'.{}", name, did_you_mean(name, names)));
    return std::nullopt;
  }
  PopulationInfo& info = context.populations[found->second];
  info.used = true;
  models::PopulationSlice slice;
  slice.population = PopulationId(static_cast<std::uint32_t>(found->second));
  slice.place = item.place();
  if (bracket == std::string_view::npos) {
    slice.end = info.size.value_or(1);
    return slice;
  }
  const std::string problem =
      text.back() != ']'
          ? fmt::format("'{}' is not a part of a population (write {}[0:10])", text, name)
          : read_range(text.substr(bracket + 1, text.size() - bracket - 2), name, info.size, slice);
  if (problem.empty()) return slice;
  item.error(problem);
  return std::nullopt;
}

bool overlap(const models::PopulationSlice& a, const models::PopulationSlice& b) {
  return a.population == b.population && a.begin < b.end && b.begin < a.end;
}

}  // namespace hillock::io
