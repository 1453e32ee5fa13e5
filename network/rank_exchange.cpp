#include "network/rank_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace hillock::network {

namespace {

static_assert(std::is_trivially_copyable_v<CellSpike> && std::is_trivially_copyable_v<Said>);

BytesView bytes_of_spikes(std::span<const CellSpike> spikes) {
  return std::as_bytes(spikes);
}

void append(BytesView bytes, std::vector<CellSpike>& spikes) {
  if (bytes.size() % sizeof(CellSpike) != 0)
    throw std::logic_error("a message of spikes has a part of one");
  if (bytes.empty()) return;
  const std::size_t before = spikes.size();
  spikes.resize(before + bytes.size() / sizeof(CellSpike));
  std::memcpy(spikes.data() + before, bytes.data(), bytes.size());
}

/// The spikes of this rank and what it says, in one piece.
struct Outgoing {
  std::vector<CellSpike> spikes;
  Said said;

  void take(const SpikeLists& own, const Said& words) {
    spikes.clear();
    for (const auto& some : own) spikes.insert(spikes.end(), some.begin(), some.end());
    said = words;
    said.spikes = spikes.size();
  }
};

/// A block of every rank has what it says and its first spikes; what finds no room there follows in
/// a gather of its own. Blocks are as large as the last exchange shows to be of use.
class GatherExchange final : public Exchange {
 public:
  explicit GatherExchange(Ranks& ranks)
      : ranks_(ranks), count_(static_cast<std::size_t>(ranks.count())) {}

  void send(const SpikeLists& own, const Said& said) override {
    outgoing_.take(own, said);
    const std::size_t bytes = sizeof(Said) + room_ * sizeof(CellSpike);
    block_.resize(bytes);
    blocks_.resize(bytes * count_);
    std::memcpy(block_.data(), &outgoing_.said, sizeof(Said));
    const BytesView first = bytes_of_spikes(
        std::span(outgoing_.spikes).first(std::min(room_, outgoing_.spikes.size())));
    std::ranges::copy(first, block_.begin() + sizeof(Said));
    ranks_.begin_all_gather(block_, blocks_);
  }

  Received receive() override {
    ranks_.finish_all_gather();
    Said all;
    std::uint64_t most = 0;
    received_.resize(1);
    std::vector<CellSpike>& spikes = received_.front();
    spikes.clear();
    sizes_.assign(count_, 0);
    const std::size_t bytes = blocks_.size() / count_;
    for (std::size_t rank = 0; rank < count_; ++rank) {
      const BytesView block = BytesView(blocks_).subspan(rank * bytes, bytes);
      Said said;
      std::memcpy(&said, block.data(), sizeof(Said));
      all.failures += said.failures;
      all.outputs += said.outputs;
      all.saves += said.saves;
      all.spikes += said.spikes;
      most = std::max(most, said.spikes);
      const std::uint64_t here = std::min<std::uint64_t>(room_, said.spikes);
      append(block.subspan(sizeof(Said), here * sizeof(CellSpike)), spikes);
      sizes_[rank] = (said.spikes - here) * sizeof(CellSpike);
    }
    if (most > room_) gather_rest(spikes);
    choose_room(most, all.spikes);
    return {received_, all};
  }

 private:
  static constexpr std::size_t least_room = 8, most_room = 4096;

  /// For the most spikes of a rank; but what few ranks alone have many of is cheaper in a gather of
  /// its own than in a block of every rank.
  void choose_room(std::uint64_t most, std::uint64_t all) {
    const std::uint64_t mean = (all + count_ - 1) / count_;
    const std::uint64_t room = std::bit_ceil(std::min(most + most / 4, 8 * mean));
    room_ = std::clamp<std::size_t>(room, least_room, most_room);
  }

  void gather_rest(std::vector<CellSpike>& spikes) {
    std::size_t all = 0;
    for (const std::size_t size : sizes_) all += size;
    rest_.resize(all);
    const std::span own(outgoing_.spikes);
    ranks_.all_gather(bytes_of_spikes(own.subspan(std::min(room_, own.size()))), sizes_, rest_);
    append(rest_, spikes);
  }

  Ranks& ranks_;
  std::size_t count_;
  std::size_t room_ = least_room;  ///< spikes in a block
  Outgoing outgoing_;
  Bytes block_, blocks_, rest_;
  std::vector<std::size_t> sizes_;  ///< [rank] bytes that found no room in its block
  SpikeLists received_;
};

/// A message to every rank that listens, and a sum of what all say.
class NeighbourExchange final : public Exchange {
 public:
  NeighbourExchange(Ranks& ranks, Neighbours neighbours)
      : ranks_(ranks), neighbours_(std::move(neighbours)) {}

  void send(const SpikeLists& own, const Said& said) override {
    ranks_.finish_sends(Channel::spikes);
    outgoing_.take(own, said);
    numbers_ = {outgoing_.said.failures, outgoing_.said.outputs, outgoing_.said.saves,
                outgoing_.said.spikes};
    ranks_.begin_sum(numbers_, sums_);
    for (const int rank : neighbours_.to)
      ranks_.send(rank, Channel::spikes, bytes_of_spikes(outgoing_.spikes));
  }

  Received receive() override {
    received_.resize(1);
    received_.front() = outgoing_.spikes;
    for (const int rank : neighbours_.from)
      append(ranks_.receive(rank, Channel::spikes), received_.front());
    ranks_.finish_sum();
    return {received_, {sums_[0], sums_[1], sums_[2], sums_[3]}};
  }

 private:
  Ranks& ranks_;
  Neighbours neighbours_;
  Outgoing outgoing_;
  std::array<std::uint64_t, 4> numbers_{}, sums_{};
  SpikeLists received_;
};

}  // namespace

Neighbours find_neighbours(Ranks& ranks, const std::vector<bool>& sources) {
  const auto count = static_cast<std::size_t>(ranks.count());
  const auto own = static_cast<std::size_t>(ranks.number());
  const std::size_t row = (count + 7) / 8;
  const auto bit_of = [](std::size_t rank) { return std::byte{1} << rank % 8; };
  Bytes listens(row), all(row * count);
  for (std::size_t rank = 0; rank < count; ++rank)
    if (sources[rank]) listens[rank / 8] |= bit_of(rank);
  ranks.begin_all_gather(listens, all);
  ranks.finish_all_gather();
  Neighbours neighbours;
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (rank == own) continue;
    if (sources[rank]) neighbours.from.push_back(static_cast<int>(rank));
    if ((all[rank * row + own / 8] & bit_of(own)) != std::byte{0})
      neighbours.to.push_back(static_cast<int>(rank));
  }
  return neighbours;
}

ExchangeKind choose_exchange(Ranks& ranks, const Neighbours& neighbours, ExchangeKind wish) {
  if (wish != ExchangeKind::automatic) return wish;
  const std::uint64_t own = neighbours.from.size();
  std::uint64_t all = 0;
  ranks.sum({&own, 1}, {&all, 1});
  const auto count = static_cast<std::uint64_t>(ranks.count());
  // A gather takes about log2(ranks) turns, and brings the spikes of all.
  const std::uint64_t few = std::max<std::uint64_t>(2, std::bit_width(count));
  return count > 8 && all <= few * count ? ExchangeKind::neighbours : ExchangeKind::all;
}

std::unique_ptr<Exchange> make_exchange(Ranks& ranks, Neighbours neighbours, ExchangeKind kind) {
  if (kind == ExchangeKind::neighbours)
    return std::make_unique<NeighbourExchange>(ranks, std::move(neighbours));
  return std::make_unique<GatherExchange>(ranks);
}

}  // namespace hillock::network
