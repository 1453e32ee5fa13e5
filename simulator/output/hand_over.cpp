#include "simulator/output/hand_over.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/program/trace.hpp"

namespace hillock::simulator {

std::size_t Output::bytes() const {
  std::size_t bytes = spike_bytes();
  for (const auto& some : rows) bytes += some.size() * sizeof(double);
  return bytes;
}

void HandOver::give(Output output) {
  thread_.give([this, output = std::move(output)]() mutable {
    if (has_failed_) return;  // given before anybody heard of it
    const TracedWork traced("hand over");
    has_failed_ = true;
    order_.sort(output.spikes);
    pass_to_sink(std::move(output));
    has_failed_ = false;
  });
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

}  // namespace hillock::simulator
