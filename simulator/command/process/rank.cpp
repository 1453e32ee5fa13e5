#include "simulator/command/process/rank.hpp"

#include <cstdlib>

#include "simulator/command/terminal/report.hpp"
#include "simulator/ranks/joining.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::command {

namespace {

simulator::Joined& joined() {
  static simulator::Joined with;
  return with;
}

/// srun starts as many copies as it is told, with MPI or without.
void tell_of_copies() {
  const char* const copies = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* const number = std::getenv("SLURM_PROCID");
  if (copies && std::atoi(copies) > 1 && number && std::atoi(number) == 0)
    report(
        "hillock: srun started {} copies, and no MPI joins them: each runs the whole model. One "
        "network on all of them takes srun --mpi=pmix (or pmi2), one run srun -n 1\n",
        copies);
}

}  // namespace

int started_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const char* size = std::getenv(name)) return std::atoi(size);
  const char* size = std::getenv("SLURM_STEP_NUM_TASKS");
  return size && std::getenv("PMIX_RANK") ? std::atoi(size) : 1;
}

void let_one_rank_speak() {
  if (started_ranks() < 2) return;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const char* rank = std::getenv(name)) is_silent = std::atoi(rank) != 0;
}

network::Ranks* join_ranks() {
  const int count = started_ranks();
  if (count < 2) {
    tell_of_copies();
    return nullptr;
  }
  joined() = simulator::join_mpi(count);
  is_silent = ranks()->number() != 0;
  return ranks();
}

network::Ranks* ranks() {
  return joined().ranks.get();
}

bool is_first_rank() {
  return !ranks() || ranks()->number() == 0;
}

std::uint64_t sum_of_ranks(std::uint64_t own) {
  return ranks() ? network::sum_of_all(*ranks(), own) : own;
}

bool is_true_of_any(bool own) {
  return sum_of_ranks(own ? 1 : 0) > 0;
}

int available_threads() {
  return ranks() ? joined().threads : simulator::available_threads();
}

void leave_ranks() {
  joined().ranks.reset();
}

}  // namespace hillock::command
