#include "io/columns/hdf5_columns.hpp"

#include <fmt/format.h>

#include <chrono>

#include "core/errors/errors.hpp"
#include "core/program/asked_program.hpp"
#include "io/columns/column_protocol.hpp"
#include "io/columns/reader_program.hpp"

namespace hillock::io {

namespace {

using columns::Answer;
using columns::cpu_seconds_for;
using columns::find_reader;
using columns::problem_text;
using columns::Request;

/// The reader at work on one request.
class ColumnReader {
 public:
  explicit ColumnReader(const ColumnsRequest& request)
      : request_(request),
        path_(request.reader.empty() ? find_reader() : request.reader),
        cpu_seconds_(cpu_seconds_for(request.file.size())),
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
      if (answer.problem != 0)
        return problem_text(answer.problem, answer.detail, dataset, request_.most_values);
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
  std::string end() { return columns::why_it_ended(program_, cpu_seconds_); }

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
