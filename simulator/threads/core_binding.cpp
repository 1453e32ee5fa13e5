#include "simulator/threads/core_binding.hpp"

#if defined(__linux__)

#include <sched.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "simulator/threads/thread_team.hpp"

namespace hillock::simulator {

namespace {

/// The cores that this process might use when it first asked.
const cpu_set_t& own_cores() {
  static const cpu_set_t cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    // A machine of more cores than a set has room for: none.
    if (sched_getaffinity(0, sizeof(set), &set) != 0) CPU_ZERO(&set);
    return set;
  }();
  return cores;
}

/// Of these, the ones to run on.
cpu_set_t& cores_to_use() {
  static cpu_set_t cores = own_cores();
  return cores;
}

bool is_said_by_the_user() {
  constexpr std::array names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  for (const char* name : names)
    if (std::getenv(name)) return true;
  return false;
}

}  // namespace

void take_part_of_cores(int number, int parts) {
  if (is_said_by_the_user()) return;
  const cpu_set_t& own = own_cores();
  const int all = CPU_COUNT(&own);
  cpu_set_t part;
  CPU_ZERO(&part);
  int counted = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &own) && counted++ * parts / all == number) CPU_SET(core, &part);
  if (CPU_COUNT(&part) > 0) cores_to_use() = part;
}

int cores_of_process() {
  return CPU_COUNT(&own_cores());
}

int cores_to_run_on() {
  return CPU_COUNT(&cores_to_use());
}

CoreBinding::CoreBinding(int threads) {
  const cpu_set_t& own = cores_to_use();
  if (threads < 2 || threads != CPU_COUNT(&own) || is_said_by_the_user()) return;
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &own)) cores.push_back(core);
  threads_ = threads;
  run_on_team(threads, [&](std::size_t thread) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cores[thread], &one);
    sched_setaffinity(0, sizeof(one), &one);  // where it fails, the thread goes on anywhere
  });
}

CoreBinding::~CoreBinding() {
  if (!is_bound()) return;
  run_on_team(threads_, [](std::size_t) { use_all_cores(); });
}

void on_all_cores(const std::function<void()>& work) {
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof(before), &before) != 0) return work();
  const struct Back {
    const cpu_set_t& cores;
    ~Back() { sched_setaffinity(0, sizeof(cores), &cores); }
  } back{before};
  use_all_cores();
  work();
}

void use_all_cores() {
  const cpu_set_t& own = own_cores();
  if (CPU_COUNT(&own) > 0) sched_setaffinity(0, sizeof(own), &own);
}

}  // namespace hillock::simulator

#else

namespace hillock::simulator {

void take_part_of_cores(int, int) {}
int cores_of_process() {
  return 0;
}
int cores_to_run_on() {
  return 0;
}

CoreBinding::CoreBinding(int) {}
CoreBinding::~CoreBinding() = default;
void on_all_cores(const std::function<void()>& work) {
  work();
}
void use_all_cores() {}

}  // namespace hillock::simulator

#endif
