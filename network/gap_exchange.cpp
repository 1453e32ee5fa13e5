#include "network/gap_exchange.hpp"

#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hillock::network {

namespace {

class RankGaps final : public GapExchange {
 public:
  RankGaps(Ranks& ranks, const GapVoltages& voltages, const std::function<int(CellId)>& rank_of)
      : ranks_(ranks), read_mV_(voltages.read_from.size()) {
    for (std::uint32_t v = 0; v < voltages.published_to.size(); ++v) {
      const int rank = rank_of(voltages.published_to[v]);
      (rank == ranks.number() ? own_published_ : to_[rank].voltages).push_back(v);
    }
    for (std::uint32_t v = 0; v < voltages.read_from.size(); ++v) {
      const int rank = rank_of(voltages.read_from[v]);
      (rank == ranks.number() ? own_read_ : from_[rank]).push_back(v);
    }
  }

  std::span<const double> swap(std::span<const double> published_mV) override {
    ranks_.finish_sends(Channel::voltages);
    for (auto& [rank, message] : to_) {
      message.mV.clear();
      for (const std::uint32_t v : message.voltages) message.mV.push_back(published_mV[v]);
      ranks_.send(rank, Channel::voltages, std::as_bytes(std::span(message.mV)));
    }
    // Both lists are in one order.
    for (std::size_t i = 0; i < own_read_.size(); ++i)
      read_mV_[own_read_[i]] = published_mV[own_published_[i]];
    for (const auto& [rank, voltages] : from_) {
      const Bytes bytes = ranks_.receive(rank, Channel::voltages);
      if (bytes.size() != voltages.size() * sizeof(double))
        throw std::logic_error("a message of voltages is not as long as it is read");
      for (std::size_t i = 0; i < voltages.size(); ++i)
        std::memcpy(&read_mV_[voltages[i]], bytes.data() + i * sizeof(double), sizeof(double));
    }
    return read_mV_;
  }

 private:
  struct Message {
    std::vector<std::uint32_t> voltages;  ///< of those that are published
    std::vector<double> mV;
  };

  Ranks& ranks_;
  std::map<int, Message> to_;                       ///< [rank]
  std::map<int, std::vector<std::uint32_t>> from_;  ///< [rank] of those that are read
  std::vector<std::uint32_t> own_published_, own_read_;
  std::vector<double> read_mV_;
};

}  // namespace

std::unique_ptr<GapExchange> make_gap_exchange(Ranks& ranks, const GapVoltages& voltages,
                                               const std::function<int(CellId)>& rank_of) {
  return std::make_unique<RankGaps>(ranks, voltages, rank_of);
}

}  // namespace hillock::network
