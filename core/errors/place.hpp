#pragma once
// A place in a user's file, and the text form every message uses for it.

#include <string>

namespace hillock {

/// Where something stands in a user's file. line and column count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Place&) const = default;
};

/// "ring.yaml:14:9", printable; parts that are unknown are left out.
std::string to_string(const Place& place);

}  // namespace hillock
