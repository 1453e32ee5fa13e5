#include "io/model/values/slices.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/text/counted.hpp"
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

/// What a slice is of, in words.
struct Whole {
  std::string name;
  std::optional<std::uint64_t> size;  ///< unknown: ranges are not checked
  const char* kind;                   ///< "population"
  const char* one;                    ///< "cell"
};

struct Range {
  std::uint64_t begin = 0, end = 0;
};

/// Reads what stands between the brackets. Returns the problem, or an empty text.
std::string read_range(std::string_view inside, const Whole& of, Range& range) {
  const std::string wrong = fmt::format(
      "'{1}[{0}]' is not a part of a {2} (write {1}[3] or {1}[0:10])", inside, of.name, of.kind);
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos) {
    const auto index = index_in(inside);
    if (!index) return wrong;
    if (of.size && *index >= *of.size)
      return fmt::format("{}[{}] does not exist: the {} has {}, the last is [{}]", of.name, *index,
                         of.kind, counted(*of.size, of.one), *of.size - 1);
    range = {*index, *index + 1};
    return "";
  }
  const std::string_view first = trim(inside.substr(0, colon));
  const std::string_view last = trim(inside.substr(colon + 1));
  const auto begin = first.empty() ? std::optional<std::uint64_t>(0) : index_in(first);
  const auto end = last.empty() ? of.size : index_in(last);
  if (!begin || (!end && !last.empty())) return wrong;
  range = {*begin, end.value_or(*begin + 1)};
  if (of.size && range.end > *of.size)
    return fmt::format("{}[{}] ends beyond the {}, which has {}", of.name, inside, of.kind,
                       counted(*of.size, of.one));
  if (range.begin >= range.end)
    return fmt::format("{}[{}] holds no {} (the end is not part of a range)", of.name, inside,
                       of.one);
  return "";
}

/// The name before the brackets.
std::string name_in(std::string_view text) {
  return std::string(trim(text.substr(0, text.find('['))));
}

/// Reads the brackets of a text, or takes all. Nothing after an error.
std::optional<Range> range_in(const Item& item, std::string_view text, const Whole& of) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return Range{0, of.size.value_or(1)};
  Range range;
  const std::string problem =
      text.back() != ']'
          ? fmt::format("'{}' is not a part of a {} (write {}[0:10])", text, of.kind, of.name)
          : read_range(text.substr(bracket + 1, text.size() - bracket - 2), of, range);
  if (problem.empty()) return range;
  item.error(problem);
  return std::nullopt;
}

}  // namespace

std::optional<models::PopulationSlice> read_slice(ReadContext& context, const Item& item) {
  const auto content = item.text("a population, such as exc or \"exc[0:10]\"");
  if (!content) return std::nullopt;
  const std::string_view text = trim(*content);
  const std::string name = name_in(text);
  const auto found = context.population_index.find(name);
  if (found == context.population_index.end()) {
    std::vector<std::string> names;
    for (const auto& [known, index] : context.population_index) names.push_back(known);
    item.error(fmt::format("there is no population '{}'.{}", name, did_you_mean(name, names)));
    return std::nullopt;
  }
  PopulationInfo& info = context.populations[found->second];
  info.used = true;
  const auto range = range_in(item, text, {name, info.size, "population", "cell"});
  if (!range) return std::nullopt;
  models::PopulationSlice slice;
  slice.population = PopulationId(static_cast<std::uint32_t>(found->second));
  slice.begin = range->begin;
  slice.end = range->end;
  slice.place = item.place();
  return slice;
}

std::optional<models::PointSlice> read_point_slice(ReadContext& context, const Item& item) {
  const auto content = item.text("the name of a list of points");
  if (!content) return std::nullopt;
  const std::string_view text = trim(*content);
  const std::string name = name_in(text);
  const auto found = context.point_index.find(name);
  if (found == context.point_index.end()) {
    std::vector<std::string> names;
    for (const auto& [known, number] : context.point_index) names.push_back(known);
    item.error(fmt::format("there is no list of points '{}'.{}", name, did_you_mean(name, names)));
    return std::nullopt;
  }
  if (!found->second) return std::nullopt;
  const std::size_t list = *found->second;
  const auto range =
      range_in(item, text, {name, context.network.points[list].size(), "list", "point"});
  if (!range) return std::nullopt;
  return models::PointSlice{list, range->begin, range->end};
}

bool overlap(const models::PopulationSlice& a, const models::PopulationSlice& b) {
  return a.population == b.population && a.begin < b.end && b.begin < a.end;
}

}  // namespace hillock::io
