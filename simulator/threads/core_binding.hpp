#pragma once
// Threads that stay on one core each.

#include <functional>

namespace hillock::simulator {

/// Of processes that may use the same cores each takes a part of them for the threads that run: of
/// `parts` equal parts this process the one of that number. Threads that only write may use all.
/// To be called before there is another thread, on Linux; elsewhere nothing changes.
void take_part_of_cores(int number, int parts);

/// Cores that this process might use when it first asked; 0 where the system does not say.
int cores_of_process();

/// Of these the ones for the threads that run; 0 where the system does not say.
int cores_to_run_on();

/// As long as it lives, each thread of the calling one's team stays on a core of its own, if the
/// team has a thread for every core to run on: else others may want the cores. Not where
/// OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY say what to do, and only on Linux.
class CoreBinding {
 public:
  explicit CoreBinding(int threads);
  ~CoreBinding();
  CoreBinding(const CoreBinding&) = delete;
  CoreBinding& operator=(const CoreBinding&) = delete;

  bool is_bound() const { return threads_ > 0; }

 private:
  int threads_ = 0;
};

/// Does work on the calling thread; meanwhile this, and what the work starts, may use all cores.
void on_all_cores(const std::function<void()>& work);

/// Lets the calling thread, which may have been started by one that is bound, use all cores.
void use_all_cores();

}  // namespace hillock::simulator
