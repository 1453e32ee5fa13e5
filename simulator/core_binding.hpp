#pragma once
// Threads that stay on one core each.

namespace hillock::simulator {

/// As long as it lives, each of a team's OpenMP threads stays on a core of its own, if the team has
/// a thread for every core that this process may use: else others may want the cores. Not where
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

/// Lets the calling thread, which may have been started by one that is bound, use all cores.
void use_all_cores();

}  // namespace hillock::simulator
