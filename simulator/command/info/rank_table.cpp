#include "simulator/command/info/rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "io/json/json.hpp"
#include "io/sonata/sonata.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/memory_text.hpp"
#include "simulator/command/process/rank_memory.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/command/terminal/text_table.hpp"
#include "simulator/ranks/rank_loads.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/thread_memory.hpp"

namespace hillock::command {

namespace {

/// What Open MPI holds on a rank of several of one machine, of which two share some memory.
std::uint64_t mpi_bytes(int ranks) {
  if (ranks == 1) return 0;
  return std::min<std::uint64_t>(12'000'000,
                                 5'400'000 + 1'300'000 * static_cast<std::uint64_t>(ranks));
}

/// What a rank comes to.
struct RankLine {
  const simulator::RankLoad* load = nullptr;
  std::uint64_t memory_bytes = 0;
};

std::string memory_size(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::vector<std::string> cells_of(std::size_t rank, const RankLine& line, std::size_t ranks) {
  return {fmt::format("{}", rank),
          fmt::format("{}", line.load->cells),
          fmt::format("{}", line.load->compartments),
          fmt::format("{}", line.load->synapses),
          fmt::format("{:.3f}", line.load->share * static_cast<double>(ranks)),
          memory_size(line.memory_bytes)};
}

io::Json to_json(std::size_t rank, const RankLine& line) {
  return io::Json::object({{"rank", rank},
                           {"cells", line.load->cells},
                           {"compartments", line.load->compartments},
                           {"synapses", line.load->synapses},
                           {"share", line.load->share},
                           {"memory_bytes", line.memory_bytes}});
}

/// What is told of all ranks together.
struct AllRanks {
  std::vector<RankLine> lines;  ///< [rank]
  std::uint64_t together = 0;   ///< bytes of all
  std::uint64_t available = 0;  ///< bytes; 0 where that is not known
  int threads = 1;              ///< of a rank
  std::string_view placement;
  const simulator::RankLoads& loads;
  std::size_t least = 0, most = 0;         ///< the ranks that take these bytes
  std::size_t lightest = 0, heaviest = 0;  ///< and have these loads

  void find_extremes() {
    const auto by_memory = [](const RankLine& line) { return line.memory_bytes; };
    const auto by_share = [](const RankLine& line) { return line.load->share; };
    const auto number = [&](auto line) { return static_cast<std::size_t>(line - lines.begin()); };
    const auto memory = std::ranges::minmax_element(lines, {}, by_memory);
    const auto share = std::ranges::minmax_element(lines, {}, by_share);
    least = number(memory.min);
    most = number(memory.max);
    lightest = number(share.min);
    heaviest = number(share.max);
  }
  double load(std::size_t rank) const {
    return lines[rank].load->share * static_cast<double>(lines.size());
  }
};

io::Json to_json(const AllRanks& all) {
  io::Json table = io::Json::array();
  for (std::size_t rank = 0; rank < all.lines.size(); ++rank)
    table.add(to_json(rank, all.lines[rank]));
  return io::Json::object({{"placement", all.placement},
                           {"threads", all.threads},
                           {"epoch_steps", all.loads.epoch_steps},
                           {"shortest_delay_ms", all.loads.shortest_delay_ms},
                           {"least_memory_bytes", all.lines[all.least].memory_bytes},
                           {"most_memory_bytes", all.lines[all.most].memory_bytes},
                           {"memory_bytes", all.together},
                           {"available_bytes", all.available},
                           {"most_load", all.load(all.heaviest)},
                           {"ranks", table}});
}

void print_lines(const AllRanks& all) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "cells", "compartments", "synapses", "load", "memory"}};
  constexpr std::size_t most_lines = 64;
  for (std::size_t rank = 0; rank < std::min(all.lines.size(), most_lines); ++rank)
    rows.push_back(cells_of(rank, all.lines[rank], all.lines.size()));
  using enum Align;
  print("{}",
        table_text(rows, {left, right, right, right, right, right}, page_columns(STDOUT_FILENO)));
  if (all.lines.size() > most_lines)
    print("… and {} more (--json has all)\n", all.lines.size() - most_lines);
  print_entry("most and least load",
              fmt::format("{:.3f} on rank {}, {:.3f} on rank {} (1 is the mean; by {})",
                          all.load(all.heaviest), all.heaviest, all.load(all.lightest),
                          all.lightest, all.placement));
  print_entry(
      "most and least memory",
      fmt::format("{} on rank {}, {} on rank {}", memory_size(all.lines[all.most].memory_bytes),
                  all.most, memory_size(all.lines[all.least].memory_bytes), all.least));
  print_entry("memory of all",
              memory_size(all.together) +
                  (all.available > 0
                       ? fmt::format(", of {} that are available here", memory_size(all.available))
                       : ""));
  print_entry("threads",
              fmt::format("{} a rank; epochs of {}", all.threads,
                          counted(static_cast<std::uint64_t>(all.loads.epoch_steps), "step")));
}

}  // namespace

void print_ranks(const ModelOptions& options, int ranks, bool json) {
  if (ranks < 1) throw UsageError("--ranks: there must be at least one");
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const LoadedModel model = load_model(options, OwnMechanisms::loaded, Use::looked_at);
  io::hdf5_version();  // has begun where a run is
  simulator::return_free_memory();
  const std::uint64_t program = program_bytes() + mpi_bytes(ranks);
  const int threads = std::max(1, simulator::available_threads() / ranks);
  const simulator::RankLoads loads =
      simulator::load_ranks(model.network, model.mechanisms, {.ranks = ranks, .threads = threads});
  progress.finish();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  const std::vector<std::uint64_t> bytes = bytes_of_ranks(model.network, loads, program);
  const double limit = available_bytes();
  AllRanks all{.lines = {},
               .available = std::isfinite(limit) ? static_cast<std::uint64_t>(limit) : 0,
               .threads = threads,
               .placement = name_of(model.network.run.placement),
               .loads = loads};
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    all.lines.push_back({&loads.ranks[rank], bytes[rank]});
    all.together += bytes[rank];
  }
  all.find_extremes();
  if (json)
    print("{}", to_json(all).lines());
  else
    print_lines(all);
}

}  // namespace hillock::command
