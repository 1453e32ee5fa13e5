#include "io/columns/confined_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/asked_program.hpp"
#include "io/columns/column_protocol.hpp"
#include "io/columns/file_questions.hpp"
#include "io/columns/reader_program.hpp"

namespace hillock::io {

namespace {

/// Of a regular file that can be read.
std::uint64_t bytes_of_regular(const std::filesystem::path& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  const int problem = opened < 0 || ::fstat(opened, &about) != 0 ? errno : 0;
  if (opened >= 0) ::close(opened);
  if (problem != 0) throw InputOutputError(file.string(), std::strerror(problem));
  if (!S_ISREG(about.st_mode)) throw InputOutputError(file.string(), "is not a regular file");
  return static_cast<std::uint64_t>(about.st_size);
}

std::vector<std::string> split_at_zeros(const std::vector<char>& bytes) {
  std::vector<std::string> texts;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find(at, bytes.end(), '\0');
    texts.emplace_back(at, end);
    at = end == bytes.end() ? end : end + 1;
  }
  return texts;
}

}  // namespace

struct ConfinedFile::Impl {
  std::filesystem::path path;
  std::filesystem::path reader;
  std::uint64_t cpu_seconds;
  AskedProgram program;

  /// bytes: of the file; argument: of the program that reads it.
  Impl(std::filesystem::path file, const std::filesystem::path& by, std::uint64_t bytes,
       const std::string& argument)
      : path(std::move(file)),
        reader(by.empty() ? columns::find_reader() : by),
        cpu_seconds(columns::cpu_seconds_for(bytes)),
        program({reader.string(), argument}, std::chrono::seconds(10 * cpu_seconds)) {}

  void await_greeting() {
    std::uint64_t greeting = 0;
    if (!program.receive(&greeting, sizeof greeting) || greeting != columns::hello)
      throw InputOutputError(
          reader.string(),
          fmt::format("this program, which reads HDF5 files, does not work (status {})",
                      program.end()));
  }

  [[noreturn]] void fail() {
    throw InputOutputError(path.string(),
                           fmt::format("cannot be read ({}; the file is damaged, or made to do so)",
                                       columns::why_it_ended(program, cpu_seconds)));
  }

  columns::Told ask(columns::Question question, const std::string& object,
                    const std::string& attribute) {
    if (object.size() > columns::most_name_bytes || attribute.size() > columns::most_name_bytes)
      throw InputOutputError(path.string(), "has a name that is too long");
    question.path_bytes = static_cast<std::uint32_t>(object.size());
    question.attribute_bytes = static_cast<std::uint32_t>(attribute.size());
    columns::Told told;
    if (!program.send(&question, sizeof question) || !program.send(object.data(), object.size()) ||
        !program.send(attribute.data(), attribute.size()) || !program.receive(&told, sizeof told) ||
        told.problem >= columns::problems || told.bytes > columns::most_told_bytes)
      fail();
    const bool is_missing =
        told.problem == static_cast<std::uint32_t>(columns::Problem::no_dataset);
    if (told.problem != 0 && !is_missing)
      throw InputOutputError(path.string(),
                             columns::problem_text(told.problem, told.detail, object, 0));
    if (is_missing && told.bytes != 0) fail();
    return told;
  }

  template <class Value>
  std::vector<Value> receive(std::uint64_t bytes) {
    std::vector<Value> values(bytes / sizeof(Value));
    if (!program.receive(values.data(), bytes)) fail();
    return values;
  }
};

ConfinedFile::ConfinedFile(const std::filesystem::path& file, const std::filesystem::path& reader)
    : impl_(std::make_unique<Impl>(file, reader, bytes_of_regular(file),
                                   std::filesystem::absolute(file).string())) {
  impl_->await_greeting();
}
ConfinedFile::ConfinedFile(Blocks& file, const std::string& shown,
                           const std::filesystem::path& reader)
    : impl_(std::make_unique<Impl>(shown, reader, file.size(), "-")) {
  columns::Request request;
  request.cpu_seconds = impl_->cpu_seconds;
  request.file_bytes = file.size();
  bool is_there = impl_->program.send(&request, sizeof request);
  if (is_there) impl_->await_greeting();
  // All blocks are read, so that the file's hash is known.
  for (auto block = file.next(); !block.empty(); block = file.next())
    is_there = is_there && impl_->program.send(block.data(), block.size());
  if (!is_there) impl_->fail();
}
ConfinedFile::~ConfinedFile() = default;
ConfinedFile::ConfinedFile(ConfinedFile&&) noexcept = default;
ConfinedFile& ConfinedFile::operator=(ConfinedFile&&) noexcept = default;

const std::filesystem::path& ConfinedFile::path() const {
  return impl_->path;
}

std::vector<std::string> ConfinedFile::children(const std::string& group) {
  columns::Question question;
  question.asked = static_cast<std::uint32_t>(columns::Asked::children);
  return split_at_zeros(impl_->receive<char>(impl_->ask(question, group, "").bytes));
}

std::optional<Extent> ConfinedFile::extent(const std::string& dataset) {
  columns::Question question;
  question.asked = static_cast<std::uint32_t>(columns::Asked::extent);
  const columns::Told told = impl_->ask(question, dataset, "");
  if (told.bytes != 0) impl_->fail();
  if (told.problem != 0) return std::nullopt;
  return told.extent;
}

std::vector<double> ConfinedFile::numbers(const std::string& dataset, const Extent& begin,
                                          const Extent& count) {
  columns::Question question;
  question.asked = static_cast<std::uint32_t>(columns::Asked::numbers);
  question.begin = begin;
  question.count = count;
  if (count[1] != 0 && count[0] > columns::most_told_bytes / sizeof(double) / count[1])
    throw InputOutputError(path().string(), "is asked for too many numbers at once");
  if (count[0] == 0 || count[1] == 0) return {};
  const columns::Told told = impl_->ask(question, dataset, "");
  if (told.problem != 0 || told.bytes != count[0] * count[1] * sizeof(double)) impl_->fail();
  return impl_->receive<double>(told.bytes);
}

std::vector<std::string> ConfinedFile::texts(const std::string& dataset) {
  return texts(dataset, "");
}

std::vector<std::string> ConfinedFile::texts(const std::string& object,
                                             const std::string& attribute) {
  columns::Question question;
  question.asked = static_cast<std::uint32_t>(columns::Asked::texts);
  return split_at_zeros(impl_->receive<char>(impl_->ask(question, object, attribute).bytes));
}

std::optional<double> ConfinedFile::number(const std::string& object,
                                           const std::string& attribute) {
  columns::Question question;
  question.asked = static_cast<std::uint32_t>(columns::Asked::number);
  const columns::Told told = impl_->ask(question, object, attribute);
  if (told.problem != 0) return std::nullopt;
  if (told.bytes != sizeof(double)) impl_->fail();
  return impl_->receive<double>(told.bytes).front();
}

std::string ConfinedFile::text(const std::string& object, const std::string& attribute) {
  const auto all = texts(object, attribute);
  return all.empty() ? "" : all.front();
}

}  // namespace hillock::io
