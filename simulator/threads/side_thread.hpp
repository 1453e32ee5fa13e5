#pragma once
// A thread that works while the one that gives it work goes on.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace hillock::simulator {

class SideThread {
 public:
  /// name: in a trace. It may use all cores.
  explicit SideThread(std::string name);
  /// What was given is done before.
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  /// Waits until what was given before is done. Throws what that threw.
  void give(std::function<void()> work);
  /// The same without new work.
  void finish();

 private:
  void serve(const std::string& name);
  void wait(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  ///< until it is done
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace hillock::simulator
