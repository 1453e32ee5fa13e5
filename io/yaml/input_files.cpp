#include "io/yaml/input_files.hpp"

#include <fmt/format.h>

#include "core/whole_file.hpp"

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
