#pragma once
// The page that shows a run, made of the files in its directory alone, which anybody may have made.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hillock::io {

/// What a page has room for. A page at these limits has some 33 MB.
struct ReportLimits {
  std::uint64_t spikes = 1'250'000;
  std::size_t trace_values = 3'000'000;  ///< of all reports together
  std::size_t traces = 1000;             ///< of a report
  std::size_t tree_values = 3'000'000;   ///< on all shapes together
  std::size_t pieces = 60'000;           ///< of a shape
  std::size_t populations = 100;
  std::size_t reports = 40;
};

struct ReportRequest {
  std::filesystem::path directory;
  ReportLimits limits = {};
  /// Told what is read; may throw, which ends the reading.
  std::function<void(const std::string& what)> is_reading = [](const std::string&) {};
  /// The program that reads HDF5 files, as for ConfinedFile.
  std::filesystem::path reader = {};
};

struct ReportPage {
  std::string text;                   ///< HTML
  std::vector<std::string> problems;  ///< files that could not be read, which the page says too
};

/// Throws InputOutputError where the directory holds no run. A run that is not complete has a page
/// that says so, of what its partial files hold; so has one of whose files some cannot be read.
ReportPage report_page(const ReportRequest& request);

}  // namespace hillock::io
