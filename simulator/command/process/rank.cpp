#include "simulator/command/process/rank.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/program/own_libraries.hpp"
#include "network/agreement.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/threads/core_binding.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::command {

namespace {

namespace fs = std::filesystem;

bool has_part_of_a_core = false;  ///< there are more ranks than cores

std::unique_ptr<network::Ranks>& joined() {
  static std::unique_ptr<network::Ranks> ranks;
  return ranks;
}

/// A kind of MPI: what our library for it is called, and its own.
struct Mpi {
  const char* library;
  std::initializer_list<const char*> own;
};
constexpr Mpi open_mpi{"libhillock-mpi-openmpi.so", {"libmpi.so.40"}};
constexpr Mpi mpich{"libhillock-mpi-mpich.so", {"libmpich.so.12", "libmpi.so.12"}};

/// Those that may have started this process, the likeliest first.
std::vector<Mpi> likely() {
  const bool is_open_mpi =
      std::getenv("OMPI_COMM_WORLD_SIZE") || (std::getenv("PMIX_RANK") && !std::getenv("PMI_RANK"));
  return is_open_mpi ? std::vector{open_mpi, mpich} : std::vector{mpich, open_mpi};
}

/// Our library for that MPI; null when it cannot be loaded. It knows where the MPI lies that it was
/// built with; a portable build's takes the one that the machine's loader finds.
void* load(const fs::path& place, const Mpi& mpi) {
  // MPI's own plug-ins look for its functions among those of the whole program.
  constexpr int how = RTLD_NOW | RTLD_GLOBAL;
  void* library = dlopen(place.c_str(), how);
  for (const char* own : mpi.own)
    if (!library && dlopen(own, how)) library = dlopen(place.c_str(), how);
  return library;
}

network::JoinRanks find_join(int count) {
  std::string problem;
  for (const Mpi& mpi : likely()) {
    const auto place = find_own_file(mpi.library);
    if (!place) continue;
    if (void* const library = load(*place, mpi)) {
      if (void* const join = dlsym(library, network::join_ranks_name))
        return reinterpret_cast<network::JoinRanks>(join);
      throw UsageError(fmt::format("{}: is of another version of hillock", place->string()));
    }
    problem += fmt::format("\n{}", dlerror());
  }
  if (!problem.empty())
    throw UsageError(fmt::format(
        "started as one of {} MPI ranks, but no MPI that this build knows can be loaded. Name the "
        "folder of its libmpi in LD_LIBRARY_PATH, or build hillock with that MPI{}",
        count, problem));
  throw UsageError(
      fmt::format("started as one of {} MPI ranks, but this build has no MPI. Start it once, "
                  "without mpirun, or build it where MPI is (Debian's libopenmpi-dev)",
                  count));
}

/// What each rank tells the others of where it runs.
struct Seat {
  int host = 0;  ///< the first rank there
  cpu_set_t cores;
};

/// [rank]
std::vector<Seat> seats_of_all(network::Ranks& ranks) {
  Seat own;
  own.host = ranks.first_on_host();
  CPU_ZERO(&own.cores);
  if (sched_getaffinity(0, sizeof(own.cores), &own.cores) != 0) CPU_ZERO(&own.cores);
  std::vector<Seat> all(static_cast<std::size_t>(ranks.count()));
  ranks.begin_all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  ranks.finish_all_gather();
  return all;
}

/// Each of the ranks that may use the same cores takes a share of them.
void share_cores(const std::vector<Seat>& seats, std::size_t rank) {
  const Seat& own = seats[rank];
  const auto shares = [&](const Seat& other) {
    return other.host == own.host && CPU_EQUAL(&other.cores, &own.cores);
  };
  const auto sharing = static_cast<int>(std::ranges::count_if(seats, shares));
  const auto before = static_cast<int>(std::ranges::count_if(std::span(seats).first(rank), shares));
  const int cores = CPU_COUNT(&own.cores);
  has_part_of_a_core = sharing > cores;
  if (sharing > 1 && sharing <= cores) simulator::take_part_of_cores(before, sharing);
}

/// GPUs that CUDA would show to this process, as CUDA_VISIBLE_DEVICES or /dev names them.
std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* given = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::string name;
    for (const char* at = given;; ++at) {
      if (*at != ',' && *at != '\0') {
        name += *at;
        continue;
      }
      if (!name.empty()) gpus.push_back(std::exchange(name, {}));
      if (*at == '\0') return gpus;
    }
  }
  std::error_code unreadable;
  for (int number = 0; fs::exists(fmt::format("/dev/nvidia{}", number), unreadable); ++number)
    gpus.push_back(std::to_string(number));
  return gpus;
}

/// One GPU a rank of this machine, in turn. What the launcher has dealt out already stays.
void choose_gpu(const std::vector<Seat>& seats, std::size_t rank) {
  const std::vector<std::string> gpus = visible_gpus();
  if (gpus.size() < 2) return;
  const auto before = static_cast<std::size_t>(
      std::ranges::count(std::span(seats).first(rank), seats[rank].host, &Seat::host));
  setenv("CUDA_VISIBLE_DEVICES", gpus[before % gpus.size()].c_str(), 1);
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
  const char* problem = "";
  joined().reset(find_join(count)(&problem));
  if (!joined()) throw UsageError(problem);
  if (joined()->count() != count) {
    const int found = joined()->count();
    joined().reset();
    throw UsageError(fmt::format(
        "started as one of {} MPI ranks, and finds {} of them: the MPI that was loaded is not the "
        "one that started it. Name that one's folder in LD_LIBRARY_PATH, or build hillock with it",
        count, found));
  }
  is_silent = joined()->number() != 0;
  const std::vector<Seat> seats = seats_of_all(*joined());
  const auto rank = static_cast<std::size_t>(joined()->number());
  share_cores(seats, rank);
  choose_gpu(seats, rank);
  return joined().get();
}

std::vector<std::string> mpi_libraries() {
  std::vector<std::string> here;
  for (const Mpi& mpi : {open_mpi, mpich})
    if (const auto place = find_own_file(mpi.library)) here.push_back(place->string());
  return here;
}

network::Ranks* ranks() {
  return joined().get();
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
  if (has_part_of_a_core) return 1;
  const int cores = ranks() ? simulator::cores_to_run_on() : 0;
  return cores > 0 ? cores : simulator::available_threads();
}

void leave_ranks() {
  joined().reset();
}

}  // namespace hillock::command
