#include "network/outside.hpp"

#include <utility>

namespace hillock::network {

namespace {

class OutsideExchange final : public Exchange {
 public:
  OutsideExchange(std::unique_ptr<Exchange> carries, const Outside& outside)
      : carries_(std::move(carries)), outside_(outside) {}

  void send(const SpikeLists& own, const Said& said) override {
    received_ = own;
    leaving_.assign(1, {});
    for (const auto& some : own)
      for (const CellSpike& spike : some) {
        const auto known = outside_.leaving.find(spike.cell.value);
        if (known != outside_.leaving.end())
          leaving_.front().push_back(
              {spike.time_ms + known->second.later_ms, CellId(known->second.number)});
      }
    carries_->send(leaving_, said);
  }

  Received receive() override {
    const Received all = carries_->receive();
    std::vector<CellSpike>& coming = received_.emplace_back();
    for (const auto& some : all.spikes)
      for (const CellSpike& spike : some) {
        const auto cell = outside_.coming.find(spike.cell.value);
        if (cell != outside_.coming.end()) coming.push_back({spike.time_ms, cell->second});
      }
    return {received_, all.said};
  }

 private:
  std::unique_ptr<Exchange> carries_;
  const Outside& outside_;
  SpikeLists leaving_;   ///< with numbers in the place of cells
  SpikeLists received_;  ///< this rank's own, and those of cells elsewhere
};

}  // namespace

CellSet BesideOthers::cells_of(PopulationId population, int rank) const {
  if (rank != rank_of(population, 0)) return {};
  return {0, size_of(population)};
}

std::unique_ptr<Exchange> make_outside_exchange(std::unique_ptr<Exchange> carries,
                                                const Outside& outside) {
  return std::make_unique<OutsideExchange>(std::move(carries), outside);
}

}  // namespace hillock::network
