#include "io/model/values/locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/units/quantity.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

namespace {

using models::Locations;

constexpr std::string_view grammar =
    "places are written soma(0.5), dend[3](0.5), dend(*), uniform(dend), tips(dend) or all";

/// "dend[3]" as region and number.
struct NumberedRegion {
  std::string region;
  std::size_t number = 0;
};

std::optional<NumberedRegion> split_number(const std::string& name) {
  if (name.empty() || name.back() != ']') return std::nullopt;
  const std::size_t bracket = name.find('[');
  NumberedRegion result{name.substr(0, bracket), 0};
  const char* first = name.data() + bracket + 1;
  const char* last = name.data() + name.size() - 1;
  const auto [end, status] = std::from_chars(first, last, result.number);
  if (status != std::errc{} || end != last) return std::nullopt;
  return result;
}

/// Replaces a custom tag by what it stands for.
models::Region resolve(const std::string& name, const CellShape& shape) {
  models::Region region;
  region.name = name;
  if (const auto tag = shape.tags.find(name); tag != shape.tags.end()) region = tag->second;
  return region;
}

std::string unknown_region(const std::string& name, const CellShape& shape) {
  std::vector<std::string> candidates = shape.region_names();
  if (name.find('[') != std::string::npos)
    for (const auto& branch : shape.branches) candidates.push_back(branch.name);
  std::string known;
  for (const auto& region : shape.region_names()) known += (known.empty() ? "" : ", ") + region;
  return fmt::format("the cell has no region or branch '{}' (its regions: {}).{}", name, known,
                     did_you_mean(name, candidates));
}

/// Checks that a whole region exists and selects something.
std::string region_problem(const Locations& locations, const std::string& name,
                           const CellShape& shape) {
  if (!shape.known) return "";
  const std::string& region = locations.region.name;
  if (!shape.has_region(region) && !shape.find_branch(region)) return unknown_region(name, shape);
  if (!shape.selects_something(locations.region))
    return fmt::format("no part of {} lies at these distances from {}", name, shape.origin);
  return "";
}

/// Reads `of: [dend, apic]`: what lies in any of these. False after an error.
bool read_regions(const Item& of, const CellShape& shape, Locations& locations) {
  const auto entries = of.list("a list of regions");
  if (!entries || entries->empty()) {
    if (entries) of.error("names no region");
    return false;
  }
  for (const Item& entry : *entries) {
    const auto name = entry.text("the name of a region");
    if (!name) return false;
    Locations one;
    one.region = resolve(*name, shape);
    std::string problem = region_problem(one, *name, shape);
    if (problem.empty() && one.region.distance_um)
      problem =
          fmt::format("'{}' is a part of a region by distance; a list names whole regions", *name);
    if (!problem.empty()) {
      entry.error(problem);
      return false;
    }
    if (locations.text.empty()) {
      locations.region = one.region;
    } else {
      locations.region.also.push_back(one.region.name);
      std::ranges::copy(one.region.also, std::back_inserter(locations.region.also));
    }
    locations.text += (locations.text.empty() ? "" : ", ") + *name;
  }
  return true;
}

/// Finds the one branch that "name(position)" means and puts its own name into the region.
std::string find_one_branch(Locations& locations, const std::string& name, const CellShape& shape) {
  if (!shape.known) return "";
  if (shape.drawn) {
    if (name == "soma") return "";
    if (!shape.has_region(name) && !split_number(name)) return unknown_region(name, shape);
    return fmt::format(
        "each cell draws its own random tree, so {} is no certain branch (write"
        " dend(*), uniform(dend) or tips(dend))",
        name);
  }
  if (const auto* branch = shape.find_branch(name)) {
    locations.region.name = branch->name;
    return "";
  }
  if (shape.tags.contains(name))
    return fmt::format("'{0}' is a tag for part of a cell, not one branch (write uniform({0}))",
                       name);
  if (const auto numbered = split_number(name)) {
    if (!shape.has_region(numbered->region) || numbered->region == "all")
      return unknown_region(numbered->region, shape);
    const auto branches = shape.branches_of(numbered->region);
    if (numbered->number >= branches.size())
      return fmt::format("{} has {} branch{}, so the last is {}[{}]", numbered->region,
                         branches.size(), branches.size() == 1 ? "" : "es", numbered->region,
                         branches.size() - 1);
    locations.region.name = branches[numbered->number]->name;
    return "";
  }
  if (!shape.has_region(name)) return unknown_region(name, shape);
  const auto branches = shape.branches_of(name);
  if (name == "all" || branches.size() > 1)
    return fmt::format(
        "{0} has {1} branches (write {0}(*) for the middle of each, or {2}({3}) for"
        " one of them)",
        name, branches.size(), name == "all" ? branches[0]->name : name + "[i]",
        fmt::format("{:.12g}", locations.position));
  locations.region.name = branches[0]->name;
  return "";
}

std::string parse_text(std::string_view text, const CellShape& shape, Locations& locations) {
  text = trim(text);
  if (text == "all") {
    locations.kind = Locations::Kind::all;
    return "";
  }
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')' || open == 0)
    return fmt::format("'{}' is not a place ({})", text, grammar);
  const std::string name(trim(text.substr(0, open)));
  const std::string argument(trim(text.substr(open + 1, text.size() - open - 2)));
  if (name == "uniform" || name == "tips") {
    if (!is_region_name(argument))
      return fmt::format("'{}' is not the name of a region ({})", argument, grammar);
    locations.kind = name == "tips" ? Locations::Kind::tips : Locations::Kind::uniform;
    locations.region = resolve(argument, shape);
    return region_problem(locations, argument, shape);
  }
  if (!is_region_name(name)) return fmt::format("'{}' is not a place ({})", text, grammar);
  if (argument == "*") {
    locations.kind = Locations::Kind::middles;
    locations.region = resolve(name, shape);
    return region_problem(locations, name, shape);
  }
  const auto position = read_quantity(argument);
  if (!position || !position->unit_text.empty())
    return fmt::format("'{}' must be a number from 0 to 1, or * ({})", argument, grammar);
  if (!(position->value >= 0 && position->value <= 1))
    return fmt::format("the position {} must lie in [0, 1] (0 is the end towards the soma)",
                       position->number_text);
  locations.kind = Locations::Kind::position;
  locations.position = position->value;
  locations.region.name = name;
  return find_one_branch(locations, name, shape);
}

}  // namespace

