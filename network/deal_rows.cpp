#include "network/deal_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "network/message.hpp"

namespace hillock::network {

namespace {

using models::ConnectionRows;

/// Who has the targets of a projection. Asks the placement once a rank, not once a row.
class RankOfTarget {
 public:
  RankOfTarget(const Placement& placement, const models::PopulationSlice& to)
      : placement_(placement), to_(to) {
    if (placement.kind() == models::PlacementKind::round_robin) return;
    for (int rank = 0; rank < placement.ranks(); ++rank)
      begins_.push_back(placement.cells_of(to.population, rank).begin);
  }
  std::size_t operator()(std::uint32_t target) const {
    const std::uint64_t cell = to_.begin + target;
    if (begins_.empty()) return static_cast<std::size_t>(placement_.rank_of(to_.population, cell));
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_, cell) - begins_.begin()) - 1;
  }

 private:
  const Placement& placement_;
  const models::PopulationSlice& to_;
  std::vector<std::uint64_t> begins_;  ///< [rank] its first cell; of round_robin nothing
};

/// The rows of one part, sorted by rank; of one rank they keep their order.
struct RowsByRank {
  std::vector<std::size_t> first;    ///< [rank, and one more] into the rows
  std::vector<std::uint32_t> order;  ///< rows

  RowsByRank(const ConnectionRows& rows, const RankOfTarget& rank_of, std::size_t ranks)
      : first(ranks + 1), order(rows.size()) {
    for (const std::uint32_t target : rows.targets) ++first[rank_of(target) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first);
    for (std::size_t row = 0; row < rows.size(); ++row)
      order[next[rank_of(rows.targets[row])]++] = static_cast<std::uint32_t>(row);
  }
  std::span<const std::uint32_t> of(std::size_t rank) const {
    return std::span(order).subspan(first[rank], first[rank + 1] - first[rank]);
  }
};

template <class T>
std::vector<T> chosen(const std::vector<T>& column, std::span<const std::uint32_t> rows) {
  std::vector<T> some;
  if (column.empty()) return some;
  some.reserve(rows.size());
  for (const std::uint32_t row : rows) some.push_back(column[row]);
  return some;
}

Bytes message_of(const ConnectionRows& rows, std::span<const std::uint32_t> some) {
  Bytes message;
  message.reserve(some.size() * rows.bytes_a_row() + 64);
  MessageWriter to(message);
  to.put(chosen(rows.sources, some));
  to.put(chosen(rows.targets, some));
  to.put(chosen(rows.weights, some));
  to.put(chosen(rows.delays_ms, some));
  to.put(chosen(rows.branches, some));
  to.put(chosen(rows.positions, some));
  to.put(chosen(rows.points, some));
  for (const std::vector<double>& argument : rows.arguments) to.put(chosen(argument, some));
  return message;
}

template <class T>
void append(MessageReader& from, std::vector<T>& column) {
  const BytesView bytes = from.take_bytes<T>();
  if (bytes.empty()) return;
  const std::size_t before = column.size();
  column.resize(before + bytes.size() / sizeof(T));
  std::memcpy(column.data() + before, bytes.data(), bytes.size());
}

void append_rows(BytesView message, ConnectionRows& rows) {
  MessageReader from(message);
  append(from, rows.sources);
  append(from, rows.targets);
  append(from, rows.weights);
  append(from, rows.delays_ms);
  append(from, rows.branches);
  append(from, rows.positions);
  append(from, rows.points);
  for (std::vector<double>& argument : rows.arguments) append(from, argument);
}

/// What goes to each rank; this one's own stays.
void deal(Ranks& ranks, const RankOfTarget& rank_of, ConnectionRows& rows) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<Bytes> to;
  {
    const ConnectionRows part = rows.take();
    const RowsByRank by_rank(part, rank_of, count);
    for (std::size_t rank = 0; rank < count; ++rank)
      to.push_back(message_of(part, by_rank.of(rank)));
  }
  const auto own = static_cast<std::size_t>(ranks.number());
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t rank = (own + i) % count;
    ranks.send(static_cast<int>(rank), Channel::rows, to[rank]);
  }
  for (std::size_t rank = 0; rank < count; ++rank)
    append_rows(rank == own ? std::exchange(to[rank], {})
                            : ranks.receive(static_cast<int>(rank), Channel::rows),
                rows);
  ranks.finish_sends(Channel::rows);
}

}  // namespace

void deal_rows(Ranks& ranks, const Placement& placement, models::Network& network) {
  for (models::Projection& projection : network.projections)
    if (projection.connect.kind == models::ConnectionRule::Kind::list &&
        !std::holds_alternative<models::GapJunction>(projection.link))
      deal(ranks, {placement, projection.to}, projection.connect.rows);
}

}  // namespace hillock::network
