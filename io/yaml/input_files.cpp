#include "io/yaml/input_files.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/text/sha256.hpp"
#include "core/text/utf8.hpp"

namespace hillock::io {

namespace {

constexpr std::uintmax_t largest_data_file = 256u << 20;

std::string key_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path.string() : canonical.string();
}
std::string key_of(const InputFiles::Resolved& file) {
  return file.canonical.empty() ? key_of(file.path) : file.canonical;
}

}  // namespace

InputFiles::Resolved InputFiles::resolve(const std::string& name, const Source& from) const {
  if (is_held(name)) return {name, name};
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

/// Passes blocks on and notes their hash.
class InputFiles::HashedBlocks final : public Blocks {
 public:
  HashedBlocks(std::unique_ptr<Blocks> blocks, std::filesystem::path path, models::InputFile& file)
      : blocks_(std::move(blocks)), path_(std::move(path)), file_(file), left_(blocks_->size()) {
    if (left_ == 0) note();
  }

  std::uint64_t size() const override { return blocks_->size(); }
  std::string_view next() override {
    const std::string_view block = blocks_->next();
    if (block.empty()) return block;
    hash_.add(std::as_bytes(std::span(block)));
    left_ -= block.size();
    if (left_ == 0) note();
    return block;
  }

 private:
  void note() {
    std::string digits = hash_.digits();
    if (!file_.sha256.empty() && file_.sha256 != digits)
      throw InputOutputError(path_.string(), "the file was changed while the model was read");
    file_.sha256 = std::move(digits);
  }

  std::unique_ptr<Blocks> blocks_;
  std::filesystem::path path_;
  models::InputFile& file_;
  std::uint64_t left_;
  Sha256 hash_;
};

const std::string* InputFiles::find(const Resolved& file, const std::string& name) {
  const auto held = held_.find(name);
  const bool is_held = held != held_.end();
  const std::string key = is_held ? "held " + name : key_of(file);
  const auto found = by_path_.find(key);
  if (found != by_path_.end() && kept_.contains(found->second))
    return &files_[found->second].content;
  return is_held ? &keep(key, name, std::move(held->second)) : nullptr;
}

const std::string* InputFiles::read(const Resolved& file, const std::string& name,
                                    const Place& place, Diagnostics& diagnostics) {
  if (const std::string* text = find(file, name)) return text;
  std::string text;
  const std::string problem = name.empty() ? "the file's name is empty"
                                           : read_whole_file(file.path, largest_data_file, text);
  if (!problem.empty()) {
    diagnostics.error(place, fmt::format("cannot read '{}': {}", file.shown, problem));
    return nullptr;
  }
  const std::string key = key_of(file);
  const auto found = by_path_.find(key);
  const std::string passed = found == by_path_.end() ? "" : files_[found->second].sha256;
  if (!passed.empty() && passed != sha256(text))
    throw InputOutputError(file.path.string(), "the file was changed while the model was read");
  return &keep(key, name, std::move(text));
}

std::unique_ptr<Blocks> InputFiles::open(const Resolved& file, const std::string& name,
                                         const Place& place, Diagnostics& diagnostics) {
  if (const std::string* text = find(file, name)) return std::make_unique<OneBlock>(*text);
  std::unique_ptr<Blocks> blocks;
  const std::string problem = name.empty() ? "the file's name is empty"
                                           : open_in_blocks(file.path, largest_data_file, blocks);
  if (!problem.empty()) {
    diagnostics.error(place, fmt::format("cannot read '{}': {}", file.shown, problem));
    return nullptr;
  }
  return std::make_unique<HashedBlocks>(std::move(blocks), file.path, add_name(key_of(file), name));
}

const std::string& InputFiles::add(const std::filesystem::path& path, const std::string& name,
                                   std::string text) {
  return keep(key_of(path), name, std::move(text));
}

const std::string& InputFiles::keep(const std::string& key, const std::string& name,
                                    std::string text) {
  models::InputFile& file = add_name(key, name);
  kept_.insert(by_path_.at(key));
  file.content = std::move(text);
  return file.content;
}

models::InputFile& InputFiles::add_name(const std::string& key, const std::string& name) {
  const auto [known, is_new] = by_path_.try_emplace(key, files_.size());
  // A folder may hold names of any bytes.
  if (is_new) files_.push_back({to_utf8(name), {}, {}});
  return files_[known->second];
}

void InputFiles::note_held(const std::string& name, const std::function<std::string()>& sha256) {
  models::InputFile& file = add_name("held " + name, name);
  if (file.sha256.empty()) file.sha256 = sha256();
}

std::vector<models::InputFile> InputFiles::take() {
  return {std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end())};
}

}  // namespace hillock::io
