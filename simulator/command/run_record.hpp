#pragma once
// A run on disk: its directory, its run.json, its output files. It is closed once, by the thread
// that runs or, when that is stuck, by the one that watches for signals.

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/run/output_writer.hpp"
#include "io/run/run_directory.hpp"
#include "simulator/command/stop_signal.hpp"

namespace hillock::command {

/// Thread-safe.
class RunRecord {
 public:
  /// Takes the directory and writes the first run.json there. Throws InputOutputError.
  RunRecord(const std::string& directory, io::RunSummary summary, io::ExistingRun existing);

  /// Changes what run.json will say.
  void note(const std::function<void(io::RunSummary&)>& change);

  /// Creates the output files. Throws InputOutputError.
  io::OutputWriter& open_files(const std::vector<std::string>& populations,
                               std::vector<models::ReportLayout> reports,
                               const io::Provenance& provenance, double flush_interval_s,
                               const io::KeptRows* kept);
  /// Whether the directory has a run to be resumed.
  bool resumes() const { return directory_.resumes(); }
  const std::filesystem::path& directory() const { return directory_.path(); }

  /// Completes the files, which may take long; run.json then says so. Throws InputOutputError, and
  /// Interrupted when a signal came before the end.
  void complete();

  /// Closes the files as they are, unless all is closed already; nothing is thrown, since what made
  /// the run end early is what is to be reported. False when the run is complete.
  bool close(io::RunStatus status, const std::string& error);

  /// Biological time of the last checkpoint.
  std::optional<double> checkpoint_ms() const;

  /// Not before the record is closed.
  const io::RunSummary& summary() const { return summary_; }

 private:
  mutable std::mutex mutex_;
  io::RunSummary summary_;
  io::RunDirectory directory_;
  std::optional<io::OutputWriter> writer_;
  bool finishing_ = false;
  bool closed_ = false;
  LastWords last_words_;  ///< comes last: is gone before what it speaks of
};

}  // namespace hillock::command
