#include "simulator/threads/side_thread.hpp"

#include <utility>

#include "core/program/trace.hpp"
#include "simulator/threads/core_binding.hpp"

namespace hillock::simulator {

SideThread::SideThread(std::function<void()> begin)
    : thread_([this, begin = std::move(begin)] { serve(begin); }) {}

SideThread::~SideThread() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SideThread::wait(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !work_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void SideThread::give(std::function<void()> work) {
  {
    std::unique_lock lock(mutex_);
    wait(lock);
    work_ = std::move(work);
  }
  changed_.notify_all();
}

void SideThread::finish() {
  std::unique_lock lock(mutex_);
  wait(lock);
}

bool SideThread::is_done_within(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return !work_; });
}

void SideThread::serve(const std::function<void()>& begin) {
  begin();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return work_ || is_over_; });
    if (!work_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    work_ = nullptr;
    failure_ = failure;
    changed_.notify_all();
  }
}

std::function<void()> on_any_core(std::string name) {
  return [name = std::move(name)] {
    use_all_cores();
    name_this_thread(name);
  };
}

}  // namespace hillock::simulator