bool is_region_name(std::string_view name) {
  const std::size_t bracket = name.find('[');
  const std::string_view stem = name.substr(0, bracket);
  if (stem.empty() || stem.size() > 200) return false;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const char c = stem[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !(i > 0 && (digit || c == '-'))) return false;
  }
  return bracket == std::string_view::npos || split_number(std::string(name)).has_value();
}

std::optional<std::pair<double, double>> read_distance_range(const Item& item) {
  const auto range = read_constants(item, Slot::of("um").at_least(0), 2);
  if (!range) return std::nullopt;
  if ((*range)[0] > (*range)[1]) {
    item.error("the first distance must not be larger than the second");
    return std::nullopt;
  }
  return std::pair{(*range)[0], (*range)[1]};
}

std::optional<Locations> read_locations(const Item& item, const CellShape& shape,
                                        LocationsFor use) {
  Locations locations;
  locations.place = item.place();
  locations.region.place = item.place();
  if (item.is_map()) {
    MapReader map(item, "a place");
    const auto of = map.require("of");
    const auto distance = map.find("distance");
    if (!map.finish()) return std::nullopt;
    if (of->is_list()) {
      if (!read_regions(*of, shape, locations)) return std::nullopt;
    } else {
      const auto name = of->text("the name of a region, or a list of them");
      if (!name) return std::nullopt;
      locations.region = resolve(*name, shape);
      locations.text = *name;
    }
    locations.kind = use == LocationsFor::samples ? Locations::Kind::all : Locations::Kind::uniform;
    if (distance) {
      const auto range = read_distance_range(*distance);
      if (!range) return std::nullopt;
      // Both ranges hold when a tag brings its own.
      auto& both = locations.region.distance_um;
      both = both ? std::pair{std::max(both->first, range->first),
                              std::min(both->second, range->second)}
                  : *range;
    }
    const std::string problem = region_problem(locations, locations.text, shape);
    if (problem.empty()) return locations;
    of->error(problem);
    return std::nullopt;
  }
  const auto text = item.text("a place, such as soma(0.5)");
  if (!text) return std::nullopt;
  locations.text = *text;
  if (*text == "list" && use == LocationsFor::connections) {
    locations.kind = Locations::Kind::listed;
    return locations;
  }
  const std::string problem = parse_text(*text, shape, locations);
  if (problem.empty()) return locations;
  item.error(problem);
  return std::nullopt;
}

}  // namespace hillock::io
