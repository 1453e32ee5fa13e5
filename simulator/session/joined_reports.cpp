#include "simulator/session/joined_reports.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace hillock::session {

JoinedReports::JoinedReports(const models::Network& network,
                             const std::vector<models::ReportLayout>& parts) {
  std::vector<const models::Recording*> recordings;
  for (const models::Recording& recording : network.recordings)
    if (recording.variable) recordings.push_back(&recording);
  std::vector<std::vector<std::uint64_t>> nodes;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const models::Population& of = network.populations[recordings[p]->of.population.value];
    auto& ids = nodes.emplace_back(parts[p].node_ids);
    if (of.nodes && !parts[p].potential)
      for (std::uint64_t& id : ids) id = of.nodes->ids[id];
    const auto [report, is_new] = known.emplace(parts[p].name, layouts_.size());
    parts_.push_back({report->second, parts[p].element_ids.size(), {}, {}});
    if (is_new) {
      layouts_.push_back(parts[p]);
      if (!parts[p].potential) layouts_.back().population = of.output_name();
      members_.emplace_back();
    }
    Members& members = members_[report->second];
    members.parts.push_back(p);
    if (parts_.back().columns > 0) ++members.lacking;
  }
  for (const auto& members : members_) join(parts, nodes, members.parts);
}

/// Nodes rise, and with each go its columns.
void JoinedReports::join(const std::vector<models::ReportLayout>& parts,
                         const std::vector<std::vector<std::uint64_t>>& nodes,
                         const std::vector<std::size_t>& members) {
  models::ReportLayout& joined = layouts_[parts_[members.front()].report];
  if (joined.potential) {
    if (members.size() == 1) return;
    for (const std::size_t p : members)
      for (std::size_t k = 0; k < parts_[p].columns; ++k) parts_[p].to.push_back(k);
    return;
  }
  if (members.size() == 1 && std::ranges::is_sorted(nodes[members.front()])) {
    joined.node_ids = nodes[members.front()];
    return;
  }
  struct Node {
    std::uint64_t id;
    std::size_t part, place;
  };
  std::vector<Node> all;
  for (const std::size_t p : members) {
    for (std::size_t i = 0; i < nodes[p].size(); ++i) all.push_back({nodes[p][i], p, i});
    parts_[p].to.resize(parts_[p].columns);
    if (parts[p].shape != joined.shape) joined.shape = nullptr;
  }
  std::ranges::sort(all, {}, &Node::id);
  joined.node_ids.clear();
  joined.index_pointers.assign(1, 0);
  joined.element_ids.clear();
  joined.element_pos.clear();
  for (const Node& node : all) {
    const models::ReportLayout& part = parts[node.part];
    joined.node_ids.push_back(node.id);
    for (std::uint64_t k = part.index_pointers[node.place]; k < part.index_pointers[node.place + 1];
         ++k) {
      parts_[node.part].to[k] = joined.element_ids.size();
      joined.element_ids.push_back(part.element_ids[k]);
      joined.element_pos.push_back(part.element_pos[k]);
    }
    joined.index_pointers.push_back(joined.element_ids.size());
  }
}

std::vector<double> JoinedReports::add(std::size_t part, std::vector<double> rows) {
  if (is_whole(part)) return rows;
  Part& own = parts_[part];
  Members& members = members_[own.report];
  if (own.waiting.empty() && !rows.empty()) --members.lacking;
  own.waiting.insert(own.waiting.end(), rows.begin(), rows.end());
  if (members.lacking > 0 || own.waiting.empty()) return {};
  std::size_t count = ~std::size_t{0};
  for (const std::size_t p : members.parts)
    if (parts_[p].columns > 0)
      count = std::min(count, parts_[p].waiting.size() / parts_[p].columns);
  const std::size_t columns = layouts_[own.report].element_ids.size();
  const bool adds = layouts_[own.report].potential != nullptr;
  std::vector<double> joined(count * columns);
  for (const std::size_t p : members.parts) {
    Part& from = parts_[p];
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t k = 0; k < from.columns; ++k) {
        double& to = joined[row * columns + from.to[k]];
        const double value = from.waiting[row * from.columns + k];
        to = adds ? to + value : value;
      }
    from.waiting.erase(from.waiting.begin(),
                       from.waiting.begin() + static_cast<std::ptrdiff_t>(count * from.columns));
    if (from.columns > 0 && from.waiting.empty()) ++members.lacking;
  }
  return joined;
}

}  // namespace hillock::session
