#pragma once
// A place in a mechanism's source: small enough to stand in every node of the syntax tree.

namespace hillock::nmodl {

/// Line and column count from 1, columns in bytes; `file` indexes ast::File::files.
struct Position {
  int file = 0;
  int line = 0;
  int column = 0;

  bool operator==(const Position&) const = default;
};

}  // namespace hillock::nmodl
