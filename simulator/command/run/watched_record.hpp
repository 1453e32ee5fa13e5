#pragma once
// The record of a run that ends within a second of a signal.

#include <exception>
#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/command/process/memory_text.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/run_record.hpp"

namespace hillock::command {

class WatchedRecord final : public session::RunRecord {
 public:
  /// Takes the directory and writes the first run.json there. Throws InputOutputError.
  WatchedRecord(const std::string& directory, io::RunSummary summary, io::ExistingRun existing)
      : RunRecord(directory, std::move(summary), existing,
                  {throw_if_stopped, [](const std::string& line) { report("hillock: {}\n", line); },
                   [this](const std::exception& failure) { return end_of(failure); }}),
        last_words_([this](int signal) {
          return close(io::RunStatus::interrupted, Interrupted(signal).what());
        }) {
    begin();
  }

 private:
  /// What came before the failure stays readable; the failure itself is what is reported. After a
  /// signal the files may have been closed under the simulation's feet.
  session::EarlyEnd end_of(const std::exception& failure) const {
    const int signal = stop_signal();
    const auto* of_rank = dynamic_cast<const RankFailed*>(&failure);
    const bool is_stopped = signal || (of_rank && of_rank->exit_code() > 128);
    if (const auto saved_ms = checkpoint_ms(); saved_ms && is_stopped)
      report("hillock: saved at {:.10g} ms: --resume goes on from there\n", *saved_ms);
    const Interrupted interrupted(signal);
    return {is_stopped ? io::RunStatus::interrupted : io::RunStatus::failed,
            signal ? interrupted.what() : describe(failure),
            signal && !of_rank ? std::make_exception_ptr(interrupted) : nullptr};
  }

  LastWords last_words_;  ///< is gone before what it speaks of
};

}  // namespace hillock::command
