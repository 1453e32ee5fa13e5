#include "simulator/command/page/report_command.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/errors/errors.hpp"
#include "io/recorded/report_page.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/process/stop_signal.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"

namespace hillock::command {

void write_report(const ReportOptions& options) {
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  io::ReportRequest request;
  request.directory = options.directory;
  request.is_reading = [](const std::string& what) {
    throw_if_stopped();
    current_activity().begin("reading " + what);
  };
  const io::ReportPage page = io::report_page(request);
  current_activity().begin("writing");
  const std::string file = options.output.empty()
                               ? (std::filesystem::path(options.directory) / "report.html").string()
                               : options.output;
  write_page(file, page.text);
  progress.finish();
  for (const std::string& problem : page.problems) report("hillock: {}\n", problem);
  print_folded("{}: {:.3g} MB\n", file, static_cast<double>(page.text.size()) / 1e6);
}

}  // namespace hillock::command
