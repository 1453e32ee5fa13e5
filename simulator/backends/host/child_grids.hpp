#pragma once
// Grids that kernels start by themselves, on the host: they wait until the kernel has ended, and as
// many as may.

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace on_host {

struct GridCounts {
  unsigned long long started = 0, refused = 0;
};
/// Of all that point networks asked for so far.
GridCounts grid_counts();

/// What one kernel starts.
class ChildGridQueue {
 public:
  /// most: so many may wait.
  explicit ChildGridQueue(std::size_t most) : most_(most) {}
  /// False where no more may wait.
  bool start(std::function<void()> grid) {
    const bool may = waiting_.size() < most_;
    ++(may ? counts_.started : counts_.refused);
    if (may) waiting_.push_back(std::move(grid));
    return may;
  }
  /// Runs them, the last one first.
  void run() {
    for (; !waiting_.empty(); waiting_.pop_back()) waiting_.back()();
  }
  GridCounts counts() const { return counts_; }

 private:
  std::size_t most_;
  std::vector<std::function<void()>> waiting_;
  GridCounts counts_;
};

}  // namespace on_host
