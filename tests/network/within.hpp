#pragma once
// A limit of time for what may wait for ever when it is wrong.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace hillock {

/// Calls body() on a thread of its own; ends the program when that takes longer. Throws what body()
/// threw.
inline void within(std::chrono::seconds limit, const std::function<void()>& body) {
  std::packaged_task<void()> task(body);
  std::future<void> over = task.get_future();
  std::thread thread(std::move(task));
  if (over.wait_for(limit) != std::future_status::ready) {
    std::fprintf(stderr, "still waiting after %lld s\n", static_cast<long long>(limit.count()));
    std::_Exit(EXIT_FAILURE);
  }
  thread.join();
  over.get();
}

}  // namespace hillock
