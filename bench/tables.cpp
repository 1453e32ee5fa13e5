#include "bench/tables.hpp"

// One line a table: NAME is that of `extern const Table NAME_table` in a file of bench/tables.
#define HILLOCK_BENCH_TABLES(TABLE) \
  TABLE(thomas)                     \
  TABLE(thomas_variable)            \
  TABLE(hines)                      \
  TABLE(hines_variable)             \
  TABLE(devices)                    \
  TABLE(branch)                     \
  TABLE(stone)                      \
  TABLE(contraction)                \
  TABLE(auto)                       \
  TABLE(thomas_tuning)              \
  TABLE(hines_tuning)

namespace hillock::bench {

#define DECLARE(name) extern const Table name##_table;
HILLOCK_BENCH_TABLES(DECLARE)
#undef DECLARE

std::span<const Table* const> all_tables() {
#define ADDRESS(name) &name##_table,
  static const Table* const tables[] = {HILLOCK_BENCH_TABLES(ADDRESS)};
#undef ADDRESS
  return tables;
}

}  // namespace hillock::bench
