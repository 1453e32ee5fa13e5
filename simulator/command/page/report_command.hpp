#pragma once
// `hillock report`: one HTML file that shows a run.

#include <string>

namespace hillock::command {

struct ReportOptions {
  std::string directory;
  std::string output;  ///< empty: report.html in the directory
};

/// Writes the page, and tells of files that could not be read. Throws InputOutputError.
void write_report(const ReportOptions& options);

}  // namespace hillock::command
