#include "simulator/ranks/joining.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <system_error>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/own_libraries.hpp"
#include "simulator/threads/core_binding.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator {

namespace {

namespace fs = std::filesystem;

/// A kind of MPI: what our library for it is called, and its own.
struct Mpi {
  const char* library;
  std::initializer_list<const char*> own;
};
constexpr Mpi open_mpi{"libhillock-mpi-openmpi.so", {"libmpi.so.40"}};
constexpr Mpi mpich{"libhillock-mpi-mpich.so", {"libmpich.so.12", "libmpi.so.12"}};

bool has_begun(const Mpi& mpi) {
  return std::ranges::any_of(
      mpi.own, [](const char* own) { return dlopen(own, RTLD_NOW | RTLD_NOLOAD) != nullptr; });
}

/// Those that may have started this process, the likeliest first.
std::vector<Mpi> likely() {
  for (const Mpi& mpi : {open_mpi, mpich})
    if (has_begun(mpi)) return {mpi};
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

/// What each rank tells the others of where it runs.
struct Seat {
  int host = 0;                ///< the first rank there
  std::size_t gpus = 0;        ///< that it sees
  std::size_t names_hash = 0;  ///< of their names
  cpu_set_t cores;
};

/// [rank]
std::vector<Seat> seats_of_all(network::Ranks& ranks, const std::vector<std::string>& gpus) {
  Seat own;
  own.host = ranks.first_on_host();
  own.gpus = gpus.size();
  own.names_hash = std::hash<std::string>()(fmt::format("{}", fmt::join(gpus, ",")));
  CPU_ZERO(&own.cores);
  if (sched_getaffinity(0, sizeof(own.cores), &own.cores) != 0) CPU_ZERO(&own.cores);
  std::vector<Seat> all(static_cast<std::size_t>(ranks.count()));
  ranks.begin_all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  ranks.finish_all_gather();
  return all;
}

/// Each of the ranks that may use the same cores takes a share of them. Returns how many.
int share_cores(const std::vector<Seat>& seats, std::size_t rank) {
  const Seat& own = seats[rank];
  const auto shares = [&](const Seat& other) {
    return other.host == own.host && CPU_EQUAL(&other.cores, &own.cores);
  };
  const auto sharing = static_cast<int>(std::ranges::count_if(seats, shares));
  const auto before = static_cast<int>(std::ranges::count_if(std::span(seats).first(rank), shares));
  const int cores = CPU_COUNT(&own.cores);
  if (cores == 0) return 1;
  // Of more ranks than cores some have the same one, and threads that wait leave it to the others.
  const int parts = std::min(sharing, cores);
  if (sharing > 1) take_part_of_cores(before % parts, parts);
  if (sharing > cores) return 1;
  const int own_cores = cores_to_run_on();
  return own_cores > 0 ? own_cores : available_threads();
}

/// Of those that see the same GPUs each may have one.
bool has_gpu_of_its_own(const std::vector<Seat>& seats, const Seat& seat) {
  const auto sharing = std::ranges::count_if(seats, [&](const Seat& other) {
    return other.host == seat.host && other.names_hash == seat.names_hash;
  });
  return std::cmp_less_equal(sharing, seat.gpus);
}

/// One GPU a rank of this machine, in turn. What the launcher has dealt out already stays.
void choose_gpu(const std::vector<Seat>& seats, std::size_t rank,
                const std::vector<std::string>& gpus) {
  if (gpus.size() < 2) return;
  const auto before = static_cast<std::size_t>(
      std::ranges::count(std::span(seats).first(rank), seats[rank].host, &Seat::host));
  setenv("CUDA_VISIBLE_DEVICES", gpus[before % gpus.size()].c_str(), 1);
}

}  // namespace

Joined join_mpi(int count) {
  const char* problem = "";
  Joined joined;
  joined.ranks.reset(find_join(count)(&problem));
  if (!joined.ranks) throw UsageError(problem);
  if (joined.ranks->count() != count)
    throw UsageError(fmt::format(
        "started as one of {} MPI ranks, and finds {} of them: the MPI that was loaded is not the "
        "one that started it. Name that one's folder in LD_LIBRARY_PATH, or build hillock with it",
        count, joined.ranks->count()));
  const std::vector<std::string> gpus = visible_gpus();
  const std::vector<Seat> seats = seats_of_all(*joined.ranks, gpus);
  const auto rank = static_cast<std::size_t>(joined.ranks->number());
  joined.threads = share_cores(seats, rank);
  choose_gpu(seats, rank, gpus);
  joined.have_own_gpus =
      std::ranges::all_of(seats, [&](const Seat& seat) { return has_gpu_of_its_own(seats, seat); });
  return joined;
}

std::vector<std::string> mpi_libraries() {
  std::vector<std::string> here;
  for (const Mpi& mpi : {open_mpi, mpich})
    if (const auto place = find_own_file(mpi.library)) here.push_back(place->string());
  return here;
}

}  // namespace hillock::simulator
