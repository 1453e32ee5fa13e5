#include "io/columns/hdf5_columns.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "core/asked_program.hpp"
#include "core/errors.hpp"
#include "io/columns/column_protocol.hpp"

namespace hillock::io {

namespace {

using columns::Answer;
using columns::Problem;
using columns::Request;

constexpr const char* reader_name = "hillock-read-columns";

/// A good file of the largest size takes a few seconds of these.
std::uint64_t cpu_seconds_for(std::size_t bytes) {
  return 10 + (bytes >> 22);
}

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

std::string problem_text(const Answer& answer, const std::string& dataset,
                         std::size_t most_values) {
  switch (static_cast<Problem>(answer.problem)) {
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
                         filter_name(answer.detail));
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

/// The reader beside the program that runs, else beside the library that this is linked into. Never
/// one that a relative name leads to: that may be a stranger's.
std::filesystem::path find_reader() {
  std::error_code failed;
  Dl_info library{};
  ::dladdr(reinterpret_cast<const void*>(&cpu_seconds_for), &library);
  const std::filesystem::path beside[] = {std::filesystem::read_symlink("/proc/self/exe", failed),
                                          library.dli_fname ? library.dli_fname : ""};
  for (const auto& file : beside) {
    const auto reader = file.parent_path() / reader_name;
    if (file.is_absolute() && std::filesystem::exists(reader, failed)) return reader;
  }
  throw InputOutputError(reader_name,
                         "this program, which reads HDF5 files, does not lie beside Hillock "
                         "(./dev build makes it)");
}

/// The reader at work on one request.
class ColumnReader {
 public:
  explicit ColumnReader(const ColumnsRequest& request)
      : request_(request),
        path_(request.reader.empty() ? find_reader() : request.reader),
        cpu_seconds_(cpu_seconds_for(static_cast<std::size_t>(request.file.size()))),
        // Much more than computing takes even where many processes share a processor.
        program_({path_.string()}, std::chrono::seconds(10 * cpu_seconds_)) {}

  std::string read(std::vector<ReadColumn>& into) {
    const bool asked = ask();
    std::uint64_t greeting = 0;
    if (!program_.receive(&greeting, sizeof greeting) || greeting != columns::hello)
      throw InputOutputError(
          path_.string(),
          fmt::format("this program, which reads HDF5 files, does not work (status {})",
                      program_.end()));
    if (!asked) return failure();
    for (const std::string& dataset : request_.datasets) {
      Answer answer;
      if (!program_.receive(&answer, sizeof answer)) return failure();
      if (answer.problem >= columns::problems || answer.values > request_.most_values)
        return failure();
      if (answer.problem != 0) return problem_text(answer, dataset, request_.most_values);
      const Part& part = request_.part;
      auto& values = into.emplace_back().values;
      values.resize(part.end(answer.values) - part.begin(answer.values));
      into.back().size = answer.values;
      if (!program_.receive(values.data(), values.size() * sizeof(double))) return failure();
    }
    return "";
  }

 private:
  bool ask() {
    const Request head{request_.datasets.size(), request_.most_values, cpu_seconds_,
                       request_.file.size(), request_.part};
    if (!program_.send(&head, sizeof head)) return false;
    for (const std::string& dataset : request_.datasets) {
      const std::uint64_t length = dataset.size();
      if (!program_.send(&length, sizeof length) || !program_.send(dataset.data(), length))
        return false;
    }
    bool is_there = true;  // all blocks are read, so that the file's hash is known
    for (auto block = request_.file.next(); !block.empty(); block = request_.file.next())
      is_there = is_there && program_.send(block.data(), block.size());
    return is_there;
  }

  std::string failure() {
    return fmt::format("cannot be read ({}; the file is damaged, or made to do so)", end());
  }

  /// Why the reader says no more.
  std::string end() {
    if (program_.timed_out()) return "reading it takes too long";
    const int status = program_.end();
    if (status == 128 + SIGXCPU)
      return fmt::format("reading it takes more than {} s", cpu_seconds_);
    if (status > 128) return fmt::format("the HDF5 library ends with signal {}", status - 128);
    return "the HDF5 library fails";
  }

  const ColumnsRequest& request_;
  std::filesystem::path path_;
  std::uint64_t cpu_seconds_;
  AskedProgram program_;
};

}  // namespace

std::string read_hdf5_columns(const ColumnsRequest& request, std::vector<ReadColumn>& columns) {
  return ColumnReader(request).read(columns);
}

}  // namespace hillock::io
