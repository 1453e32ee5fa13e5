#include "simulator/session/joined_reports.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hillock::session {

JoinedReports::JoinedReports(const models::Network& network,
                             const std::vector<models::ReportLayout>& parts) {
  std::vector<const models::Recording*> recordings;
  for (const models::Recording& recording : network.recordings)
    if (recording.variable) recordings.push_back(&recording);
  std::vector<std::vector<std::uint64_t>> nodes;
  Known known;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const models::Population& of = network.populations[recordings[p]->of.population.value];
    auto& ids = nodes.emplace_back(parts[p].node_ids);
    if (of.nodes && !parts[p].potential)
      for (std::uint64_t& id : ids) id = of.nodes->ids[id];
    parts_.emplace_back();
    add_feed(known, parts[p], of.output_name());
    if (recordings[p]->by != models::Recording::By::population) continue;
    models::ReportLayout own = parts[p];
    own.name = models::name_of_part(own.name, of.name);
    add_feed(known, own, {});
  }
  for (std::size_t r = 0; r < layouts_.size(); ++r) join(parts, nodes, r);
}

/// The last part goes to the report of that name, too, which is new where there is none yet.
void JoinedReports::add_feed(Known& known, const models::ReportLayout& layout,
                             const std::string& population) {
  const auto [report, is_new] = known.emplace(layout.name, layouts_.size());
  if (is_new) {
    layouts_.push_back(layout);
    if (!layout.potential) layouts_.back().population = population;
    members_.emplace_back();
  }
  Members& members = members_[report->second];
  parts_.back().push_back({report->second, members.feeds.size()});
  members.feeds.push_back({parts_.size() - 1, layout.element_ids.size(), {}, {}});
  if (!layout.element_ids.empty()) ++members.lacking;
}

/// Nodes rise, and with each go its columns.
void JoinedReports::join(const std::vector<models::ReportLayout>& parts,
                         const std::vector<std::vector<std::uint64_t>>& nodes, std::size_t report) {
  models::ReportLayout& joined = layouts_[report];
  std::vector<Feed>& feeds = members_[report].feeds;
  if (joined.potential) {
    if (feeds.size() == 1) return;
    for (Feed& feed : feeds)
      for (std::size_t k = 0; k < feed.columns; ++k) feed.to.push_back(k);
    return;
  }
  if (feeds.size() == 1 && std::ranges::is_sorted(nodes[feeds.front().part])) {
    joined.node_ids = nodes[feeds.front().part];
    return;
  }
  struct Node {
    std::uint64_t id;
    std::size_t feed, place;
  };
  std::vector<Node> all;
  for (std::size_t f = 0; f < feeds.size(); ++f) {
    const std::size_t p = feeds[f].part;
    for (std::size_t i = 0; i < nodes[p].size(); ++i) all.push_back({nodes[p][i], f, i});
    feeds[f].to.resize(feeds[f].columns);
    if (parts[p].shape != joined.shape) joined.shape = nullptr;
  }
  std::ranges::sort(all, {}, &Node::id);
  joined.node_ids.clear();
  joined.index_pointers.assign(1, 0);
  joined.element_ids.clear();
  joined.element_pos.clear();
  for (const Node& node : all) {
    Feed& feed = feeds[node.feed];
    const models::ReportLayout& part = parts[feed.part];
    joined.node_ids.push_back(node.id);
    for (std::uint64_t k = part.index_pointers[node.place]; k < part.index_pointers[node.place + 1];
         ++k) {
      feed.to[k] = joined.element_ids.size();
      joined.element_ids.push_back(part.element_ids[k]);
      joined.element_pos.push_back(part.element_pos[k]);
    }
    joined.index_pointers.push_back(joined.element_ids.size());
  }
}

std::vector<std::size_t> JoinedReports::reports_of(std::size_t part) const {
  std::vector<std::size_t> reports;
  for (const Target& target : parts_[part]) reports.push_back(target.report);
  return reports;
}

std::vector<JoinedReports::Rows> JoinedReports::add(std::size_t part, std::vector<double> rows) {
  const std::vector<Target>& targets = parts_[part];
  std::vector<Rows> all;
  for (std::size_t i = 0; i + 1 < targets.size(); ++i)
    all.push_back({targets[i].report, add_to(targets[i], rows)});
  all.push_back({targets.back().report, add_to(targets.back(), std::move(rows))});
  return all;
}

std::vector<double> JoinedReports::add_to(const Target& target, std::vector<double> rows) {
  Members& members = members_[target.report];
  Feed& own = members.feeds[target.feed];
  if (own.to.empty()) return rows;
  if (own.waiting.empty() && !rows.empty()) --members.lacking;
  own.waiting.insert(own.waiting.end(), rows.begin(), rows.end());
  if (members.lacking > 0 || own.waiting.empty()) return {};
  std::size_t count = ~std::size_t{0};
  for (const Feed& feed : members.feeds)
    if (feed.columns > 0) count = std::min(count, feed.waiting.size() / feed.columns);
  const std::size_t columns = layouts_[target.report].element_ids.size();
  const bool adds = layouts_[target.report].potential != nullptr;
  std::vector<double> joined(count * columns);
  for (Feed& from : members.feeds) {
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

std::vector<std::string> names_of_reports(const models::Network& network) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (!std::ranges::count(names, name)) names.push_back(std::move(name));
  };
  for (const models::Recording& recording : network.recordings) {
    if (!recording.variable) continue;
    add(recording.name);
    if (recording.by == models::Recording::By::population)
      add(models::name_of_part(recording.name,
                               network.populations[recording.of.population.value].name));
  }
  return names;
}

}  // namespace hillock::session
