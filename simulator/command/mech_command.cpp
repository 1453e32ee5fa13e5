#include "simulator/command/mech_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/counted.hpp"
#include "core/text/utf8.hpp"
#include "mechanisms/load/loader.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/lower.hpp"
#include "mechanisms/registry.hpp"
#include "simulator/command/process/loaded_model.hpp"
#include "simulator/command/terminal/report.hpp"
#include "simulator/command/terminal/text_table.hpp"

namespace hillock::command {

namespace {

namespace fs = std::filesystem;

/// The .mod files below a folder, in the order of their names. Throws InputOutputError for none.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".mod" && entry->is_regular_file(error))
      files.push_back(entry->path());
  if (error) throw InputOutputError(folder.string(), error.message());
  if (files.empty()) throw InputOutputError(folder.string(), "holds no .mod files");
  std::ranges::sort(files);
  return files;
}

class Check {
 public:
  void path(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return file(path);
    several_ = true;
    try {
      for (const auto& found : files_below(path)) file(found);
    } catch (const InputOutputError& problem) {
      unreadable(problem);
    }
  }

  CheckOutcome finish() const {
    if (several_) {
      std::string text =
          fmt::format("{}: {} good, {} with errors", counted(files_, "file"), good_, wrong_);
      if (waiting_ > 0) text += fmt::format(", {} not supported yet", waiting_);
      if (unreadable_ > 0) text += fmt::format(", {} unreadable", unreadable_);
      print_folded("{}\n", text);
    }
    if (unreadable_ > 0) return CheckOutcome::unreadable;
    return wrong_ + waiting_ > 0 ? CheckOutcome::errors : CheckOutcome::good;
  }

 private:
  void file(const fs::path& file) {
    ++files_;
    try {
      const nmodl::Checked checked = nmodl::check_file(file);
      for (const auto& diagnostic : checked.diagnostics) report("{}\n", to_string(diagnostic));
      if (!checked.module) {
        ++wrong_;
        return;
      }
      const bool emitted = checked.module->is_library || can_be_emitted(*checked.module);
      ++(emitted ? good_ : waiting_);
      if (emitted && !several_) print_folded("{}: good\n", file.string());
    } catch (const InputOutputError& problem) {
      unreadable(problem);
    }
  }

  static bool can_be_emitted(const nmodl::Module& module) {
    try {
      nmodl::lower(module);
      return true;
    } catch (const nmodl::NotSupported& problem) {
      const nmodl::Position at = problem.position();
      report("{}:{}:{}: {}\n", module.syntax.files[static_cast<std::size_t>(at.file)], at.line,
             at.column, problem.what());
      return false;
    }
  }

  void unreadable(const InputOutputError& problem) {
    report("{}\n", problem.what());
    ++unreadable_;
  }

  std::size_t files_ = 0, good_ = 0, wrong_ = 0, waiting_ = 0, unreadable_ = 0;
  bool several_ = false;
};

std::string limits_of(const MechanismVariable& variable) {
  const bool below = variable.minimum > -std::numeric_limits<double>::infinity();
  const bool above = variable.maximum < std::numeric_limits<double>::infinity();
  if (below && above) return fmt::format("{:g} to {:g}", variable.minimum, variable.maximum);
  if (below) return fmt::format("at least {:g}", variable.minimum);
  return above ? fmt::format("at most {:g}", variable.maximum) : "";
}

bool is_builtin(const std::string& name) {
  return mechanisms::Registry().find(name) != nullptr;
}

/// The .mod files among paths, and those of folders and their folders.
std::vector<fs::path> files_of(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& path : paths) {
    if (fs::is_directory(path, error))
      std::ranges::copy(files_below(path), std::back_inserter(files));
    else
      files.emplace_back(path);
  }
  return files;
}

/// Throws InvalidModel when a file has errors.
std::vector<mechanisms::ModFile> mechanisms_of(const std::vector<fs::path>& files) {
  Diagnostics diagnostics;
  std::vector<mechanisms::ModFile> mods;
  for (const auto& file : files)
    if (auto reading = mechanisms::read_mod_file(file.string(), diagnostics); reading.file)
      mods.push_back(std::move(*reading.file));
  diagnostics.throw_if_errors();
  return mods;
}

