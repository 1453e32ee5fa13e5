#include "simulator/ranks/output_gather.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "network/agreement.hpp"
#include "network/message.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator {

namespace {

using network::Channel;

void put_layout(network::MessageWriter& to, const models::ReportLayout& layout) {
  to.put(layout.node_ids);
  to.put(layout.index_pointers);
  to.put(layout.element_ids);
  to.put(layout.element_pos);
}

models::ReportLayout take_layout(network::MessageReader& from) {
  models::ReportLayout layout;
  layout.node_ids = from.take<std::uint64_t>();
  layout.index_pointers = from.take<std::uint64_t>();
  layout.element_ids = from.take<std::uint32_t>();
  layout.element_pos = from.take<float>();
  return layout;
}

}  // namespace

OutputGather::OutputGather(network::Ranks& ranks, std::vector<models::ReportLayout> own)
    : ranks_(ranks), reports_(std::move(own)), spare_(reports_.size()) {
  if (!is_first()) {
    network::MessageWriter to(message_);
    for (const models::ReportLayout& layout : reports_) put_layout(to, layout);
    send();
    return;
  }
  std::vector<std::vector<models::ReportLayout>> parts(reports_.size());  // [report][rank]
  for (std::size_t r = 0; r < reports_.size(); ++r) parts[r].push_back(reports_[r]);
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    const network::Bytes message = ranks_.receive(rank, Channel::output);
    network::MessageReader from(message);
    for (auto& some : parts) some.push_back(take_layout(from));
  }
  for (std::size_t r = 0; r < reports_.size(); ++r)
    columns_.push_back(reports_[r].potential ? columns_of_sums(reports_[r], parts[r].size())
                                             : join_layout(parts[r], reports_[r]));
}

/// Every rank has all columns of sums, which add up.
OutputGather::Columns OutputGather::columns_of_sums(const models::ReportLayout& layout,
                                                    std::size_t ranks) {
  const std::size_t size = solver::sums_size(layout.potential->size());
  return {.counts = std::vector(ranks, size), .runs = {}, .all = size, .adds = true};
}

OutputGather::Columns OutputGather::join_layout(std::span<const models::ReportLayout> parts,
                                                models::ReportLayout& joined) {
  struct Node {
    std::uint64_t id = 0;
    std::size_t rank = 0, place = 0;
  };
  std::vector<Node> nodes;
  Columns columns;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    for (std::size_t place = 0; place < parts[rank].node_ids.size(); ++place)
      nodes.push_back({parts[rank].node_ids[place], rank, place});
    columns.counts.push_back(parts[rank].element_ids.size());
  }
  std::ranges::sort(nodes, {}, &Node::id);
  columns.runs.resize(parts.size());
  joined.node_ids.clear();
  joined.element_ids.clear();
  joined.element_pos.clear();
  joined.index_pointers.assign(1, 0);
  for (const Node& node : nodes) {
    const models::ReportLayout& part = parts[node.rank];
    const std::size_t begin = part.index_pointers[node.place];
    const std::size_t count = part.index_pointers[node.place + 1] - begin;
    const std::size_t to = joined.element_ids.size();
    std::vector<Run>& runs = columns.runs[node.rank];
    if (!runs.empty() && runs.back().from + runs.back().count == begin &&
        runs.back().to + runs.back().count == to)
      runs.back().count += count;
    else
      runs.push_back({begin, to, count});
    joined.node_ids.push_back(node.id);
    for (std::size_t k = begin; k < begin + count; ++k) {
      joined.element_ids.push_back(part.element_ids[k]);
      joined.element_pos.push_back(part.element_pos[k]);
    }
    joined.index_pointers.push_back(joined.element_ids.size());
  }
  columns.all = joined.element_ids.size();
  return columns;
}

void OutputGather::send(const Output& own, double until_ms) {
  network::MessageWriter to(message_);
  to.put(std::span<const double>(&until_ms, 1));
  to.put(own.spikes);
  for (const std::vector<double>& rows : own.rows) to.put(rows);
  send();
}

/// Until the first rank has it, which receives when the others send: an MPI may carry a large
/// message only while its sender waits.
void OutputGather::send() {
  ranks_.send(0, Channel::output, message_);
  ranks_.finish_sends(Channel::output);
}

/// Adds the spikes of the other ranks. Returns what they sent, [rank - 1].
std::vector<network::Bytes> OutputGather::receive(std::vector<network::CellSpike>& spikes,
                                                  double until_ms) {
  std::vector<network::Bytes> messages;
  double latest_ms = until_ms;
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    messages.push_back(ranks_.receive(rank, Channel::output));
    network::MessageReader from(messages.back());
    const double their_ms = from.take<double>().at(0);
    until_ms = std::min(until_ms, their_ms);
    latest_ms = std::max(latest_ms, their_ms);
    const auto some = from.take<network::CellSpike>();
    spikes.insert(spikes.end(), some.begin(), some.end());
  }
  if (until_ms < latest_ms)  // a rank failed
    std::erase_if(spikes, [until_ms](const auto& spike) { return spike.time_ms > until_ms; });
  return messages;
}

void OutputGather::join_rows(std::size_t report, std::span<const double> own,
                             const std::vector<network::Bytes>& messages,
                             std::vector<double>& joined) const {
  const Columns& columns = columns_[report];
  const std::size_t all = columns.all;
  std::vector<network::BytesView> parts{std::as_bytes(own)};
  for (const network::Bytes& message : messages) {
    network::MessageReader from(message);
    from.take_bytes<double>();
    from.take_bytes<network::CellSpike>();
    for (std::size_t r = 0; r < report; ++r) from.take_bytes<double>();
    parts.push_back(from.take_bytes<double>());
  }
  std::size_t rows = std::numeric_limits<std::size_t>::max();
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    if (columns.counts[rank] > 0)
      rows = std::min(rows, parts[rank].size() / sizeof(double) / columns.counts[rank]);
  if (all == 0) rows = 0;
  joined.resize(rows * all);
  if (columns.adds) return add_up(parts, joined);
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    for (std::size_t row = 0; row < rows; ++row)
      for (const Run& run : columns.runs[rank])
        std::memcpy(joined.data() + row * all + run.to,
                    parts[rank].data() + (row * columns.counts[rank] + run.from) * sizeof(double),
                    run.count * sizeof(double));
}

/// parts: of each rank rows of all columns, one rank's maybe more than another's.
void OutputGather::add_up(const std::vector<network::BytesView>& parts, std::vector<double>& sums) {
  std::ranges::fill(sums, 0.0);
  for (const network::BytesView& part : parts)
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double some;
      std::memcpy(&some, part.data() + i * sizeof(double), sizeof(double));
      sums[i] += some;
    }
}

}  // namespace hillock::simulator
