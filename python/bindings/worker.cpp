#include "python/bindings/worker.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::python {

namespace nb = nanobind;

Worker::Worker() : thread_([this] { serve(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return job_ || is_over_; });
    if (!job_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*job_)();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Worker::check_idle() const {
  const std::lock_guard lock(mutex_);
  if (job_) throw UsageError("the simulation is at work already, in another thread");
}

void Worker::do_job(simulator::Activity& activity, const std::function<void()>& job,
                    const std::function<void()>& look) {
  constexpr std::chrono::milliseconds between{20};
  check_idle();  // others that hold the interpreter do not come between
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
  }
  changed_.notify_all();
  std::exception_ptr raised;
  for (bool is_done = false; !is_done;) {
    {
      const nb::gil_scoped_release others;
      std::unique_lock lock(mutex_);
      is_done = changed_.wait_for(lock, between, [&] { return !job_; });
    }
    if (raised) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!is_done) look();
    } catch (...) {
      raised = std::current_exception();
      activity.cancel();
    }
  }
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

void do_job(const std::function<void()>& job) {
  simulator::Activity activity;
  Worker worker;
  worker.do_job(activity, job, [] {});
}

}  // namespace hillock::python
