#include "io/swc/swc.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <queue>

#include "io/swc/swc_cables.hpp"

namespace hillock::io {

namespace {

std::string region_of(int type) {
  switch (type) {
    case swc::soma_type:
      return "soma";
    case swc::axon_type:
      return "axon";
    case swc::dendrite_type:
      return "dend";
    case swc::apical_type:
      return "apic";
    default:
      return fmt::format("tag{}", type);
  }
}

/// The cables' indices by type and then as they came (NEURON's order of sections), except that a
/// cable waits for its parent, and the later ones of its type wait behind it.
std::vector<int> order_by_type(const std::vector<swc::Cable>& cables) {
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

models::Morphology name_branches(std::vector<swc::Cable> cables) {
  const std::vector<int> order = order_by_type(cables);
  std::vector<int> new_index(cables.size());
  std::map<int, int> count;
  for (std::size_t i = 0; i < order.size(); ++i) {
    new_index[order[i]] = static_cast<int>(i);
    ++count[cables[i].type];
  }
  const bool one_soma = count[swc::soma_type] == 1;

  models::Morphology morphology;
  morphology.branches.reserve(cables.size());
  std::map<int, int> next;
  for (const int i : order) {
    swc::Cable& cable = cables[i];
    models::Branch branch;
    branch.region = region_of(cable.type);
    branch.name = cable.type == swc::soma_type && one_soma
                      ? branch.region
                      : fmt::format("{}[{}]", branch.region, next[cable.type]++);
    branch.parent = cable.parent < 0 ? -1 : new_index[cable.parent];
    branch.at = cable.at;
    branch.points = std::move(cable.points);
    morphology.branches.push_back(std::move(branch));
  }
  return morphology;
}

/// Warns of soma samples that a neurite carries: somata are roots.
void warn_of_stray_soma(const std::vector<swc::Sample>& samples, const std::string& file,
                        Diagnostics& diagnostics) {
  for (const swc::Sample& sample : samples) {
    if (sample.type != swc::soma_type || sample.parent < 0) continue;
    const swc::Sample& parent = samples[sample.parent];
    if (parent.type == swc::soma_type) continue;
    diagnostics.warning(
        {file, sample.line, 0},
        fmt::format("a soma sample hangs on a sample of type {} (line {}). Is its type right?",
                    parent.type, parent.line));
    return;
  }
}

}  // namespace

models::Morphology read_swc(std::string_view text, const std::string& file, SomaRule rule,
                            Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const std::vector<swc::Sample> samples = swc::read_samples(text, file, diagnostics);
  if (samples.empty()) return {};
  warn_of_stray_soma(samples, file, diagnostics);
  std::vector<swc::Cable> cables;
  switch (rule) {
    case SomaRule::neuron8:
      cables = swc::cables_as_neuron8(samples, file, diagnostics);
      break;
    case SomaRule::neuromorpho:
      cables = swc::cables_as_neuromorpho(samples, file, diagnostics);
      break;
    case SomaRule::literal:
      cables = swc::cables_as_they_stand(samples, file, diagnostics);
      break;
  }
  if (diagnostics.error_count() > errors_before) return {};
  return name_branches(std::move(cables));
}

}  // namespace hillock::io
