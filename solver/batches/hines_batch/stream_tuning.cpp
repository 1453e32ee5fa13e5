#include "solver/batches/hines_batch/stream_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/batches/hines_batch/elimination.hpp"

namespace hillock::solver {
namespace {

using namespace hines;

int most_rows(const HinesSchedule& schedule) {
  int rows = 0;
  for (std::size_t g = 0; g < schedule.n_groups(); ++g) rows = std::max(rows, schedule.rows(g));
  return rows;
}

/// More bring a batch that is small at most 3 % and leave no room for the kernels of other batches.
constexpr int most_kept = 5;

int chunks_of(int rows) {
  return (rows + rows_per_word - 1) / rows_per_word;
}

double predict(const HinesSchedule& schedule, int rows, std::size_t bytes_of_value,
               const StreamDevice& device, const StreamTuning& tuning) {
  const int warps = stream_warps_at_once(device, bytes_of_value, tuning, schedule.stack_depth);
  if (warps == 0 || rows == 0) return warps == 0 ? HUGE_VAL : 0;
  const double warps_in_flight = std::min(static_cast<double>(schedule.n_groups()),
                                          static_cast<double>(device.multiprocessors) * warps);
  const double footprint = warps_in_flight * 96 * rows * static_cast<double>(bytes_of_value);
  const double words_kept = 4, words_others = 8 - 3 * std::exp(-footprint / device.cache_bytes);
  const double kept = std::min(1.0, static_cast<double>(tuning.kept_chunks * rows_per_word) / rows);
  const double memory_us = static_cast<double>(schedule.length() * bytes_of_value) *
                           (words_kept * kept + words_others * (1 - kept)) / device.bytes_per_us;
  const double us_a_row = bytes_of_value == 8 ? 0.1 : 0.08;
  const double wave_us = 1.7 + us_a_row * rows;
  const double waves = std::ceil(static_cast<double>(schedule.n_groups()) /
                                 (static_cast<double>(device.multiprocessors) * warps));
  return std::sqrt(std::hypot(memory_us * memory_us, waves * wave_us * waves * wave_us));
}

}  // namespace

std::size_t stream_shared_bytes(std::size_t bytes_of_value, int stages, int kept_chunks,
                                int stack_depth) {
  const std::size_t row = bytes_of_value * 32, chunk = row * rows_per_word;
  return static_cast<std::size_t>(stages) * (3 * chunk + sizeof(std::uint64_t)) +
         static_cast<std::size_t>(kept_chunks) * 2 * chunk +
         static_cast<std::size_t>(stack_depth) * 2 * row;
}

int stream_warps_at_once(const StreamDevice& device, std::size_t bytes_of_value,
                         const StreamTuning& tuning, int stack_depth) {
  const std::size_t bytes =
      stream_shared_bytes(bytes_of_value, tuning.stages, tuning.kept_chunks, stack_depth);
  if (bytes > device.shared_of_block) return 0;
  return std::min(device.most_blocks, static_cast<int>(device.shared_of_multiprocessor /
                                                       (bytes + device.shared_reserved)));
}

double predict_stream_us(const HinesSchedule& schedule, std::size_t bytes_of_value,
                         const StreamDevice& device, const StreamTuning& tuning) {
  return predict(schedule, most_rows(schedule), bytes_of_value, device, tuning);
}

StreamTuning choose_stream_tuning(const HinesSchedule& schedule, std::size_t bytes_of_value,
                                  const StreamDevice& device, StreamTuning wish) {
  const int rows = most_rows(schedule), chunks = chunks_of(rows);
  StreamTuning chosen = wish;
  if (chosen.stages == 0) chosen.stages = 2;  // many warps share a multiprocessor: more lose
  if (wish.kept_chunks < 0) {
    double best = HUGE_VAL;
    chosen.kept_chunks = 0;
    StreamTuning trial = chosen;
    for (; trial.kept_chunks <= std::min(chunks, most_kept); ++trial.kept_chunks) {
      const double us = predict(schedule, rows, bytes_of_value, device, trial);
      if (us <= 1.01 * best) chosen = trial;  // of equals the one that moves least
      best = std::min(best, us);
    }
  }
  chosen.kept_chunks = std::min(chosen.kept_chunks, chunks);
  while (chosen.kept_chunks > 0 &&
         stream_shared_bytes(bytes_of_value, chosen.stages, chosen.kept_chunks,
                             schedule.stack_depth) > device.shared_of_block)
    --chosen.kept_chunks;
  return chosen;
}

}  // namespace hillock::solver