void print_signature(const MechanismSignature& signature) {
  print_folded("{} ({}): {}\n", signature.name, kind_text(signature), signature.description);
  for (const IonUse& ion : signature.ions)
    print_folded("ion {}:{}{}{}\n", ion.ion,
                 ion.reads_reversal ? " reads its reversal potential" : "",
                 ion.writes_current ? " adds to its current" : "",
                 ion.writes_inside || ion.writes_outside ? " sets its concentration" : "");
  if (signature.receives_events) print("weight in {}\n", signature.weight_unit_text);
  std::vector<std::string> arguments;
  for (const EventArgument& argument : signature.arguments)
    arguments.push_back(fmt::format("{} in {}", argument.name, to_utf8(argument.unit_text)));
  if (!arguments.empty())
    print_folded("arguments of a connection behind it: {}\n", fmt::join(arguments, ", "));
  std::vector<std::vector<std::string>> rows{{"variable", "role", "unit", "default", "limits"}};
  for (const MechanismVariable& v : signature.variables) {
    if (v.role == VariableRole::hidden) continue;
    const bool set = v.role == VariableRole::parameter;
    rows.push_back({v.name, role_text(v), to_utf8(v.unit_text),
                    set ? fmt::format("{:g}", v.default_value) : "", set ? limits_of(v) : ""});
  }
  using enum Align;
  print("{}", table_text(rows, {left, left, left, left, left}, page_columns(STDOUT_FILENO)));
}

}  // namespace

std::vector<std::string> names_of_mechanisms() {
  std::vector<std::string> names;
  for (const auto& mechanism : mechanisms::catalogue()) names.push_back(mechanism.signature.name);
  return names;
}

void list_mechanisms(const std::vector<std::string>& paths) {
  struct Line {
    const MechanismSignature* signature;
    std::string file;  ///< empty: built in
  };
  const std::vector<mechanisms::ModFile> files = mechanisms_of(files_of(paths));
  std::map<std::string, Line> lines;  // by name
  for (const auto& mechanism : mechanisms::catalogue())
    lines[mechanism.signature.name] = {&mechanism.signature, ""};
  for (const auto& file : files) lines[file.signature.name] = {&file.signature, file.path};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, line] : lines) {
    std::string text = line.signature->description;
    if (!line.file.empty())
      text += fmt::format("{}({}{})", text.empty() ? "" : " ", line.file,
                          is_builtin(name) ? ", in place of the built-in one" : "");
    rows.push_back({name, kind_text(*line.signature), text});
  }
  // Elsewhere than on a terminal a mechanism is a line, for programs that look for one.
  print("{}",
        table_text(rows, {Align::left, Align::left, Align::left}, terminal_columns(STDOUT_FILENO)));
}

void show_mechanism(const std::string& name) {
  if (name.ends_with(".mod")) {
    const std::vector<mechanisms::ModFile> file = mechanisms_of({name});
    const MechanismSignature& signature = file.front().signature;
    print_signature(signature);
    if (is_builtin(signature.name))
      print_folded("in a model that names this file, it takes the place of the built-in {}\n",
                   signature.name);
    return;
  }
  const mechanisms::Mechanism* found = mechanisms::Registry().find(name);
  if (!found) {
    const std::vector<std::string> known = names_of_mechanisms();
    throw UsageError(fmt::format("no mechanism is called {}.{} Known: {}", name,
                                 did_you_mean(name, known), fmt::join(known, ", ")));
  }
  print_signature(found->signature);
}

CheckOutcome check_mechanisms(const std::vector<std::string>& paths) {
  Check check;
  for (const auto& path : paths) check.path(path);
  return check.finish();
}

void build_mechanisms(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  std::vector<mechanisms::ModFile> mods;
  for (const auto& file : files_of(paths)) {
    auto reading = mechanisms::read_mod_file(file.string(), diagnostics);
    if (!reading.file) continue;
    for (const auto& table : reading.file->missing_tables)
      diagnostics.warning(
          table.place,
          fmt::format("not built: the model that uses it gives the table of {}", table.name));
    if (!reading.file->missing_tables.empty()) continue;
    mods.push_back(std::move(*reading.file));
  }
  std::vector<const mechanisms::ModFile*> all;
  for (const auto& mod : mods) all.push_back(&mod);
  const auto libraries =
      mechanisms::load_libraries(all, {active_isa()}, mechanisms::find_compiler(), announce);
  for (std::size_t m = 0; m < mods.size(); ++m)
    print_folded("{:<15} {:<10} {:<7} {}\n", mods[m].signature.name, kind_text(mods[m].signature),
                 libraries[m].was_cached ? "cached" : "built", libraries[m].path.string());
  diagnostics.throw_if_errors();
  for (const auto& warning : diagnostics.all()) report("{}\n", to_string(warning));
}

}  // namespace hillock::command
