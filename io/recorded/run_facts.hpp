#pragma once
// What the run.json of a run that somebody made says of it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hillock::io {

/// Of an older run some of these are empty.
struct RunFacts {
  struct Population {
    std::string name;
    std::string cell;
    std::uint64_t size = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spikes_of;  ///< rising, apart
  };

  std::string status;  ///< "complete", "running", "interrupted", "failed"
  std::string error;
  std::string start, end;                                  ///< UTC
  std::vector<std::pair<std::string, std::string>> texts;  ///< all else, as label and value
  std::string model;
  std::string model_sha256;
  double dt_ms = 0;
  std::uint64_t steps = 0, cells = 0, compartments = 0, spikes = 0;
  std::string where;  ///< "4 threads", "2 ranks of ..."
  std::vector<Population> populations;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, double>> timings_s;
  std::vector<std::string> outputs;  ///< plain names that end in .h5

  bool is_hillocks = true;  ///< else outputs are all that is known

  bool is_complete() const { return status == "complete"; }
  double duration_ms() const { return dt_ms * static_cast<double>(steps); }
};

/// Of a directory without a run.json the .h5 files are the outputs of another program. Throws
/// InputOutputError where it has none either, or a run.json that is no run's.
RunFacts read_run_facts(const std::filesystem::path& directory);

}  // namespace hillock::io
