#include "simulator/output/hand_over.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/containers/time_order.hpp"
#include "core/program/trace.hpp"
#include "simulator/threads/core_binding.hpp"

namespace hillock::simulator {

std::size_t Output::bytes() const {
  std::size_t bytes = spike_bytes();
  for (const auto& some : rows) bytes += some.size() * sizeof(double);
  return bytes;
}

HandOver::HandOver(RunSink& sink) : sink_(sink), thread_([this] { serve(); }) {}

HandOver::~HandOver() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HandOver::give(Output output) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !has_output_ && !is_busy_; });
    rethrow();
    waiting_ = std::move(output);
    has_output_ = true;
  }
  changed_.notify_all();
}

void HandOver::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !has_output_ && !is_busy_; });
  rethrow();
}

void HandOver::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void HandOver::pass_to_sink(Output output) {
  for (std::span rest(output.spikes); !rest.empty();) {
    const auto some = rest.first(std::min(most_spikes, rest.size()));
    sink_.spikes(some);
    rest = rest.subspan(some.size());
  }
  output.spikes = {};
  for (std::size_t r = 0; r < output.rows.size(); ++r)
    if (!output.rows[r].empty()) sink_.rows(r, std::move(output.rows[r]));
}

void HandOver::serve() {
  use_all_cores();
  name_this_thread("hand over");
  constexpr auto number_of = [](const network::CellSpike& spike) { return spike.cell.value; };
  TimeOrder<network::CellSpike, &network::CellSpike::time_ms, number_of> order;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return has_output_ || is_over_; });
    if (!has_output_) return;
    Output output = std::move(waiting_);
    has_output_ = false;
    if (has_failed_) {  // given before anybody heard of it
      changed_.notify_all();
      continue;
    }
    is_busy_ = true;
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr failure;
    try {
      const TracedWork traced("hand over");
      order.sort(output.spikes);
      pass_to_sink(std::move(output));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      has_failed_ = true;
    }
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace hillock::simulator
