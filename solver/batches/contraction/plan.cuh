#pragma once
// How the cells of a template are solved: by which teams, with how many tasks a thread.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/errors/errors.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/contraction/schedule.hpp"

namespace hillock::solver::contraction {

inline constexpr int registers_of_a_multiprocessor = 65536;

/// Registers of a block: its warps are dealt to a multiprocessor's four parts.
constexpr int registers_of(int threads, int each) {
  return (threads + 127) / 128 * 128 * each;
}

/// Registers limit the cells that a multiprocessor holds: where cells are many, just enough for K
/// tasks and their values; where they are few, as many as speed asks for.
template <class Real>
constexpr int roomy_registers(int K) {
  return sizeof(Real) == 4 ? 48 + 24 * (K - 1) : 64 + 32 * (K - 1);
}
template <class Real>
constexpr int tight_registers(int K, bool once) {
  if (sizeof(Real) == 4) return 40 + 8 * (K - 1);
  return once ? (K == 4 ? 72 : 40 + 8 * (K - 1)) : K == 1 ? 48 : K == 2 ? 56 : K == 3 ? 64 : 80;
}

inline constexpr int warps_a_block = 4;       // of the warp mapping
inline constexpr int max_tasks_a_warp = 128;  // 4 a thread

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// How the cells of one template are solved.
struct Plan {
  ContractionMapping mapping = ContractionMapping::block;
  int K = 1;
  int threads = 32;        ///< of a team
  bool few = false;        ///< cells, so that each may have a multiprocessor's registers
  bool few_names = false;  ///< of barriers, so that more than four blocks share a multiprocessor
  bool operator<(const Plan& o) const {
    return std::tie(mapping, K, threads, few, few_names) <
           std::tie(o.mapping, o.K, o.threads, o.few, o.few_names);
  }
};

inline int round_up(int n, int to) {
  return (n + to - 1) / to * to;
}

/// The kernel with much room in registers, which keeps v apart from the inbox.
template <class Real>
bool is_roomy(const Plan& plan) {
  return plan.mapping == ContractionMapping::block && plan.few &&
         registers_of(plan.threads, roomy_registers<Real>(plan.K)) <= registers_of_a_multiprocessor;
}

/// Where inbox and v lie, in pairs, and the place in v that stays 0.
struct InboxAndVoltages {
  int entry_places, pairs, zero_place;
};

template <class Real>
InboxAndVoltages inbox_and_voltages(const ContractionSchedule& s, const Plan& plan) {
  const int entries = entry_place(s.entry_count) + 1, v_pairs = node_place(s.node_count) / 2 + 1;
  if (is_roomy<Real>(plan)) return {entries, entries + v_pairs + 1, 2 * v_pairs};
  const int pairs = std::max(entries, v_pairs);
  return {entries, pairs + 1, 2 * pairs};
}

template <class Real>
std::size_t team_bytes(const ContractionSchedule& s, const Plan& plan) {
  const std::size_t pairs = at(inbox_and_voltages<Real>(s, plan).pairs + plan.K * plan.threads);
  return (2 * (pairs + at(s.node_count)) * sizeof(Real) + at(s.steps()) + 15) / 16 * 16;
}

template <class Real>
bool fits(const ContractionSchedule& s, const Plan& plan, std::size_t shared_limit) {
  const std::size_t teams = plan.mapping == ContractionMapping::warp ? warps_a_block : 1;
  int most = 0;
  for (int t = 0; t < s.task_count(); ++t)
    most = std::max(most, s.inbox_start[at(t + 1)] - s.inbox_start[at(t)]);
  return plan.threads <= 1024 && s.steps() <= 255 && most <= 255 &&
         inbox_and_voltages<Real>(s, plan).zero_place < none &&
         teams * team_bytes<Real>(s, plan) <= shared_limit;
}

inline Plan block_plan(const ContractionSchedule& s, int K, bool few) {
  return {ContractionMapping::block, K, round_up((s.task_count() + K - 1) / K, 32), few};
}

/// The tasks a thread of a block that are tried, most wished for first. Few cells: the fewest whose
/// values find room in registers. Many: the fewest, two at least, with which two cells share a
/// multiprocessor's registers. Then whatever fits.
template <class Real>
std::vector<int> wished_tasks(const ContractionSchedule& s, bool few, bool many) {
  std::vector<int> wishes;
  for (int K = many ? 2 : 1; K <= 4; ++K)
    if (registers_of(block_plan(s, K, few).threads,
                     many ? 2 * tight_registers<Real>(K, false) : roomy_registers<Real>(K)) <=
        registers_of_a_multiprocessor)
      wishes.push_back(K);
  wishes.insert(wishes.end(), {1, 2, 3, 4});
  return wishes;
}

template <class Real>
Plan choose_plan(const ContractionSchedule& s, std::size_t cells, const ContractionOptions& options,
                 const cudaDeviceProp& device) {
  const std::size_t shared = device.sharedMemPerBlockOptin;
  const bool many = cells > 4 * at(device.multiProcessorCount);
  const bool few = cells <= at(device.multiProcessorCount);
  const auto forced = options.mapping;
  if (options.tasks_per_thread < 0 || options.tasks_per_thread > 4)
    throw UsageError("contraction: tasks_per_thread must be 1 to 4, or 0 for automatic");
  if (forced == ContractionMapping::warp || (forced == ContractionMapping::automatic &&
                                             s.task_count() <= (many ? max_tasks_a_warp : 64))) {
    const Plan plan{ContractionMapping::warp, (s.task_count() + 31) / 32, 32, false};
    if (s.task_count() <= max_tasks_a_warp && fits<Real>(s, plan, shared)) return plan;
    if (forced == ContractionMapping::warp)
      throw UsageError("contraction: a warp cannot hold a cell of " +
                       std::to_string(s.task_count()) + " tasks (at most 128)");
  }
  if (forced != ContractionMapping::global) {
    // So many cells that how many fit at once decides: three tasks a thread, if more than four
    // blocks find room.
    if (Plan plan = block_plan(s, 3, few);
        cells > 64 * at(device.multiProcessorCount) && options.tasks_per_thread % 3 == 0 &&
        fits<Real>(s, plan, shared) &&
        5 * (team_bytes<Real>(s, plan) + 1024) <= device.sharedMemPerMultiprocessor) {
      plan.few_names = true;
      return plan;
    }
    const std::vector<int> wishes = options.tasks_per_thread > 0
                                        ? std::vector{options.tasks_per_thread}
                                        : wished_tasks<Real>(s, few, many);
    for (const int K : wishes)
      if (const Plan plan = block_plan(s, K, few); fits<Real>(s, plan, shared)) return plan;
    if (forced == ContractionMapping::block)
      throw UsageError("contraction: a block's shared memory cannot hold a cell of " +
                       std::to_string(s.node_count) + " compartments. Use the global mapping?");
  }
  return {ContractionMapping::global, 1, std::min(1024, round_up((s.task_count() + 1) / 2, 32)),
          false};
}

}  // namespace hillock::solver::contraction
