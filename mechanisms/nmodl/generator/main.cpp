// Writes the evaluator of a .mod file as a C++ header; the build runs it over the catalogue.
//   hillock-nmodl FILE.mod STRUCT OUT.hpp

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"

int main(int argc, char** argv) {
  using namespace hillock;
  if (argc != 4) return fmt::print(stderr, "usage: hillock-nmodl FILE.mod STRUCT OUT.hpp\n"), 2;
  try {
    const nmodl::Checked checked = nmodl::check_file(argv[1]);
    for (const Diagnostic& d : checked.diagnostics) fmt::print(stderr, "{}\n", to_string(d));
    if (!checked.module) return 3;
    try {
      std::ofstream out(argv[3]);
      out << nmodl::emit_header(nmodl::lower(*checked.module), argv[2]);
      out.close();
      if (!out) return fmt::print(stderr, "{}: cannot be written\n", argv[3]), 4;
    } catch (const nmodl::NotSupported& error) {
      const auto at = error.position();
      fmt::print(stderr, "{}:{}:{}: {}\n", argv[1], at.line, at.column, error.what());
      return 3;
    }
  } catch (const std::exception& error) {
    return fmt::print(stderr, "{}\n", error.what()), 4;
  }
  return 0;
}
