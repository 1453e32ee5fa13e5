#include "simulator/backends/device/points/propagation_turns.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace hillock::simulator::on_device {

namespace {

/// run.propagation's, as Propagation has them.
constexpr std::array words_of_ways{"neurons", "synapses", "spikes", "spike_blocks", "queue"};

std::string word_of(Propagation way) {
  return words_of_ways[static_cast<std::size_t>(way)];
}

}  // namespace

PropagationTurns::PropagationTurns(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto found = std::ranges::find(words_of_ways, word);
    if (found == words_of_ways.end()) throw std::logic_error("spikes have no such way: " + word);
    ways_.push_back(static_cast<Propagation>(found - words_of_ways.begin()));
  }
  if (words.empty()) ways_.push_back(Propagation::queue);
}

std::vector<std::string> PropagationTurns::words() const {
  std::vector<std::string> words;
  std::ranges::transform(ways_, std::back_inserter(words), word_of);
  return words;
}

bool PropagationTurns::has(Propagation way) const {
  return std::ranges::find(ways_, way) != ways_.end();
}

Propagation PropagationTurns::begin(const Epoch& epoch, device::Stream stream) {
  if (spare_.empty()) spare_.emplace_back();
  const Propagation way = ways_[next_];
  next_ = (next_ + 1) % ways_.size();
  under_way_.push_back({{word_of(way), epoch.first, epoch.last, 0, 0}, std::move(spare_.back())});
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
