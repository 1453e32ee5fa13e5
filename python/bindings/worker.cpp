#include "python/bindings/worker.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>

#include "core/errors/errors.hpp"

namespace hillock::python {

namespace nb = nanobind;

void Worker::check_idle() const {
  if (is_at_work_) throw UsageError("the simulation is at work already, in another thread");
}

void Worker::do_job(simulator::Activity& activity, const std::function<void()>& job,
                    const std::function<void()>& look) {
  constexpr std::chrono::milliseconds between{20};
  check_idle();  // others that hold the interpreter do not come between
  is_at_work_ = true;
  thread_.give([&job] { job(); });
  std::exception_ptr raised;
  for (bool is_done = false; !is_done;) {
    {
      const nb::gil_scoped_release others;
      is_done = thread_.is_done_within(between);
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
  is_at_work_ = false;
  try {
    thread_.finish();
  } catch (...) {
    if (!raised) throw;
  }
  if (raised) std::rethrow_exception(raised);
}

void do_job(const std::function<void()>& job) {
  simulator::Activity activity;
  Worker worker;
  worker.do_job(activity, job, [] {});
}

}  // namespace hillock::python
