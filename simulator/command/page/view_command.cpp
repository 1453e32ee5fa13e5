#include "simulator/command/page/view_command.hpp"

#include <array>
#include <filesystem>

#include "core/errors/errors.hpp"
#include "core/text/utf8.hpp"
#include "io/page/page_text.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/page/view_model.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"

namespace hillock::command {

namespace {

constexpr std::array<const char*, 6> view_scripts{"base.js",      "plot.js", "parts.js",
                                                  "histogram.js", "tree.js", "view.js"};

}  // namespace

void write_view(const ViewOptions& options) {
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const LoadedModel model = load_model(options.model, OwnMechanisms::checked, Use::looked_at);
  current_activity().begin("looking at connections");
  io::page::Blobs blobs;
  io::Json data = view_of(model, blobs);
  const std::filesystem::path file(options.model.file);
  const std::string title = file.stem().string();
  data.add("title", printable(title));
  const std::string text = io::page::page_text(title, view_scripts, data, blobs);
  std::string output = options.output;
  if (output.empty()) output = std::filesystem::path(file).replace_extension(".html").string();
  write_page(output, text);
  progress.finish();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  print("{}: {:.3g} MB\n", output, static_cast<double>(text.size()) / 1e6);
}

}  // namespace hillock::command
