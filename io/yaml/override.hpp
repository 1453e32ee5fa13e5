#pragma once
// A value of a model that is replaced from outside its file.

#include <string>

namespace hillock::io {

struct Override {
  std::string path;  ///< "run.duration"; list entries by number, "record.0.every"
  std::string text;  ///< "1s"
  /// Numbers in it without a unit, and without quotes, are in the base unit of where they stand.
  bool has_base_units = false;
};

}  // namespace hillock::io
