#pragma once
// A batch of systems in, solutions out, by whichever family suits batch and machine. One call per
// batch, host memory to host memory; what solves again and again on a device sets the families'
// own classes up.

#include <optional>
#include <span>
#include <vector>

#include "solver/batch.hpp"
#include "solver/choice/cost_model.hpp"

namespace hillock::solver {

struct BatchSolverOptions {
  enum class Where {
    automatic,  ///< on the first GPU where there is one
    cpu,
    gpu,
  };
  Where where = Where::automatic;
  std::optional<Family> family;  ///< nothing: the cost model's
  int threads = 0;               ///< of the CPU; 0: as many as OpenMP would take
};

/// The distinct trees of a batch with their features, for the cost model.
std::vector<TemplateLoad> loads_of(const Forest& forest);

class BatchSolver {
 public:
  /// Throws UsageError when the family asked for cannot solve the batch, DeviceError when a GPU is
  /// asked for and there is none.
  BatchSolver(Forest forest, const BatchSolverOptions& options = {});

  bool on_gpu() const { return on_gpu_; }
  const Choice& choice() const { return choice_; }

  /// The solutions of all systems, flat: [total]. T: float or double.
  /// Pivots of 0 give values that are not finite. Deterministic for one choice.
  /// Throws InvalidBatch when the values are not the forest's, DeviceError when CUDA fails.
  template <class T>
  std::vector<T> solve(const BatchValues<T>& values) const;

 private:
  Forest forest_;
  BatchSolverOptions options_;
  bool on_gpu_ = false;
  std::vector<TemplateLoad> loads_;
  Choice choice_;
};

}  // namespace hillock::solver
