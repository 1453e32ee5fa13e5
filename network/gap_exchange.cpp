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
      : ranks_(ranks), coming_mV_(voltages.coming_from.size()) {
    for (std::uint32_t v = 0; v < voltages.leaving_to.size(); ++v)
      to_[rank_of(voltages.leaving_to[v])].voltages.push_back(v);
    for (std::uint32_t v = 0; v < voltages.coming_from.size(); ++v)
      from_[rank_of(voltages.coming_from[v])].push_back(v);
  }

  std::span<const double> swap(std::span<const double> leaving_mV) override {
    ranks_.finish_sends(Channel::voltages);
    for (auto& [rank, message] : to_) {
      message.mV.clear();
      for (const std::uint32_t v : message.voltages) message.mV.push_back(leaving_mV[v]);
      ranks_.send(rank, Channel::voltages, std::as_bytes(std::span(message.mV)));
    }
    for (const auto& [rank, voltages] : from_) {
      const Bytes bytes = ranks_.receive(rank, Channel::voltages);
      if (bytes.size() != voltages.size() * sizeof(double))
        throw std::logic_error("a message of voltages is not as long as it is read");
      for (std::size_t i = 0; i < voltages.size(); ++i)
        std::memcpy(&coming_mV_[voltages[i]], bytes.data() + i * sizeof(double), sizeof(double));
    }
    return coming_mV_;
  }

 private:
  struct Message {
    std::vector<std::uint32_t> voltages;  ///< of those that leave
    std::vector<double> mV;
  };

  Ranks& ranks_;
  std::map<int, Message> to_;                       ///< [rank]
  std::map<int, std::vector<std::uint32_t>> from_;  ///< [rank] of those that come
  std::vector<double> coming_mV_;
};

}  // namespace

std::unique_ptr<GapExchange> make_gap_exchange(Ranks& ranks, const GapVoltages& voltages,
                                               const std::function<int(CellId)>& rank_of) {
  return std::make_unique<RankGaps>(ranks, voltages, rank_of);
}

}  // namespace hillock::network
