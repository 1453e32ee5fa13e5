#pragma once
// The thread that writes a run's spikes and reports. Every HDF5 call of a run is made on it.
// Not here: the forms of the files (io/sonata/sonata.hpp), the run's directory
// (io/run/run_directory.hpp).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/sonata/sonata.hpp"

namespace hillock::io {

/// Spikes of one population, in order of time.
struct PopulationSpikes {
  std::size_t population = 0;  ///< index in the writer's `populations`
  std::vector<models::RecordedSpike> spikes;
};

/// What a resumed run keeps of an earlier run's files.
struct KeptOutput {
  std::vector<KeptRows> spikes;   ///< [population]
  std::vector<KeptRows> reports;  ///< [report]
};

struct OutputOptions {
  /// How long what has been added may be lost to a kill.
  double flush_interval_s = 5;
  /// add_spikes and add_rows wait while more than this is queued, but that rows need not wait for
  /// what is none of their report: what a stop has yet to write.
  std::size_t queue_bytes = std::size_t{1} << 18;
  /// Without it sync() cannot say what a resumed run keeps.
  Hashing hashing = Hashing::no;
};

/// Writes spikes.h5 and one file a report into a directory that exists.
/// Every few seconds all files are flushed and a line `<file> <rows>` a file is appended to
/// flush.log, after the flush of that file has returned. Calls come from one thread at a time.
/// An error on the writing thread is thrown by the next call; the files stay as *.partial.
class OutputWriter {
 public:
  /// populations: those whose spikes are recorded; spikes.h5 is written in any case.
  /// kept: null where nothing is. places: what spikes.h5 tells of where cells lie. Throws
  /// InputOutputError when a file cannot be created, or what is to be kept is not there.
  OutputWriter(const std::filesystem::path& directory, std::vector<std::string> populations,
               std::vector<models::ReportLayout> reports, Provenance provenance,
               OutputOptions options = {}, const KeptOutput* kept = nullptr,
               std::vector<models::CellPlaces> places = {});
  /// As abort(), but without throwing.
  ~OutputWriter();
  OutputWriter(const OutputWriter&) = delete;
  OutputWriter& operator=(const OutputWriter&) = delete;

  /// Queues spikes. Throws what the writing thread met (InputOutputError, or
  /// NumericalFailure for numbers that do not fit into a report).
  void add_spikes(std::vector<PopulationSpikes> spikes);
  /// Queues rows of a report: [n × columns], following those added before. Throws as add_spikes.
  void add_rows(std::size_t report, std::vector<double> rows);
  /// Rows of a report that have been written, for whom their memory may serve; or none. Memory that
  /// is new for every block takes longer than what is done with it. Any thread may ask.
  std::vector<double> written_rows(std::size_t report);

  /// When it returns, everything that has been added is on the disk, and stays through a loss of
  /// power. Returns what a run that is resumed from there keeps: nothing without hashing. Throws as
  /// add_spikes.
  KeptOutput sync();

  /// Writes what is queued, completes all files and gives them their names; removes flush.log.
  /// What resuming the run needs stays there until remove_partial().
  void finish();
  void remove_partial();
  /// Writes what is queued and closes the files as *.partial, as they should be after an
  /// interruption. Throws when that fails.
  void abort();

  /// The names of the files of a finished run, spikes.h5 first.
  const std::vector<std::string>& files() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hillock::io
