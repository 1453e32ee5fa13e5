#pragma once
// The record of a run that ends within a second of a signal.

#include <string>
#include <utility>

#include "core/errors/errors.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/run_record.hpp"

namespace hillock::command {

class WatchedRecord final : public session::RunRecord {
 public:
  /// Takes the directory and writes the first run.json there. Throws InputOutputError.
  WatchedRecord(const std::string& directory, io::RunSummary summary, io::ExistingRun existing)
      : RunRecord(
            directory, std::move(summary), existing,
            {throw_if_stopped, [](const std::string& line) { report("hillock: {}\n", line); }}),
        last_words_([this](int signal) {
          return close(io::RunStatus::interrupted, Interrupted(signal).what());
        }) {
    begin();
  }

 private:
  LastWords last_words_;  ///< is gone before what it speaks of
};

}  // namespace hillock::command
