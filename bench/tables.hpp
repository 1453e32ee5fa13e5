#pragma once
// The tables hillock-bench can make. A new one is a file in bench/tables and a line in tables.cpp.

#include <span>

namespace hillock::bench {

class Session;

enum class Runs { unasked, when_named };

/// One table: what it is called, what it shows, and who measures and prints it.
struct Table {
  const char* name;
  const char* shows;
  Runs runs;
  void (*run)(Session&);
};

/// In the order in which they run.
std::span<const Table* const> all_tables();

}  // namespace hillock::bench
