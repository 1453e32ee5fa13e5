#include "simulator/parallel.hpp"

#include <omp.h>

#include <exception>

namespace hillock::simulator {

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  std::exception_ptr first;
  std::size_t first_index = count;
  const auto n = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    try {
      body(static_cast<std::size_t>(i));
    } catch (...) {
#pragma omp critical(hillock_parallel_for)
      if (static_cast<std::size_t>(i) < first_index) {
        first_index = static_cast<std::size_t>(i);
        first = std::current_exception();
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

int available_threads() {
  return omp_get_num_procs();
}

}  // namespace hillock::simulator
