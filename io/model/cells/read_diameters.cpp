#include "io/model/cells/read_diameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random/random.hpp"
#include "io/model/values/slot.hpp"
#include "models/region_index.hpp"

namespace hillock::io {

namespace {

Slot diameter_slot() {
  Slot slot = Slot::of("um").more_than(0).at_most(1e6).usually(Usual::diameter);
  slot.variables = {Variable::distance, Variable::x, Variable::y, Variable::z, Variable::diam};
  slot.why = "a morphology is that of all cells";
  return slot;
}

}  // namespace

std::optional<models::Value> Diameters::read(const Item& item) {
  return read_value(context_, item, diameter_slot());
}

void Diameters::set(const models::Region& region, models::Value diameter, const Item& item) {
  if (region.distance_um)
    item.error(
        "belongs to whole branches, and this region is a part of some (an expression can tell "
        "them apart: \"distance > 100 um ? 1 um : diam\")");
  else
    settings_.push_back({region, std::move(diameter), item});
}

void Diameters::apply(std::variant<models::Morphology, models::RandomTree>& to) const {
  if (settings_.empty()) return;
  if (std::holds_alternative<models::RandomTree>(to))
    return settings_.front().item.error("a random tree's diameters are keys of the tree itself");
  auto& morphology = std::get<models::Morphology>(to);
  std::vector<double> lengths_um;
  for (const models::Branch& branch : morphology.branches)
    lengths_um.push_back(models::length_um(branch));
  if (lengths_um.empty()) return;
  const auto entries = models::path_entries(morphology, lengths_um);
  const models::RegionIndex regions(settings_);
  std::vector<std::size_t> here;
  for (std::size_t b = 0; b < morphology.branches.size(); ++b) {
    models::Branch& branch = morphology.branches[b];
    regions.find(branch.region, branch.name, here);
    if (here.empty()) continue;
    const Setting& setting = settings_[here.back()];
    double arc_um = 0;
    const models::Point* before = nullptr;
    for (models::Point& point : branch.points) {
      if (before)
        arc_um += std::hypot(point.x_um - before->x_um, point.y_um - before->y_um,
                             point.z_um - before->z_um);
      before = &point;
      Bindings at;
      at.distance_um = entries[b].distance_um + std::abs(arc_um - entries[b].arc_um);
      at.x_um = point.x_um;
      at.y_um = point.y_um;
      at.z_um = point.z_um;
      at.diam_um = point.diameter_um;
      const auto* expression = std::get_if<Expression>(&setting.diameter.content());
      point.diameter_um =
          expression ? expression->evaluate(at) : std::get<double>(setting.diameter.content());
      const std::string where = fmt::format("{}({:.6g})", branch.name, arc_um / lengths_um[b]);
      const std::string problem = limit_problem(diameter_slot(), point.diameter_um,
                                                show(point.diameter_um, "um") + " at " + where);
      if (!problem.empty()) return setting.item.error(problem);
    }
  }
}

}  // namespace hillock::io
