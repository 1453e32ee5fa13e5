#pragma once
// What the tests of malformed files share: a source and the whole of what is reported about it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "mechanisms/nmodl/check.hpp"

namespace hillock::nmodl {

struct Malformed {
  const char* name;
  const char* source;
  const char* errors;  ///< line:column: message, a line each
};

inline void PrintTo(const Malformed& malformed, std::ostream* stream) {
  *stream << malformed.name;
}

inline void expect_errors(const Malformed& malformed) {
  const Checked checked = check_text("x.mod", malformed.source);
  std::string errors;
  for (const auto& diagnostic : checked.diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    EXPECT_EQ(diagnostic.place.file, "x.mod");
    errors += fmt::format("{}:{}: {}\n", diagnostic.place.line, diagnostic.place.column,
                          diagnostic.message);
  }
  EXPECT_EQ(errors, malformed.errors);
  EXPECT_FALSE(checked.module);
}

}  // namespace hillock::nmodl
