// Reads `branches:`, a morphology written by hand.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "io/model/cells/read_morphology.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

using models::Branch;
using models::Point;

constexpr double longest_um = 1e6;

Slot length_slot() {
  return Slot::of("um").more_than(0).at_most(longest_um);
}

Slot taper_slot() {
  return length_slot().usually(Usual::diameter);
}

/// A branch as written, before its parent is known as an index.
struct Draft {
  Branch branch;
  std::optional<std::string> parent;
  std::optional<Item> parent_item;
  double length_um = 0;                     ///< stylised: along x from the parent
  std::pair<double, double> diameter_um{};  ///< stylised
  Place place;
};

std::optional<std::pair<double, double>> read_taper(const Item& item) {
  if (item.is_list()) {
    const auto ends = read_constants(item, taper_slot(), 2);
    if (!ends) return std::nullopt;
    return std::pair{(*ends)[0], (*ends)[1]};
  }
  const auto diameter = read_constant(item, taper_slot());
  if (!diameter) return std::nullopt;
  return std::pair{*diameter, *diameter};
}

std::optional<std::vector<Point>> read_points(const Item& item, const std::optional<Item>& unit) {
  Slot coordinate = Slot::of("um").at_least(-longest_um).at_most(longest_um);
  std::optional<Unit> common;
  if (unit) {
    const auto text = unit->text("a unit of length");
    if (!text) return std::nullopt;
    common = parse_unit(*text);
    if (!common || common->dimension != coordinate.unit.dimension) {
      unit->error(fmt::format("'{}' is not a unit of length", *text));
      return std::nullopt;
    }
    coordinate.unit = Unit{};
    coordinate.unit_text = "";
  }
  const auto entries = item.list("a list of points [x, y, z, diameter]");
  if (!entries) return std::nullopt;
  if (entries->size() < 2) {
    item.error("a branch needs at least two points");
    return std::nullopt;
  }
  std::vector<Point> points;
  for (const auto& entry : *entries) {
    auto numbers = read_constants(entry, coordinate, 4);
    if (!numbers) return std::nullopt;
    if (common)
      for (double& number : *numbers) number = convert(number, *common, units::um);
    if ((*numbers)[3] <= 0) {
      entry.error("the diameter, the fourth number, must be positive");
      return std::nullopt;
    }
    points.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]});
  }
  return points;
}

bool is_taken(const std::string& name) {
  return name == "all" || name == "uniform" || name == "tips";
}

void read_branch_name(const Item& item, ValueReader& read, std::string& name) {
  const auto text = item.text("a name");
  if (!read.note(text)) return;
  if (const std::string problem = branch_name_problem(*text); problem.empty())
    name = *text;
  else
    read.error(item, problem);
}

void read_branch_region(const Item& item, ValueReader& read, std::string& region) {
  const auto text = item.text("the name of a region");
  read.note(text);
  if (text && (!is_region_name(*text) || text->find('[') != std::string::npos || is_taken(*text)))
    read.error(item, fmt::format("'{}' cannot name a region", *text));
  else if (text)
    region = *text;
}

/// One entry of the list. Nothing after an error; `name` is set where it could be read.
std::optional<Draft> read_draft(const Item& item, std::string& name) {
  MapReader map(item, "a branch");
  const auto name_item = map.require("name");
  const auto parent = map.find("parent");
  const auto at = map.find("at");
  const auto region = map.find("region");
  const auto compartments = map.find("compartments");
  const auto points = map.find("points");
  const auto unit = map.find("unit");
  const bool stylised = !points.has_value();
  std::optional<Item> length;
  std::optional<Item> diameter;
  if (stylised) {
    length = map.require("length");
    diameter = map.require("diameter");
  } else if (map.has("length") || map.has("diameter")) {
    item.error("a branch has either points or length and diameter, not both");
    return std::nullopt;
  }
  ValueReader read(map.finish());
  Draft draft;
  draft.place = item.place();
  if (name_item) read_branch_name(*name_item, read, name);
  draft.branch.name = name;
  draft.branch.region = name.substr(0, name.find('['));
  if (region) read_branch_region(*region, read, draft.branch.region);
  if (parent) {
    draft.parent = parent->text("the name of a branch");
    draft.parent_item = parent;
    read.note(draft.parent);
  }
  if (at) {
    read.constant(at, Slot::of("").at_least(0).at_most(1), draft.branch.at);
    if (!parent) read.error(*at, "means a place on the parent, and this branch has none");
  }
  read.whole_number(compartments, 1, most_compartments_by_hand, draft.branch.compartments);
  if (unit && !points) read.error(*unit, "belongs to points, and this branch has none");
  if (points && read.take(read_points(*points, unit), draft.branch.points) &&
      models::length_um(draft.branch) <= 0)
    read.error(*points, "the points lie on one spot, so the branch has no length");
  read.constant(length, length_slot(), draft.length_um);
  if (diameter) read.take(read_taper(*diameter), draft.diameter_um);
  return read.result(draft);
}

/// The point at fraction `at` of a branch's length.
Point point_at(const Branch& branch, double at) {
  double rest = at * models::length_um(branch);
  for (std::size_t i = 1; i < branch.points.size(); ++i) {
    const Point& p = branch.points[i - 1];
    const Point& q = branch.points[i];
    const double piece = std::hypot(q.x_um - p.x_um, q.y_um - p.y_um, q.z_um - p.z_um);
    if (piece > 0 && rest <= piece) {
      const double f = rest / piece;
      return {p.x_um + f * (q.x_um - p.x_um), p.y_um + f * (q.y_um - p.y_um),
              p.z_um + f * (q.z_um - p.z_um), 0};
    }
    rest -= piece;
  }
  return branch.points.back();
}

