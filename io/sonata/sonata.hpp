#pragma once
// Writes SONATA spike and report files, first as *.partial. All calls on one thread (HDF5's rule).

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/report.hpp"

namespace hillock::io {

/// What every file says of where it came from: attributes of the root group.
struct Provenance {
  std::string model_text;
  std::string model_sha256;
  std::vector<std::pair<std::string, std::string>> input_sha256;  ///< (name, hash)
  std::string version;
  std::uint64_t seed = 0;
};

/// Writes spikes.h5: during the run spikes are appended to spikes.h5.partial in the order given,
/// finish() writes spikes.h5 afresh, sorted by time and then by node id. The partial file stays: it
/// alone tells in what order spikes came. Throws InputOutputError.
class SpikeFile {
 public:
  /// kept: of each population so many of the first spikes of an earlier run's partial file, which
  /// is replaced by one that has these; empty: nothing is kept.
  SpikeFile(const std::filesystem::path& directory, std::vector<std::string> populations,
            const Provenance& provenance, std::span<const std::uint64_t> kept = {});
  ~SpikeFile();
  SpikeFile(SpikeFile&&) noexcept;
  SpikeFile& operator=(SpikeFile&&) noexcept;

  /// population: index in `populations`.
  void append(std::size_t population, std::span<const models::RecordedSpike> spikes);
  /// After flush returns, a kill loses nothing appended before it. Returns rows on disk.
  std::uint64_t flush();
  /// What was flushed stays through a loss of power.
  void sync();
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What HDF5 takes of memory for a file that is written, as measured.
inline constexpr std::size_t bytes_of_open_file = 700'000;

/// What writing a report takes of memory: its file, its layout and the values that wait until a
/// band of chunks is full.
std::size_t writing_bytes(const models::ReportLayout& layout);

/// Writes one report file <directory>/<name>.h5. Throws InputOutputError.
class ReportFile {
 public:
  /// kept: so many of the first rows of an earlier run's file, which is replaced by one that has
  /// these.
  ReportFile(const std::filesystem::path& directory, models::ReportLayout layout,
             const Provenance& provenance, std::uint64_t kept = 0);
  ~ReportFile();
  ReportFile(ReportFile&&) noexcept;
  ReportFile& operator=(ReportFile&&) noexcept;

  /// rows: [n × columns] row by row, following those appended before. Throws NumericalFailure at a
  /// finite number that is too large for float32.
  void append(std::span<const double> rows);
  /// After flush returns, a kill loses nothing appended before it. Returns rows on disk.
  std::uint64_t flush();
  /// What was flushed stays through a loss of power.
  void sync();
  /// Renames the file from *.partial to its name. mapping/time's stop is start + rows·every.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The version of the HDF5 library in use, for run.json.
std::string hdf5_version();

}  // namespace hillock::io
