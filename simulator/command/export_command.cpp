#include "simulator/command/export_command.hpp"

#include <filesystem>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/terminal/progress_line.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/exported_circuit.hpp"

namespace hillock::command {

void export_model(const ExportOptions& options) {
  namespace fs = std::filesystem;
  fs::path folder = options.output;
  if (folder.empty()) folder = fs::path(options.model.file).replace_extension(".circuit");
  std::error_code error;
  for (const std::string& name : session::circuit_file_names())
    if (const fs::path file = folder / name;
        !options.force && fs::symlink_status(file, error).type() != fs::file_type::not_found)
      throw InputOutputError(file.string(),
                             "is there already, and is not overwritten without --force");
  ProgressLine progress(current_activity(), ProgressLine::Shown::yes);
  const LoadedModel model = load_model(options.model, OwnMechanisms::loaded, Use::looked_at);
  fs::create_directories(folder, error);
  if (error) throw InputOutputError(folder.string(), "cannot be made (" + error.message() + ")");
  const session::ExportedCircuit made = session::export_circuit(model, folder, current_activity());
  for (const auto& [name, text] : made.texts) write_page((folder / name).string(), text);
  progress.finish();
  for (const auto& warning : model.warnings) report("{}\n", to_string(warning));
  print_folded("{}: {}, {}\n", folder.string(), counted(made.nodes, "node"),
               counted(made.edges, "edge"));
}

}  // namespace hillock::command
