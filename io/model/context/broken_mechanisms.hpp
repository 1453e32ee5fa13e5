#pragma once
// .mod files that cannot be used: of a folder those are told of as errors whose mechanisms the
// model uses, so that folders of others' files need not be tidied first.

#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"

namespace hillock::io {

class BrokenMechanisms {
 public:
  /// A file that the model names itself; its errors were reported.
  void add(std::string name) { files_.push_back({std::move(name), {}, true}); }
  /// One of a folder or of those that are like a pattern, with what was found in it.
  void add(std::string name, std::vector<Diagnostic> found) {
    files_.push_back({std::move(name), std::move(found), false});
  }

  /// Whether a mechanism's file has errors, which is said once: what uses it need not repeat it.
  /// Who asks uses it.
  bool use(const std::string& name);
  std::vector<std::string> names() const;

  /// When all uses are known: errors of files that are used, and one warning of each other.
  void report(Diagnostics& diagnostics) const;

 private:
  struct File {
    std::string name;  ///< of the mechanism; empty when it could not be read
    std::vector<Diagnostic> found;
    bool is_used = false;
  };
  std::vector<File> files_;
};

}  // namespace hillock::io
