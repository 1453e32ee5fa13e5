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
  RankGaps(Ranks& ranks, const GapValues& values, const std::function<int(CellId)>& rank_of)
      : ranks_(ranks), coming_(values.coming_from.size()) {
    for (std::uint32_t v = 0; v < values.leaving_to.size(); ++v)
      to_[rank_of(values.leaving_to[v])].values.push_back(v);
    for (std::uint32_t v = 0; v < values.coming_from.size(); ++v)
      from_[rank_of(values.coming_from[v])].push_back(v);
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

  Ranks& ranks_;
  std::map<int, Message> to_;                       ///< [rank]
  std::map<int, std::vector<std::uint32_t>> from_;  ///< [rank] of those that come
  std::vector<double> coming_;
};

}  // namespace

std::unique_ptr<GapExchange> make_gap_exchange(Ranks& ranks, const GapValues& values,
                                               const std::function<int(CellId)>& rank_of) {
  return std::make_unique<RankGaps>(ranks, values, rank_of);
}

}  // namespace hillock::network
