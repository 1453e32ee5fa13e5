#include "simulator/backends/device/points/propagation_turns.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::on_device {

bool PropagationTurns::has(models::Propagation way) const {
  return std::ranges::find(ways_, way) != ways_.end();
}

models::Propagation PropagationTurns::begin(const Epoch& epoch, device::Stream stream) {
  if (spare_.empty()) spare_.emplace_back();
  const models::Propagation way = ways_[next_];
  next_ = (next_ + 1) % ways_.size();
  under_way_.push_back({{way, epoch.first, epoch.last, 0, 0}, std::move(spare_.back())});
  spare_.pop_back();
  under_way_.back().span.begin(stream);
  return way;
}

void PropagationTurns::finish(std::uint64_t spikes) {
  UnderWay& over = under_way_.front();
  over.turn.spikes = spikes;
  over.turn.device_s = over.span.seconds();
  spare_.push_back(std::move(over.span));
  const PropagationTurn turn = over.turn;
  under_way_.pop_front();
  if (done_.empty() || done_.back().way != turn.way || done_.back().last_step != turn.first_step) {
    done_.push_back(turn);
    return;
  }
  done_.back().last_step = turn.last_step;
  done_.back().spikes += turn.spikes;
  done_.back().device_s += turn.device_s;
}

}  // namespace hillock::simulator::on_device
