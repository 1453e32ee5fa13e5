#include "io/morphology/cables.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <queue>

namespace hillock::io {

namespace {

std::string region_of(int type) {
  switch (type) {
    case soma_type:
      return "soma";
    case axon_type:
      return "axon";
    case dendrite_type:
      return "dend";
    case apical_type:
      return "apic";
    default:
      return fmt::format("tag{}", type);
  }
}

/// The cables' indices by type and then as they came (NEURON's order of sections), except that a
/// cable waits for its parent, and the later ones of its type wait behind it.
std::vector<int> order_by_type(const std::vector<Cable>& cables) {
  std::map<int, std::vector<int>> waiting;  // by type, first come last
  for (int i = static_cast<int>(cables.size()) - 1; i >= 0; --i)
    waiting[cables[i].type].push_back(i);

  std::vector<bool> done(cables.size(), false);
  std::vector<std::vector<int>> blocked(cables.size());  // types that wait for this cable
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  const auto consider = [&](int type) {
    const auto& queue = waiting[type];
    if (queue.empty()) return;
    const int parent = cables[queue.back()].parent;
    if (parent < 0 || done[parent])
      ready.push(type);
    else
      blocked[parent].push_back(type);
  };
  for (const auto& [type, queue] : waiting) consider(type);

  std::vector<int> order;
  order.reserve(cables.size());
  while (!ready.empty()) {
    const int type = ready.top();
    ready.pop();
    auto& queue = waiting[type];
    const int i = queue.back();
    queue.pop_back();
    order.push_back(i);
    done[i] = true;
    consider(type);
    for (const int other : blocked[i]) consider(other);
  }
  return order;
}

}  // namespace

double length_um(const std::vector<models::Point>& points) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    length += std::hypot(points[i].x_um - points[i - 1].x_um, points[i].y_um - points[i - 1].y_um,
                         points[i].z_um - points[i - 1].z_um);
  return length;
}

std::vector<Cable> without(std::vector<Cable> cables, const std::vector<bool>& taken) {
  std::vector<Cable> kept;
  std::vector<int> new_index(cables.size(), -1);
  int new_root = -1;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    Cable& cable = cables[i];
    // A parent taken away has already been given what it joins itself.
    if (cable.parent >= 0 && taken[cable.parent]) {
      const Cable& parent = cables[cable.parent];
      cable.at = parent.at;
      cable.parent = parent.parent;
      if (cable.parent < 0 && new_root >= 0) {
        cable.parent = new_root;
        cable.at = 0;
      }
    }
    if (taken[i]) continue;
    if (cable.parent < 0) new_root = static_cast<int>(i);
    new_index[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(cable));
    if (kept.back().parent >= 0) kept.back().parent = new_index[kept.back().parent];
  }
  return kept;
}

models::Morphology name_branches(std::vector<Cable> cables) {
  const std::vector<int> order = order_by_type(cables);
  std::vector<int> new_index(cables.size());
  std::map<int, int> count;
  for (std::size_t i = 0; i < order.size(); ++i) {
    new_index[order[i]] = static_cast<int>(i);
    ++count[cables[i].type];
  }
  const bool one_soma = count[soma_type] == 1;

  models::Morphology morphology;
  morphology.branches.reserve(cables.size());
  std::map<int, int> next;
  for (const int i : order) {
    Cable& cable = cables[i];
    models::Branch branch;
    branch.region = region_of(cable.type);
    branch.name = cable.type == soma_type && one_soma
                      ? branch.region
                      : fmt::format("{}[{}]", branch.region, next[cable.type]++);
    branch.parent = cable.parent < 0 ? -1 : new_index[cable.parent];
    branch.at = cable.at;
    branch.points = std::move(cable.points);
    morphology.branches.push_back(std::move(branch));
  }
  return morphology;
}

}  // namespace hillock::io
