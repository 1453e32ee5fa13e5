#include "bench/options.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "bench/tables.hpp"
#include "core/errors/errors.hpp"
#include "core/program/command_line.hpp"

namespace hillock::bench {

namespace {

std::string without_folders(const std::string& word) {
  return word.substr(word.rfind('/') + 1);  // rfind finds nothing: from 0
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures Hillock's solvers on this machine.", "hillock bench"};
  app.require_subcommand(1);
  CLI::App& solvers =
      *app.add_subcommand("solvers", "the tables of the papers, on this machine's CPU and GPUs");
  std::vector<std::string> names;
  for (const Table* table : all_tables()) names.emplace_back(table->name);
  solvers.add_option("--table", options.tables, "only this table; may be given again")
      ->check([names](const std::string& word) { return unless_among(word, names); })
      ->allow_extra_args(false);
  solvers.add_flag("--quick", options.quick, "fewer and smaller batches: under a minute a table");
  solvers
      .add_option("--cells", options.cells,
                  "cells of a batch in place of the table's own; may be given again")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->allow_extra_args(false);
  solvers.add_option("--precision", options.precision, "float or double (default: both)")
      ->check([](const std::string& word) {
        return unless_among(word, {"float", "double"});
      });
  const std::map<std::string, Backends> backends{
      {"all", Backends::all}, {"cpu", Backends::cpu}, {"cuda", Backends::cuda}};
  solvers
      .add_option_function<std::string>(
          "--backend", [&](const std::string& word) { options.backends = backends.at(word); },
          "cpu, cuda or all (default: all there is)")
      ->check([](const std::string& word) {
        return unless_among(word, {"all", "cpu", "cuda"});
      });
  solvers.add_option("--json", options.json, "write every figure here, a JSON object a line");
  solvers.add_flag("--list", options.list, "say which tables there are");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (print_what_was_asked(app, error)) return std::nullopt;
    throw UsageError(explain(app, error));
  }
  options.command = "hillock bench";
  for (int i = 1; i < argc; ++i) options.command += " " + without_folders(argv[i]);
  return options;
}

}  // namespace hillock::bench
