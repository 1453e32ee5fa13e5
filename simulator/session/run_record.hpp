#pragma once
// A run on disk: its directory, its run.json, its output files. It is closed once, by the thread
// that runs or, when that is stuck, by one that watches it.

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/run/output_writer.hpp"
#include "io/run/run_directory.hpp"
#include "simulator/session/output_sink.hpp"

namespace hillock::session {

/// What becomes of a run that threw.
struct EarlyEnd {
  io::RunStatus status = io::RunStatus::failed;
  std::string error;                     ///< that run.json tells
  std::exception_ptr instead = nullptr;  ///< what is thrown where the run was not complete yet
};

/// Who may stop a run while its record is kept.
struct RunWatch {
  /// Throws when the run is to end: the record may be closed by another thread then.
  std::function<void()> throw_if_stopped;
  /// Hears what goes wrong besides what the run ends with.
  std::function<void(const std::string& line)> say;
  std::function<EarlyEnd(const std::exception& failure)> end_of;
};

/// Thread-safe.
class RunRecord {
 public:
  /// Takes the directory. Throws InputOutputError.
  RunRecord(const std::string& directory, io::RunSummary summary, io::ExistingRun existing,
            RunWatch watch);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Writes the first run.json. Throws InputOutputError.
  void begin();

  /// Changes what run.json will say.
  void note(const std::function<void(io::RunSummary&)>& change);

  /// Calls run(), which opens and completes the record. Where it throws, the files are closed as
  /// they are, and what is to be reported is thrown.
  void keep(const std::function<void()>& run);

  /// Creates the output files, for what a simulation makes. kept: what an earlier run left in them,
  /// or null. Throws InputOutputError.
  OutputSink& open(const models::Network& network, const simulator::Simulation& simulation,
                   const io::Provenance& provenance, const io::OutputOptions& options,
                   const io::KeptOutput* kept);
  /// What a run, or its part that was done, took and recorded. saves: whether it may have been
  /// saved.
  void note_done(const models::Network& network, const simulator::Simulation& simulation,
                 bool saves);
  /// Whether the directory has a run to be resumed.
  bool resumes() const { return directory_.resumes(); }
  const std::filesystem::path& directory() const { return directory_.path(); }

  /// Completes the files, which may take long; run.json then says so. Throws InputOutputError, and
  /// what throw_if_stopped() throws.
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
  std::optional<OutputSink> sink_;
  bool finishing_ = false;
  bool closed_ = false;
  RunWatch watch_;
};

}  // namespace hillock::session
