#include "simulator/threads/gang.hpp"

#include <algorithm>

#include "simulator/threads/pause.hpp"

namespace hillock::simulator {

void Gang::open(std::size_t leader) {
  leader_ = leader;
  is_open_.store(true, std::memory_order_relaxed);
}

void Gang::take_turn() {
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed) + 1;
  turn_.store(turn, std::memory_order_release);
  do_parts(turn, leader_);
  for (const Part& part : parts_)
    wait_a_moment_for([&] { return part.state.load(std::memory_order_acquire) == 2 * turn; });
}

void Gang::help(std::size_t number) {
  helpers_.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t known = 0;
  const auto is_open = [&] { return is_open_.load(std::memory_order_relaxed); };
  while (is_open()) {
    wait_a_moment_for([&] { return turn_.load(std::memory_order_acquire) != known || !is_open(); });
    known = turn_.load(std::memory_order_acquire);
    do_parts(known, number);
  }
  helpers_.fetch_sub(1, std::memory_order_relaxed);
}

bool Gang::is_taken(std::uint64_t turn) const {
  return std::ranges::none_of(parts_, [&](const Part& part) {
    return part.state.load(std::memory_order_relaxed) < 2 * turn - 1;
  });
}

/// First one's own part; then those whose threads do not come, which are given a moment to.
void Gang::do_parts(std::uint64_t turn, std::size_t number) {
  constexpr int moment = 40;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::size_t at = (number + k) % parts_.size();
    Part& part = parts_[at];
    if (k == 1 && helpers_.load(std::memory_order_relaxed) + 1 >= parts_.size())
      for (int look = 0; look < moment && !is_taken(turn); ++look) pause_a_moment();
    // A thread that comes late finds every part of its turn done.
    std::uint64_t before = 2 * (turn - 1);
    if (part.state.load(std::memory_order_relaxed) != before ||
        !part.state.compare_exchange_strong(before, 2 * turn - 1, std::memory_order_acquire,
                                            std::memory_order_relaxed))
      continue;
    call_(body_, at);
    part.state.store(2 * turn, std::memory_order_release);
  }
}

}  // namespace hillock::simulator
