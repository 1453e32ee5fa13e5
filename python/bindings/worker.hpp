#pragma once
// A thread that does what takes long while Python's own goes on: other threads have the
// interpreter, and signals (Ctrl-C, a notebook's stop button) are heard.

#include <functional>

#include "simulator/threads/activity.hpp"
#include "simulator/threads/side_thread.hpp"

namespace hillock::python {

/// All jobs are done on one thread, whose team of threads stays.
class Worker {
 public:
  /// Does a job, and calls look() now and then on the calling thread, which has the interpreter
  /// then. Throws what the job throws; what a signal's handler or look() raises cancels the job and
  /// is thrown when that has ended. activity: what the job tells of, and is cancelled by. Throws
  /// UsageError while there is another job, which a thread of Python's or look() may have given.
  void do_job(simulator::Activity& activity, const std::function<void()>& job,
              const std::function<void()>& look);

  /// Throws UsageError while there is a job.
  void check_idle() const;

 private:
  bool is_at_work_ = false;  ///< whoever asks has the interpreter
  simulator::SideThread thread_;
};

/// Does a job that tells nothing, on a thread of its own. Throws what it throws, or what a signal's
/// handler raises, when it has ended.
void do_job(const std::function<void()>& job);

}  // namespace hillock::python
