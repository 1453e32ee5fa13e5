#include "simulator/loop/collected_output.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator {

namespace {

std::uint64_t size_of(const network::SpikeLists& lists) {
  std::uint64_t size = 0;
  for (const auto& some : lists) size += some.size();
  return size;
}

}  // namespace

std::uint64_t CollectedOutput::count_of(const network::SpikeLists& lists) const {
  std::uint64_t count = size_of(lists);
  if (relays_.empty()) return count;
  for (const auto& some : lists)
    for (const network::CellSpike& spike : some)
      count -= std::ranges::any_of(relays_, [&](const auto& range) {
        return range.first <= spike.cell && spike.cell < range.second;
      });
  return count;
}

void CollectedOutput::add(Made& made, bool keeps_spikes) {
  made.is_collected = true;
  until_ms = made.end_ms;
  spike_count += count_of(made.result.spikes);
  for (auto& some : made.result.spikes)
    if (output_.spikes.empty() && !keeps_spikes)
      std::swap(output_.spikes, some);
    else
      output_.spikes.insert(output_.spikes.end(), some.begin(), some.end());
  output_.rows.resize(made.rows.size());
  for (std::size_t r = 0; r < made.rows.size(); ++r) {
    std::vector<double>&all = output_.rows[r], &rows = made.rows[r];
    if (all.empty())
      std::swap(all, rows);
    else
      all.insert(all.end(), rows.begin(), rows.end());
  }
}

bool CollectedOutput::has_block(const Made& made, int ranks, std::size_t more) const {
  constexpr std::chrono::milliseconds longest{50};
  std::size_t bytes =
      output_.bytes() + size_of(made.result.spikes) * sizeof(network::CellSpike) + more;
  for (const auto& rows : made.rows) bytes += rows.size() * sizeof(double);
  return bytes >= HandOver::block_bytes_of(ranks) ||
         std::chrono::steady_clock::now() - taken_ >= longest;
}

Output CollectedOutput::take() {
  taken_ = std::chrono::steady_clock::now();
  return std::exchange(output_, {});
}

}  // namespace hillock::simulator
