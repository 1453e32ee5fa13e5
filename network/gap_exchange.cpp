#include "network/gap_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hillock::network {

namespace {

class RankGaps final : public GapExchange {
 public:
  RankGaps(Ranks& ranks, const GapValues& values, const std::function<GapPeer(CellId)>& peer_of)
      : ranks_(ranks), coming_(values.coming_from.size()) {
    for (auto& [rank, sent] : by_rank(values.leaving_to, peer_of)) to_[rank].values = sent;
    from_ = by_rank(values.coming_from, peer_of);
  }

  std::span<const double> swap(std::span<const double> leaving) override {
    ranks_.finish_sends(Channel::voltages);
    for (auto& [rank, message] : to_) {
      message.numbers.clear();
      for (const std::uint32_t v : message.values) message.numbers.push_back(leaving[v]);
      ranks_.send(rank, Channel::voltages, std::as_bytes(std::span(message.numbers)));
    }
    for (const auto& [rank, values] : from_) {
      const Bytes bytes = ranks_.receive(rank, Channel::voltages);
      if (bytes.size() != values.size() * sizeof(double))
        throw std::logic_error("a message of values is not as long as it is read");
      for (std::size_t i = 0; i < values.size(); ++i)
        std::memcpy(&coming_[values[i]], bytes.data() + i * sizeof(double), sizeof(double));
    }
    return coming_;
  }

 private:
  struct Message {
    std::vector<std::uint32_t> values;  ///< of those that leave
    std::vector<double> numbers;
  };

  using ByRank = std::map<int, std::vector<std::uint32_t>>;

  /// [rank] values in the order in which they go.
  static ByRank by_rank(const std::vector<CellId>& others,
                        const std::function<GapPeer(CellId)>& peer_of) {
    std::map<int, std::vector<std::pair<std::uint64_t, std::uint32_t>>> numbered;
    for (std::uint32_t v = 0; v < others.size(); ++v) {
      const GapPeer peer = peer_of(others[v]);
      numbered[peer.rank].emplace_back(peer.number, v);
    }
    ByRank ordered;
    for (auto& [rank, some] : numbered) {
      std::ranges::sort(some);
      for (const auto& [number, v] : some) ordered[rank].push_back(v);
    }
    return ordered;
  }

  Ranks& ranks_;
  std::map<int, Message> to_;  ///< [rank]
  ByRank from_;                ///< of those that come
  std::vector<double> coming_;
};

}  // namespace

std::unique_ptr<GapExchange> make_gap_exchange(Ranks& ranks, const GapValues& values,
                                               const std::function<GapPeer(CellId)>& peer_of) {
  return std::make_unique<RankGaps>(ranks, values, peer_of);
}

}  // namespace hillock::network
