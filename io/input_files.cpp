#include "io/input_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/utf8.hpp"

namespace hillock::io {

namespace {

constexpr std::uintmax_t largest_data_file = 256u << 20;

std::string key_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path.string() : canonical.string();
}

}  // namespace

std::string read_whole_file(const std::filesystem::path& path, std::uintmax_t limit,
                            std::string& text) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (error) return error.message();
  if (std::filesystem::is_directory(status)) return "this is a directory, not a file";
  if (!std::filesystem::is_regular_file(status)) return "this is not a regular file";
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return error.message();
  if (size > limit) return fmt::format("the file is larger than {} MiB", limit >> 20);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return errno ? std::strerror(errno) : "the file cannot be opened";
  text.resize(static_cast<std::size_t>(size));
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  if (stream.bad()) return "reading the file failed";
  return "";
}

InputFiles::Resolved InputFiles::resolve(const std::string& name, const Source& from) const {
  constexpr std::string_view library_prefix = "library:";
  if (name.starts_with(library_prefix)) {
    std::filesystem::path path = library_ / name.substr(library_prefix.size());
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      std::filesystem::path with_ending = path;
      with_ending += ".yaml";
      if (std::filesystem::exists(with_ending, error)) path = with_ending;
    }
    return {path, name};
  }
  const std::filesystem::path path = (from.directory / name).lexically_normal();
  return {path, path.string()};
}

const std::string* InputFiles::read(const Resolved& file, const std::string& name,
                                    const Place& place, Diagnostics& diagnostics) {
  if (const auto found = by_path_.find(key_of(file.path)); found != by_path_.end())
    return &files_[found->second].content;
  std::string text;
  const std::string problem = name.empty() ? "the file's name is empty"
                                           : read_whole_file(file.path, largest_data_file, text);
  if (!problem.empty()) {
    diagnostics.error(place, fmt::format("cannot read '{}': {}", file.shown, problem));
    return nullptr;
  }
  return &add(file.path, name, std::move(text));
}

const std::string& InputFiles::add(const std::filesystem::path& path, const std::string& name,
                                   std::string text) {
  by_path_[key_of(path)] = files_.size();
  files_.push_back({to_utf8(name), std::move(text)});  // a folder may hold names of any bytes
  return files_.back().content;
}

std::vector<models::InputFile> InputFiles::take() {
  return {std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end())};
}

}  // namespace hillock::io
