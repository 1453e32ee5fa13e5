#include "simulator/command/mech_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/errors.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "simulator/command/report.hpp"

namespace hillock::command {

namespace {

namespace fs = std::filesystem;

/// The .mod files below a folder, in the order of their names.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".mod" && entry->is_regular_file(error))
      files.push_back(entry->path());
  if (error) throw InputOutputError(folder.string(), error.message());
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
      fmt::print("{} files: {} good, {} with errors", files_, good_, wrong_);
      if (unreadable_ > 0) fmt::print(", {} unreadable", unreadable_);
      fmt::print("\n");
    }
    if (unreadable_ > 0) return CheckOutcome::unreadable;
    return wrong_ > 0 ? CheckOutcome::errors : CheckOutcome::good;
  }

 private:
  void file(const fs::path& file) {
    ++files_;
    try {
      const nmodl::Checked checked = nmodl::check_file(file);
      for (const auto& diagnostic : checked.diagnostics) report("{}\n", to_string(diagnostic));
      ++(checked.module ? good_ : wrong_);
      if (checked.module && !several_) fmt::print("{}: good\n", file.string());
    } catch (const InputOutputError& problem) {
      unreadable(problem);
    }
  }

  void unreadable(const InputOutputError& problem) {
    report("{}\n", problem.what());
    ++unreadable_;
  }

  std::size_t files_ = 0, good_ = 0, wrong_ = 0, unreadable_ = 0;
  bool several_ = false;
};

}  // namespace

CheckOutcome check_mechanisms(const std::vector<std::string>& paths) {
  Check check;
  for (const auto& path : paths) check.path(path);
  return check.finish();
}

}  // namespace hillock::command
