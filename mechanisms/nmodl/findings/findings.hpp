#pragma once
// Errors and warnings about one mechanism and the files it includes, a bounded number of each.

#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "mechanisms/nmodl/findings/position.hpp"

namespace hillock::nmodl {

class Findings {
 public:
  /// Names a file for messages; returns its number in positions.
  int add_file(std::string name);
  const std::vector<std::string>& files() const { return files_; }

  void error(Position position, std::string message);
  void warning(Position position, std::string message);
  Place place(Position position) const;

  /// Further errors would not be shown: nothing is worth computing for them.
  bool is_full() const { return diagnostics_.error_count() >= most; }
  bool has_errors() const { return diagnostics_.has_errors(); }
  const std::vector<Diagnostic>& all() const { return diagnostics_.all(); }

 private:
  static constexpr std::size_t most = 100;  ///< of each; what follows in a broken file is noise
  std::vector<std::string> files_;
  Diagnostics diagnostics_;
  std::size_t warnings_ = 0;
};

}  // namespace hillock::nmodl
