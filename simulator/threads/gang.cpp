#include "simulator/threads/gang.hpp"

#include <algorithm>

#include "simulator/threads/pause.hpp"

namespace hillock::simulator {

void Gang::open(std::size_t leader) {
  leader_ = leader;
  pace_.go_on();
  set_resting(pace_.is_alone());
  is_open_.store(true, std::memory_order_relaxed);
}

void Gang::close() {
  is_open_.store(false, std::memory_order_relaxed);
  set_resting(false);
  pace_.stop();
}

void Gang::Pace::change(bool to_alone, Clock::duration how_long) {
  is_alone_ = to_alone;
  turns_ = 0;
  how_long_ = how_long;
  since_ = Clock::now();
}

void Gang::Pace::forget() {
  change(false, trial);
}

void Gang::Pace::look() {
  constexpr int trials = 32;  // with help, before it is measured again what there is without
  const Clock::duration took = Clock::now() - since_;
  if (took < how_long_) return;
  const double turn_s = std::chrono::duration<double>(took).count() / turns_;
  if (is_alone_) {
    alone_s_ = turn_s;
    trials_ = 0;
    change(false, trial);
  } else if (alone_s_ == 0 || ++trials_ == trials) {
    change(true, trial / 4);
  } else if (turn_s > alone_s_) {
    change(true, rest_);
    rest_ = std::min(2 * rest_, most_rest);
  } else {
    rest_ = least_rest;
    change(false, trial);
  }
}

void Gang::take_turn() {
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed) + 1;
  turn_.store(turn, std::memory_order_release);
  do_parts(turn, leader_);
  for (const Part& part : parts_)
    wait_a_moment_for([&] { return part.state.load(std::memory_order_acquire) == 2 * turn; });
  if (helpers_.load(std::memory_order_relaxed) > 0)
    end_turn();
  else
    pace_.forget();
}

void Gang::end_turn() {
  const bool was_alone = pace_.is_alone();
  pace_.count();
  if (pace_.is_alone() != was_alone) set_resting(pace_.is_alone());
}

void Gang::set_resting(bool rests) {
  if ((rest_.load(std::memory_order_relaxed) % 2 == 1) == rests) return;
  rest_.fetch_add(1, std::memory_order_release);
  rest_.notify_all();
}

void Gang::help(std::size_t number) {
  helpers_.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t known = 0;
  const auto is_open = [&] { return is_open_.load(std::memory_order_relaxed); };
  while (is_open()) {
    const std::uint32_t rest = rest_.load(std::memory_order_acquire);
    if (rest % 2 == 1) {
      rest_.wait(rest, std::memory_order_acquire);
      continue;
    }
    wait_a_moment_for([&] {
      return turn_.load(std::memory_order_acquire) != known || !is_open() ||
             rest_.load(std::memory_order_relaxed) != rest;
    });
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
