#include "simulator/command/process/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/run/run_directory.hpp"
#include "network/agreement.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/free_memory.hpp"
#include "simulator/command/process/memory_text.hpp"
#include "simulator/command/process/rank.hpp"
#include "simulator/command/process/rank_memory.hpp"

namespace hillock::command {

namespace {

/// An estimate may be wrong by so much.
constexpr double margin = 1.2;

/// The ranks of this machine, rising.
std::vector<std::size_t> ranks_here() {
  if (!ranks()) return {0};
  const auto own = static_cast<std::uint64_t>(ranks()->first_on_host());
  const std::vector<std::uint64_t> hosts = network::numbers_of_all(*ranks(), own);
  std::vector<std::size_t> here;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (hosts[rank] == own) here.push_back(rank);
  return here;
}

/// What a rank will take beyond what it has now, if nothing spikes.
double still_taken_by(simulator::RankLoad load) {
  load.event_bytes = 0;
  load.list_bytes = load.dealing_bytes = 0;  // rows are here, or on their way to others
  return static_cast<double>(load.bytes(0, 0));
}

void refuse(const std::string& who, double needed, const FreeMemory& free) {
  throw TooLarge(fmt::format(
      "out of memory before the run: {} would take {} on {}, of which {} are free ({}). Fewer "
      "cells, compartments or connections, fewer recorded columns, fewer threads or ranks on more "
      "machines take less; 'hillock info' says what takes how much, and --ignore-memory runs it "
      "all the same",
      who, size_text(needed), io::host_name(), size_text(free.bytes), free.limit));
}

std::string words_for(const std::vector<std::size_t>& here) {
  if (!ranks()) return "the run";
  if (here.size() == 1) return fmt::format("rank {}", here.front());
  return fmt::format("ranks {} to {} ({} of them)", here.front(), here.back(), here.size());
}

void check(const LoadedModel& model, const simulator::RankLoadOptions& options,
           const std::vector<std::size_t>& here) {
  const std::size_t own = ranks() ? static_cast<std::size_t>(ranks()->number()) : 0;
  // Of a machine's ranks the first asks for all of them.
  FreeMemory machine{std::numeric_limits<double>::infinity(), ""};
  if (own == here.front()) machine = free_on_machine();
  const FreeMemory addresses = free_addresses();
  const std::uint64_t program = program_bytes();
  const double held = static_cast<double>(machine.is_whole ? here.size() * program : 0);
  const double least = std::min(machine.bytes - held, addresses.bytes);
  if (!std::isfinite(least) ||
      simulator::surely_take_less(least / 2, model.network, model.mechanisms, options))
    return;
  const simulator::RankLoads loads =
      simulator::load_ranks(model.network, model.mechanisms, options);
  double together = 0;
  if (machine.is_whole) {
    const auto whole = bytes_of_ranks(model.network, loads, program);
    for (const std::size_t rank : here) together += static_cast<double>(whole[rank]);
  } else {
    for (const std::size_t rank : here) together += still_taken_by(loads.ranks[rank]);
  }
  if (together > (machine.is_whole ? 1 : margin) * machine.bytes)
    refuse(words_for(here), together, machine);
  const double alone = still_taken_by(loads.ranks[own]);
  if (alone > margin * addresses.bytes) refuse(words_for({own}), alone, addresses);
}

}  // namespace

void refuse_what_cannot_fit(const LoadedModel& model, const simulator::RankLoadOptions& load,
                            bool is_checked) {
  const std::vector<std::size_t> here = ranks_here();
  if (!is_checked) return;
  current_activity().begin("estimating memory");
  together([&] { check(model, load, here); });
}

}  // namespace hillock::command
