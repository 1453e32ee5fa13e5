#pragma once
// What a compiler for devices is given.

#include <string>
#include <vector>

namespace hillock::simulator::on_device {

struct SourceHeader {
  std::string name, text;
  std::string mechanism;  ///< whose evaluator it is, for messages
};

/// A source with the headers of its mechanisms; those of Hillock come beside them.
struct ProgramSource {
  std::string text;
  std::vector<SourceHeader> mechanisms;
  bool has_floats = false;
};

}  // namespace hillock::simulator::on_device
