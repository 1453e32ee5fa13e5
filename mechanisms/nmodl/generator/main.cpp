// Writes the evaluator of a .mod file as a C++ header; the build runs it over the catalogue.
//   hillock-nmodl FILE.mod STRUCT OUT.hpp
// A header that says the same already is left as it is, so that nothing is compiled anew for it.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "core/program/whole_file.hpp"
#include "mechanisms/nmodl/check.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace {

bool says(const char* file, const std::string& text) {
  std::string there;
  return hillock::read_whole_file(file, text.size(), there).empty() && there == text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hillock;
  if (argc != 4) return fmt::print(stderr, "usage: hillock-nmodl FILE.mod STRUCT OUT.hpp\n"), 2;
  try {
    const nmodl::Checked checked = nmodl::check_file(argv[1]);
    for (const Diagnostic& d : checked.diagnostics) fmt::print(stderr, "{}\n", to_string(d));
    if (!checked.module) return 3;
    try {
      const std::string header = nmodl::emit_header(nmodl::lower(*checked.module), argv[2]);
      if (says(argv[3], header)) return 0;
      std::ofstream out(argv[3]);
      out << header;
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
