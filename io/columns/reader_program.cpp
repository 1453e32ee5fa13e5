#include "io/columns/reader_program.hpp"

#include <fmt/format.h>

#include <csignal>

#include "core/errors/errors.hpp"
#include "core/program/own_libraries.hpp"
#include "io/columns/column_protocol.hpp"

namespace hillock::io::columns {

namespace {

constexpr const char* reader_name = "hillock-read-columns";

std::string filter_name(std::uint32_t number) {
  switch (number) {
    case 3:
      return "fletcher32";
    case 4:
      return "szip";
    case 5:
      return "nbit";
    case 6:
      return "scaleoffset";
    case 32000:
      return "lzf";
    default:
      return fmt::format("number {}", number);
  }
}

}  // namespace

std::uint64_t cpu_seconds_for(std::uint64_t bytes) {
  return 10 + (bytes >> 22);
}

std::string problem_text(std::uint32_t problem, std::uint32_t detail, const std::string& dataset,
                         std::uint64_t most_values) {
  switch (static_cast<Problem>(problem)) {
    case Problem::none:
      return "";
    case Problem::not_hdf5:
      return "this is not an HDF5 file that can be opened";
    case Problem::no_dataset:
      return fmt::format("has no dataset '{}'", dataset);
    case Problem::external_link:
      return fmt::format(
          "the path '{}' leads through an external link (links to other files are not followed)",
          dataset);
    case Problem::virtual_dataset:
      return fmt::format(
          "dataset '{}' is a virtual dataset (its values lie in other files, which are not read)",
          dataset);
    case Problem::external_storage:
      return fmt::format(
          "dataset '{}' has external storage (its values lie in other files, which are not read)",
          dataset);
    case Problem::filter:
      return fmt::format("dataset '{}' has the filter {} (gzip and shuffle are read)", dataset,
                         filter_name(detail));
    case Problem::not_numbers:
      return fmt::format("dataset '{}' does not hold numbers", dataset);
    case Problem::not_one_dimensional:
      return fmt::format("dataset '{}' is not one-dimensional", dataset);
    case Problem::too_many_values:
      return fmt::format("dataset '{}' has more than {} values", dataset, most_values);
    case Problem::damaged:
      break;
  }
  return fmt::format("dataset '{}' cannot be read", dataset);
}

std::filesystem::path find_reader() {
  if (const auto reader = find_own_file(reader_name)) return *reader;
  throw InputOutputError(reader_name,
                         "this program, which reads HDF5 files, does not lie beside Hillock "
                         "(./dev build makes it)");
}

std::string why_it_ended(AskedProgram& program, std::uint64_t cpu_seconds) {
  if (program.timed_out()) return "reading it takes too long";
  const int status = program.end();
  if (status == 128 + SIGXCPU) return fmt::format("reading it takes more than {} s", cpu_seconds);
  if (status > 128) return fmt::format("the HDF5 library ends with signal {}", status - 128);
  return "the HDF5 library fails";
}

}  // namespace hillock::io::columns
