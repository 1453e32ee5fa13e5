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

/// One that thousands of files may have.
class SharedProvenance {
 public:
  SharedProvenance(Provenance from = {})
      : one_(std::make_shared<const Provenance>(std::move(from))) {}
  const Provenance& operator*() const { return *one_; }

 private:
  std::shared_ptr<const Provenance> one_;
};

/// What a resumed run keeps of one table of an earlier run's file: so many of its first rows.
struct KeptRows {
  std::uint64_t count = 0;
  std::string sha256;  ///< of what is in them; they are refused where it is another

  friend bool operator==(const KeptRows&, const KeptRows&) = default;
};

/// Whether a file hashes its rows, so that a resumed run can tell them.
enum class Hashing { no, yes };

/// Writes spikes.h5: during the run spikes are appended to spikes.h5.partial in the order given,
/// finish() writes spikes.h5 afresh, sorted by time and then by node id. The partial file stays: it
/// alone tells in what order spikes came. Throws InputOutputError.
class SpikeFile {
 public:
  /// kept: of each population what is kept of an earlier run's partial file, which is replaced by
  /// one that has it; empty: nothing. Throws InputOutputError where it is not there as it was.
  SpikeFile(const std::filesystem::path& directory, std::vector<std::string> populations,
            const Provenance& provenance, Hashing hashing = Hashing::no,
            std::span<const KeptRows> kept = {}, std::vector<models::CellPlaces> places = {});
  ~SpikeFile();
  SpikeFile(SpikeFile&&) noexcept;
  SpikeFile& operator=(SpikeFile&&) noexcept;

  /// population: index in `populations`.
  void append(std::size_t population, std::span<const models::RecordedSpike> spikes);
  /// Of each population, what a run that is resumed from here keeps. Only with hashing.
  std::vector<KeptRows> rows() const;
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

/// What HDF5 takes of a run's files: of spikes.h5 and of those reports that are open at a time.
std::size_t open_file_bytes(std::size_t reports);

/// What else writing a report takes of memory: its layout and the values that wait until a band of
/// chunks is full.
std::size_t writing_bytes(const models::ReportLayout& layout);

/// Whether a report's file stays open. The bytes in it are the same. One that does not is made when
/// its first rows are written, and opened for each time that more are.
enum class BetweenWrites { open, closed };

/// Where a run writes more reports, none of them stays open.
inline constexpr std::size_t most_open_reports = 64;

/// Writes one report file <directory>/<name>.h5. Throws InputOutputError.
class ReportFile {
 public:
  /// kept: what is kept of an earlier run's file, which is replaced by one that has it. Throws
  /// InputOutputError where it is not there as it was.
  ReportFile(const std::filesystem::path& directory, models::ReportLayout layout,
             SharedProvenance provenance, Hashing hashing = Hashing::no, const KeptRows& kept = {},
             BetweenWrites between = BetweenWrites::open);
  ~ReportFile();
  ReportFile(ReportFile&&) noexcept;
  ReportFile& operator=(ReportFile&&) noexcept;

  /// rows: [n × columns] row by row, following those appended before. Throws NumericalFailure at a
  /// finite number that is too large for float32.
  void append(std::span<const double> rows);
  /// What a run that is resumed from here keeps. Only with hashing.
  KeptRows rows() const;
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
