#include "simulator/command/import_command.hpp"

#include <filesystem>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "simulator/command/page/page_file.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/session/loaded_model.hpp"

namespace hillock::command {

void import_model(const ImportOptions& options) {
  namespace fs = std::filesystem;
  if (options.output == "-")
    throw UsageError("import: -o - cannot be: a folder of files lies beside the model file");
  const fs::path model = options.output;
  const std::string data = model.stem().string() + "_data";
  const fs::path folder = model.parent_path() / data;
  std::error_code error;
  for (const fs::path& made : {model, folder})
    if (!options.force && fs::exists(made, error))
      throw InputOutputError(made.string(),
                             "is there already, and is not overwritten without --force");
  const fs::path names_from = model.has_parent_path() ? model.parent_path() : fs::path(".");
  Diagnostics diagnostics;
  const auto circuit = session::import_circuit(options.config, data, names_from, diagnostics);
  diagnostics.throw_if_errors();
  for (const Diagnostic& warning : diagnostics.all()) report("{}\n", to_string(warning));
  fs::create_directories(folder, error);
  if (error) throw InputOutputError(folder.string(), "cannot be made (" + error.message() + ")");
  for (const auto& [name, text] : circuit.files)
    write_page((model.parent_path() / name).string(), text);
  write_page(model.string(), circuit.text);
  print_folded("{}: made, with {} in {}. Next: {} run {}\n", model.string(),
               counted(circuit.files.size(), "file"), folder.string(), called(), model.string());
}

}  // namespace hillock::command