/// The drafts in an order where parents precede children, otherwise as written. Nothing after an
/// error: a parent that is not defined, a cycle.
std::optional<std::vector<std::size_t>> sort_drafts(const std::vector<Draft>& drafts,
                                                    std::vector<int>& parents) {
  std::unordered_map<std::string, std::size_t> by_name;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    by_name[drafts[i].branch.name] = i;
    if (names.size() < 1000) names.push_back(drafts[i].branch.name);
  }
  ValueReader read;
  parents.assign(drafts.size(), -1);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Draft& draft = drafts[i];
    if (draft.parent) {
      const auto found = by_name.find(*draft.parent);
      if (found == by_name.end())
        read.error(*draft.parent_item, fmt::format("there is no branch '{}'.{}", *draft.parent,
                                                   did_you_mean(*draft.parent, names)));
      else
        parents[i] = static_cast<int>(found->second);
    }
  }
  if (!read.good()) return std::nullopt;
  std::vector<std::size_t> order;
  enum class Mark : std::uint8_t { untouched, on_the_way, placed };
  std::vector<Mark> marks(drafts.size(), Mark::untouched);
  std::vector<std::size_t> way;
  for (std::size_t start = 0; start < drafts.size(); ++start) {
    way.clear();
    for (int i = static_cast<int>(start); i >= 0; i = parents[static_cast<std::size_t>(i)]) {
      const auto index = static_cast<std::size_t>(i);
      if (marks[index] == Mark::placed) break;
      if (marks[index] == Mark::on_the_way) {
        std::string cycle;
        for (auto step = std::find(way.begin(), way.end(), index); step != way.end(); ++step)
          cycle += drafts[*step].branch.name + " -> ";
        drafts[index].parent_item->error("the parents run in a circle: " + cycle +
                                         drafts[index].branch.name);
        return std::nullopt;
      }
      marks[index] = Mark::on_the_way;
      way.push_back(index);
    }
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
      marks[*step] = Mark::placed;
      order.push_back(*step);
    }
  }
  return order;
}

}  // namespace

std::string branch_name_problem(const std::string& name) {
  if (is_region_name(name) && !is_taken(name)) return "";
  return fmt::format(
      "'{}' cannot name a branch (letters, digits, _ and an index as in dend[3]; all, uniform and "
      "tips are taken)",
      name);
}

std::string region_names_problem(const std::vector<Branch>& branches, std::size_t& where) {
  std::unordered_map<std::string, std::size_t> in_region;
  for (const Branch& branch : branches) ++in_region[branch.region];
  for (where = 0; where < branches.size(); ++where) {
    const Branch& branch = branches[where];
    const auto found = in_region.find(branch.name);
    if (found == in_region.end()) continue;
    if (found->second == 1 && branch.region == branch.name) continue;
    return fmt::format(
        "the branch '{0}' is called like the region '{0}' of {1} (call it {0}[0], for example)",
        branch.name, found->second == 1 ? "another branch" : "several branches");
  }
  return "";
}

std::optional<models::Morphology> read_branches(const Item& item) {
  const auto entries = item.list("a list of branches");
  if (!entries) return std::nullopt;
  if (entries->empty() || entries->size() > most_branches) {
    item.error(entries->empty() ? "a cell needs at least one branch"
                                : fmt::format("more than {} branches", most_branches));
    return std::nullopt;
  }
  std::vector<Draft> drafts;
  std::unordered_map<std::string, Place> places;
  ValueReader read;
  const Draft* root = nullptr;
  drafts.reserve(entries->size());
  for (const auto& entry : *entries) {
    std::string name;
    auto draft = read_draft(entry, name);
    if (!name.empty()) {
      const auto [first, is_new] = places.try_emplace(name, entry.place());
      if (!is_new)
        read.error(entry, fmt::format("a branch '{}' is already defined at {}", name,
                                      to_string(first->second)));
    }
    if (!read.note(draft)) continue;
    drafts.push_back(std::move(*draft));
    if (drafts.back().parent) continue;
    if (root)
      read.error(entry,
                 fmt::format("this branch has no parent, but {} is the root already (only one"
                             " branch has none)",
                             root->branch.name));
    else
      root = &drafts.back();
  }
  if (!read.good()) return std::nullopt;
  std::vector<int> parents;
  const auto order = sort_drafts(drafts, parents);
  if (!order) return std::nullopt;

  models::Morphology morphology;
  std::vector<int> new_index(drafts.size(), -1);
  for (const std::size_t i : *order) {
    Draft& draft = drafts[i];
    Branch& branch = draft.branch;
    if (parents[i] >= 0) branch.parent = new_index[static_cast<std::size_t>(parents[i])];
    if (branch.points.empty()) {
      Point start;
      if (branch.parent >= 0)
        start = point_at(morphology.branches[static_cast<std::size_t>(branch.parent)], branch.at);
      start.diameter_um = draft.diameter_um.first;
      Point end = start;
      end.x_um += draft.length_um;
      end.diameter_um = draft.diameter_um.second;
      branch.points = {start, end};
    }
    new_index[i] = static_cast<int>(morphology.branches.size());
    morphology.branches.push_back(std::move(branch));
  }
  std::size_t where = 0;
  if (const std::string problem = region_names_problem(morphology.branches, where);
      !problem.empty()) {
    item.error_at(drafts[(*order)[where]].place, problem);
    return std::nullopt;
  }
  return morphology;
}

}  // namespace hillock::io
