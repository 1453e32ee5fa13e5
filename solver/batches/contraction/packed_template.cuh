#pragma once
// A template's schedule on the device, packed for a plan or as it is.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solver/batches/contraction/plan.cuh"
#include "solver/batches/contraction/views.cuh"
#include "solver/contraction/schedule.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::solver::contraction {

/// A schedule packed for one plan, on the device.
template <class Real>
struct PackedTemplate {
  DeviceArray<PackedTask> tasks;
  DeviceArray<std::uint32_t> arrivals;
  DeviceArray<std::uint8_t> first_warp;
  DeviceArray<Real> edges;
  DeviceArray<int> coupling_of;
  TemplateView<Real> view;
};

inline std::uint32_t both(std::size_t lower, std::size_t upper) {
  return static_cast<std::uint32_t>(lower | upper << 16);
}

/// padding: how many places lie before the first task.
inline PackedTask packed_task(const ContractionSchedule& s, int t, int step, int padding) {
  const auto place = [](int node) { return node < 0 ? at(none) : at(node_place(node)); };
  const auto entry = [](int e) { return e < 0 ? at(none) : at(entry_place(e)); };
  const int first = s.inbox_start[at(t)], end = s.inbox_start[at(t + 1)];
  const int edge = s.give_edge[at(t)];
  PackedTask task;
  task.place_a = both(place(s.node[at(t)]), place(s.a[at(t)]));
  task.b_give_a = both(place(s.b[at(t)]), entry(s.give_a[at(t)]));
  task.give_b_edge = both(entry(s.give_b[at(t)]), edge < 0 ? none : 2u * at(padding) + at(edge));
  task.inbox_entries_step = both(at(first), at(end - first)) | static_cast<std::uint32_t>(step)
                                                                   << 24;
  return task;
}

/// TemplateView::arrivals: ahead of its step a task adds up what has arrived, three at most a step.
inline std::uint32_t arrivals_of(const ContractionSchedule& s, int t, int step) {
  const int end = s.inbox_start[at(t + 1)];
  std::uint32_t arrivals = 0;
  int taken = s.inbox_start[at(t)];
  for (int ahead = 0; ahead < std::min(step, 16); ++ahead) {
    int ready = taken;
    while (ready < end && ready < taken + 3 && s.arrival[at(ready)] <= ahead) ++ready;
    arrivals |= static_cast<std::uint32_t>(ready - taken) << (2 * ahead);
    taken = ready;
  }
  return arrivals;
}

/// [step] the first warp that takes part in it. The last step a warp takes part in grows with the
/// warp, because the last row is in step order.
inline std::vector<std::uint8_t> first_warps(const std::vector<PackedTask>& tasks, int steps,
                                             const Plan& plan, ContractionBarriers barriers) {
  const int warps = plan.threads / 32;
  std::vector<std::uint8_t> first_warp(at(steps), 0);
  for (int step = 0; step < steps; ++step) {
    const int wanted = std::min(step, last_named_step(plan.few_names) + 1);
    int warp = 0;
    while (warp < warps - 1 && barriers == ContractionBarriers::needed &&
           static_cast<int>(
               tasks[at((plan.K - 1) * plan.threads + 32 * warp + 31)].inbox_entries_step >> 24) <
               wanted)
      ++warp;
    first_warp[at(step)] = static_cast<std::uint8_t>(warp);
  }
  return first_warp;
}

template <class Real>
PackedTemplate<Real> pack(const ContractionSchedule& s, const std::vector<Real>& coupling,
                          const Plan& plan, ContractionBarriers barriers) {
  const int places = plan.K * plan.threads, padding = places - s.task_count();
  std::vector<PackedTask> tasks(at(places));
  std::vector<std::uint32_t> arrivals(at(places), 0);
  std::vector<Real> edges(at(2 * places), 0);
  std::vector<int> coupling_of(at(2 * places), -1);
  for (int step = 0; step < s.steps(); ++step)
    for (int t = s.step_start[at(step)]; t < s.step_start[at(step + 1)]; ++t) {
      tasks[at(padding + t)] = packed_task(s, t, step, padding);
      arrivals[at(padding + t)] = arrivals_of(s, t, step);
      for (int side = 0; side < 2; ++side) {
        const int node = s.coupling_of[at(2 * t + side)];
        coupling_of[at(2 * (padding + t) + side)] = node;
        if (node >= 0 && !coupling.empty())
          edges[at(2 * (padding + t) + side)] = coupling[at(node)];
      }
    }
  const auto room = inbox_and_voltages<Real>(s, plan);
  PackedTemplate<Real> packed{
      DeviceArray<PackedTask>(tasks),
      DeviceArray<std::uint32_t>(arrivals),
      DeviceArray<std::uint8_t>(first_warps(tasks, s.steps(), plan, barriers)),
      DeviceArray<Real>(edges),
      DeviceArray<int>(coupling_of),
      {}};
  packed.view = {packed.tasks.data(),
                 packed.arrivals.data(),
                 packed.first_warp.data(),
                 packed.edges.data(),
                 packed.coupling_of.data(),
                 s.node_count,
                 s.steps(),
                 room.entry_places,
                 room.pairs,
                 room.zero_place,
                 barriers == ContractionBarriers::all};
  return packed;
}

/// The schedule's own arrays on the device, for the global kernel.
template <class Real>
struct GlobalTemplate {
  DeviceArray<int> data;
  DeviceArray<Real> coupling;
  GlobalView<Real> view;
};

template <class Real>
GlobalTemplate<Real> to_global(const ContractionSchedule& s, const std::vector<Real>& coupling) {
  std::vector<int> data;
  std::vector<std::size_t> starts;
  for (const auto* values : {&s.step_start, &s.node, &s.a, &s.b, &s.give_a, &s.give_b, &s.give_edge,
                             &s.inbox_start, &s.coupling_of}) {
    starts.push_back(data.size());
    data.insert(data.end(), values->begin(), values->end());
  }
  GlobalTemplate<Real> result{DeviceArray<int>(data), DeviceArray<Real>(coupling), {}};
  const int* p = result.data.data();
  result.view = {
      {p + starts[0], p + starts[1], p + starts[2], p + starts[3], p + starts[4], p + starts[5],
       p + starts[6], p + starts[7], p + starts[8], s.task_count(), s.steps(), s.entry_count},
      result.coupling.data()};
  return result;
}

}  // namespace hillock::solver::contraction
