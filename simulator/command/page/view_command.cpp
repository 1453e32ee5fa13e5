#include "simulator/command/page/view_command.hpp"

#include <filesystem>

#include "core/errors/errors.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/view_page.hpp"

namespace hillock::command {

void write_view(const ViewOptions& options) {
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const LoadedModel model = load_model(options.model, OwnMechanisms::checked, Use::looked_at);
  current_activity().begin("looking at connections");
  const std::filesystem::path file(options.model.file);
  const std::string text = session::view_page(model, file.stem().string());
  std::string output = options.output;
  if (output.empty()) output = std::filesystem::path(file).replace_extension(".html").string();
  write_page(output, text);
  progress.finish();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  print("{}: {:.3g} MB\n", output, static_cast<double>(text.size()) / 1e6);
}

}  // namespace hillock::command
