#pragma once
// The directory of one run and its run.json. Not here: the HDF5 files in it
// (io/run/output_writer.hpp).

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hillock::io {

enum class RunStatus { running, complete, interrupted, failed };

/// Some time in which a GPU passed the spikes of point neurons one way.
struct PropagationTurn {
  std::string way;
  double from_ms = 0, to_ms = 0;
  std::uint64_t spikes = 0;
  double device_s = 0;  ///< that the GPU took for it
};

/// Of one population, what its spikes and reports do not say.
struct RunPopulation {
  std::string name;
  std::string cell;
  std::uint64_t size = 0;
  /// Cells [first, second) whose spikes are recorded, rising.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spikes_of;
};

/// What run.json says: everything about a run that is not its result.
struct RunSummary {
  RunStatus status = RunStatus::running;
  std::string error;  ///< why it failed; left out when empty
  std::string version;
  std::string host;
  std::string start;  ///< ISO 8601, as now_iso8601() gives it
  std::string end;    ///< left out while running
  int ranks = 1;
  int threads = 1;
  std::string backend;
  std::string backend_reason;      ///< why that one was taken
  std::string precision;           ///< that it computed in
  std::string propagation;         ///< of spikes to point neurons, on a GPU; else empty
  std::string propagation_reason;  ///< why they are passed so
  std::vector<PropagationTurn> propagation_turns;
  std::uint64_t refused_grids = 0;  ///< that the GPU was to start by itself for them
  std::string instruction_set;      ///< of the inner loops on the CPU
  std::string device;
  std::string hdf5_version;
  std::string model;  ///< the model file's path
  std::string model_sha256;
  std::uint64_t seed = 0;
  double dt_ms = 0;
  std::uint64_t steps = 0;
  std::uint64_t epoch_steps = 0;  ///< steps of one epoch
  std::uint64_t cells = 0;
  std::uint64_t compartments = 0;
  std::uint64_t spikes = 0;                   ///< that were recorded
  std::optional<double> biological_ms_per_s;  ///< of the steps alone, in wall time
  std::optional<double> mean_rate_hz;         ///< spikes of a cell, the mean of all, since 0 ms
  std::vector<RunPopulation> populations;
  std::vector<std::string> warnings;    ///< of the model, as they were shown
  std::optional<double> resumed_ms;     ///< biological time that the run was resumed at
  std::optional<double> checkpoint_ms;  ///< that of the last checkpoint
  std::map<std::string, double> timings_s;
  std::vector<std::string> outputs;            ///< names of the files in the directory
  std::map<std::string, std::string> options;  ///< as given on the command line
};

/// The text of run.json.
std::string to_json(const RunSummary& summary);

/// resume: one that did not complete and has a checkpoint stays as it is; where there is none, as
/// keep.
enum class ExistingRun { keep, replace, resume };

/// Whether a directory holds the complete run of a model with these --set, as its run.json has
/// them. Throws InputOutputError where a run.json cannot be read.
bool holds_complete_run(const std::filesystem::path& directory, const std::string& model_sha256,
                        const std::string& overrides);

/// Holds the directory of a run; no second process can hold it at the same time.
class RunDirectory {
 public:
  /// Creates the directory if there is none. Removes what a run that did not complete has left,
  /// and with ExistingRun::replace a complete run as well: the files its run.json lists, *.partial
  /// and flush.log, nothing else.
  /// outputs: names of the files that the new run will write.
  /// Throws InputOutputError when it is a file, is not writable, is held by a running process,
  /// holds a complete run, a run that can be resumed, or one of `outputs` of unknown origin (unless
  /// these are replaced).
  RunDirectory(std::filesystem::path path, const std::vector<std::string>& outputs,
               ExistingRun existing);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Whether there is a run to be resumed.
  bool resumes() const { return resumes_; }
  /// Removes the checkpoint of a run that is complete.
  void remove_checkpoint() const;

  /// Writes run.json; a reader sees the old text or the new one, never a part. While the run goes
  /// on, the space for the next one is kept on the disk, so that a full disk can be told of.
  /// Throws InputOutputError.
  void write_summary(const RunSummary& summary) const;

 private:
  void lock();
  void reserve_next(std::size_t bytes) const;
  void clear(const std::vector<std::string>& outputs, ExistingRun existing);

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool resumes_ = false;
};

/// Now, in UTC, as 2025-03-01T12:34:56Z.
std::string now_iso8601();
std::string host_name();

}  // namespace hillock::io
