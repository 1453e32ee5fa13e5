#include "solver/choice/cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/errors/errors.hpp"
#include "solver/choice/cost_constants.hpp"
#include "solver/choice/thomas_split.hpp"

namespace hillock::solver {
namespace {

/// Whether the branch solver should fill the device rather than hurry.
bool are_many(std::size_t cells, const DeviceTraits& device) {
  return cells > 2 * static_cast<std::size_t>(device.multiprocessors);
}

/// What a batch costs one family: the time of one cell alone, and the time that all cells take of
/// the device when it is full. `fixed` comes on top.
struct Cost {
  double fixed_us = 0;
  double latency_us = 0;
  double throughput_us = 0;

  void add(const Cost& other) {
    fixed_us = std::max(fixed_us, other.fixed_us);
    latency_us = std::max(latency_us, other.latency_us);
    throughput_us += other.throughput_us;
  }
  /// A batch is bound by one or the other; where they are alike, by something more than either.
  double total() const {
    constexpr double power = 4;
    return fixed_us +
           std::pow(std::pow(latency_us, power) + std::pow(throughput_us, power), 1 / power);
  }
};

struct Site {
  const DeviceTraits& device;
  Use use;
  std::size_t bytes_of_value;

  const Constants& of(const Measured& family) const {
    const bool launch = use == Use::launch;
    if (bytes_of_value == 8) return launch ? family.double_launch : family.double_resident;
    return launch ? family.float_launch : family.float_resident;
  }
  double bytes() const { return static_cast<double>(bytes_of_value); }
  double multiprocessors() const { return device.multiprocessors; }
  /// How much longer than on the reference anything takes that waits for the clock, …
  double slower() const { return reference_gpu().clock_GHz / device.clock_GHz; }
  /// … and for the memory.
  double slower_memory() const { return reference_gpu().memory_GBps / device.memory_GBps; }
  /// Microseconds to move bytes, at a bandwidth reached on the reference.
  double moving_us(double bytes_moved, double reference_GBps) const {
    return bytes_moved / (reference_GBps * 1e3) * slower_memory();
  }
};

/// A row is a reciprocal or so of latency; all rows move once, or, beyond the rows that a warp's
/// lanes hold, through two sweeps.
Cost thomas_cost(const TreeFeatures& tree, double cells, const Site& site) {
  const auto& [fixed, row, bandwidth, long_row, long_bandwidth, u1, u2, u3] =
      site.of(thomas_measured);
  const double n = tree.compartments;
  if (tree.compartments <= static_cast<int>(longest_thomas_split))
    return {fixed, row * n * site.slower(),
            site.moving_us(5 * n * cells * site.bytes(), bandwidth)};
  return {fixed, long_row * n * site.slower(),
          site.moving_us(9 * n * cells * site.bytes(), long_bandwidth)};
}

/// One thread walks a cell's rows up and down, with a stack at forks; of eight numbers a row four
/// stay on the chip for the rows nearest the root.
Cost hines_cost(const TreeFeatures& tree, double cells, const Site& site) {
  const auto& [fixed, row, kept_rows, bandwidth, fork, u1, u2, u3] = site.of(hines_measured);
  const double n = tree.compartments;
  const double numbers = 4 + 4 * std::max(0.0, 1 - kept_rows / n);
  return {fixed, (row * n + fork * tree.branches) * site.slower(),
          site.moving_us(numbers * n * cells * site.bytes(), bandwidth)};
}

/// Levels and the critical path; blocks share a multiprocessor as far as its shared memory and
/// threads go. Blocks that do not fit shared memory work in device memory.
Cost branch_cost(const TreeFeatures& tree, double cells, const Site& site) {
  const auto& [fixed, level, path, sharing, compartment, in_memory, memory_compartment, child] =
      site.of(branch_measured);
  const BranchWork& work =
      are_many(static_cast<std::size_t>(cells), site.device) ? tree.many : tree.few;
  const double latency =
      (level * work.levels + path * work.path + child * tree.stone_children) * site.slower();
  const double share = cells / site.multiprocessors();
  const double shared = work.storage * 4.0 * site.bytes() +
                        work.branches * (2 * site.bytes() + 16) + 16.0 * (work.levels + 1);
  const double n = tree.compartments, room = 0.965 * static_cast<double>(site.device.shared_bytes);
  if (shared > room)
    return {fixed, latency * in_memory, share * n * memory_compartment * site.slower_memory()};
  // A warp needs no named barriers, of which a multiprocessor has enough for four blocks.
  const double resident =
      std::min(std::floor(room / (shared + 1024)), work.threads <= 32 ? 16.0 : 4.0);
  return {fixed, latency,
          share * (latency * sharing / work.cells / resident + n * compartment * site.slower())};
}

/// Levels, the longest branch of each, doubling rounds; a block a cell, and fewer of them side by
/// side as cells take more of the shared memory.
Cost stone_cost(const TreeFeatures& tree, double cells, const Site& site) {
  const auto& [fixed, level, path, round, sharing, child, compartment, u1] =
      site.of(stone_measured);
  const double latency =
      (level * tree.stone_levels + path * tree.stone_path + round * tree.stone_rounds +
       child * tree.stone_children + compartment * tree.compartments) *
      site.slower();
  const double room = static_cast<double>(site.device.shared_bytes);
  const double alone = std::min(1.0, 3 * tree.compartments * site.bytes() / room);
  return {fixed, latency, cells / site.multiprocessors() * latency * std::max(sharing, alone)};
}

/// Steps; a multiprocessor's share of compartments. Cells with more tasks than a block's threads
/// hold in registers work in device memory.
Cost contraction_cost(const TreeFeatures& tree, double cells, const Site& site) {
  const auto& [fixed, step, wide, compartment, memory_step, memory_compartment, memory_wide,
               a_step] = site.of(contraction_measured);
  constexpr int most_tasks = 4 * 1024;
  const double n = tree.compartments, share = cells / site.multiprocessors();
  if (tree.contraction_tasks > most_tasks)
    return {fixed, (memory_step * tree.contraction_steps + memory_wide * n) * site.slower(),
            share * n * memory_compartment * site.slower_memory()};
  return {fixed, (step * tree.contraction_steps + wide * n) * site.slower(),
          share * n * (compartment + a_step * tree.contraction_steps) * site.slower()};
}

Cost cost_of(Family family, const TreeFeatures& tree, double cells, const Site& site) {
  switch (family) {
    case Family::thomas:
      return thomas_cost(tree, cells, site);
    case Family::hines:
      return hines_cost(tree, cells, site);
    case Family::branch:
      return branch_cost(tree, cells, site);
    case Family::stone:
      return stone_cost(tree, cells, site);
    default:
      return contraction_cost(tree, cells, site);
  }
}

std::string microseconds(double us) {
  char text[32];
  std::snprintf(text, sizeof text, us < 1e6 ? "%.3g us" : "%.4g us", us);
  return text;
}

/// Why a family cannot solve a batch; empty when it can.
std::string obstacle(Family family, std::span<const TemplateLoad> batch) {
  if (family == Family::thomas)
    for (const TemplateLoad& load : batch)
      if (!load.tree.unbranched) return "a tree is branched";
  if (family == Family::stone && batch.size() > 1)
    return "cells have " + std::to_string(batch.size()) + " different trees";
  return "";
}

}  // namespace

DeviceTraits reference_gpu() {
  return {"NVIDIA H200", 132, 1.98, 4916, std::size_t{60} << 20, std::size_t{228} << 10};
}

BranchOptions branch_options(const TreeFeatures& tree, std::size_t cells,
                             const DeviceTraits& device) {
  return are_many(cells, device) ? tree.branch_many : tree.branch_few;
}

std::vector<Estimate> estimate(std::span<const TemplateLoad> batch, const DeviceTraits& device,
                               Use use, std::size_t bytes_of_value) {
  std::vector<Estimate> estimates;
  for (const Family family : all_families) {
    Estimate e{family, 0, obstacle(family, batch)};
    if (e.absent.empty()) {
      Cost cost;
      for (const TemplateLoad& load : batch)
        cost.add(cost_of(family, load.tree, static_cast<double>(load.cells),
                         {device, use, bytes_of_value}));
      e.us = cost.total();
    }
    estimates.push_back(std::move(e));
  }
  return estimates;
}

Choice choose(std::span<const TemplateLoad> batch, const DeviceTraits& device, Use use,
              std::size_t bytes_of_value, std::optional<Family> forced) {
  if (batch.empty()) throw UsageError("solver: there is nothing to solve");
  Choice choice;
  choice.estimates = estimate(batch, device, use, bytes_of_value);
  choice.forced = forced.has_value();
  const Estimate* picked = nullptr;
  for (const Estimate& e : choice.estimates)
    if (forced ? e.family == *forced : e.absent.empty() && (!picked || e.us < picked->us))
      picked = &e;
  if (!picked->absent.empty())
    throw UsageError(std::string("solver ") + name_of(*forced) + ": " + picked->absent);
  choice.family = picked->family;
  choice.reason = (forced ? "asked for; " : "predicted ") + microseconds(picked->us) +
                  " a solve on " + device.name;
  for (const Estimate& e : choice.estimates)
    if (&e != picked && e.absent.empty())
      choice.reason += std::string(", ") + name_of(e.family) + " " + microseconds(e.us);
  return choice;
}

Choice choose_for_cpu(int lanes, std::optional<Family> forced) {
  if (forced && *forced != Family::hines)
    throw UsageError(std::string("solver ") + name_of(*forced) +
                     ": it runs on GPUs; the CPU solves by hines");
  Choice choice;
  choice.forced = forced.has_value();
  choice.reason = lanes == 1
                      ? "cell by cell, each in its tree's order"
                      : std::to_string(lanes) + " cells in SIMD lanes, each in its tree's order";
  return choice;
}

}  // namespace hillock::solver
