#pragma once
// How the `stream` walk uses a multiprocessor's shared memory, chosen by predicted time. Host code,
// no CUDA: what a device is comes in as numbers.

#include <cstddef>

#include "solver/batches/hines_batch/schedule.hpp"

namespace hillock::solver {

/// How the `stream` walk uses shared memory; zeros mean: choose.
struct StreamTuning {
  int stages = 0;        ///< pieces of 16 rows in flight for each warp: 2, 3 or 4
  int kept_chunks = -1;  ///< pieces nearest the root whose factors never leave the chip; -1: choose
};

/// What the choice depends on; the defaults are an H200's.
struct StreamDevice {
  int multiprocessors = 132;
  int most_blocks = 32;  ///< on a multiprocessor, whatever they use
  std::size_t shared_of_multiprocessor = 233472;
  std::size_t shared_of_block = 232448;
  std::size_t shared_reserved = 1024;  ///< for every block besides its own
  double bytes_per_us = 4.25e6;        ///< of a copy, reads and writes counted
  double cache_bytes = 70e6;           ///< about the L2 cache; fitted
};

/// Shared memory of one warp: stages × [d|u|b][16][32], kept × [f|y][16][32], the stack, barriers.
std::size_t stream_shared_bytes(std::size_t bytes_of_value, int stages, int kept_chunks,
                                int stack_depth);

/// Warps a multiprocessor holds at once.
int stream_warps_at_once(const StreamDevice& device, std::size_t bytes_of_value,
                         const StreamTuning& tuning, int stack_depth);

/// Microseconds of one solve by a model of two bounds, t = (memory⁴ + waves⁴)^¼:
///   memory: 4 words a row that is kept, 8 for others less what the L2 cache still holds of the
///           systems in flight, 3 at most, over the copy's bandwidth
///   waves:  ⌈groups / (multiprocessors · warps at once)⌉ solves of one warp, latency bound
/// Constants measured on an H200. Good to a quarter, and enough to rank choices.
double predict_stream_us(const HinesSchedule& schedule, std::size_t bytes_of_value,
                         const StreamDevice& device, const StreamTuning& tuning);

/// Fills in what `wish` leaves open. The results of a solve do not depend on it.
StreamTuning choose_stream_tuning(const HinesSchedule& schedule, std::size_t bytes_of_value,
                                  const StreamDevice& device, StreamTuning wish = {});

}  // namespace hillock::solver
