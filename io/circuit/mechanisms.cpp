#include "io/circuit/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/program/whole_file.hpp"

namespace hillock::io::circuit {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_mod_file = 16u << 20;

/// Whether a name stands in a text, not as a part of a longer one.
bool has_word(const std::string& text, const std::string& name) {
  const auto belongs_to_a_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !belongs_to_a_name(text[at - 1])) &&
        (end == text.size() || !belongs_to_a_name(text[end])))
      return true;
  }
  return false;
}

}  // namespace

Mechanisms::Mechanisms(const Config& config, const ImportOptions& options) : options_(options) {
  const auto named = config.find("components", "mechanisms_dir");
  if (!named) return;
  std::error_code error;
  fs::path folder = path_of(*named);
  if (!fs::is_directory(folder, error))
    named->warning(fmt::format("there is no folder '{}'", folder.string()));
  if (fs::is_directory(folder / "modfiles", error)) folder /= "modfiles";
  for (fs::path& file : mod_files_in(folder)) {
    std::string text;
    if (const std::string problem = read_whole_file(file, largest_mod_file, text); !problem.empty())
      named->warning(fmt::format("{}: {}", file.string(), problem));
    else
      files_.push_back({std::move(file), std::move(text), {}, {}});
  }
}

void Mechanisms::check(File& file, const Place& asked_at) const {
  const MechanismFile mod{file.path.string(), file.text, asked_at, MechanismOptions{}};
  const ReadIncluded include = [](const fs::path& path) {
    std::string included;
    return read_whole_file(path, largest_mod_file, included).empty() ? std::optional(included)
                                                                     : std::nullopt;
  };
  file.checked = options_.check_mechanism(mod, include, file.found);
}

Mechanisms::File* Mechanisms::file_of(const std::string& name, const Place& asked_at,
                                      File*& broken) {
  for (File& file : files_) {
    if (!has_word(file.text, name)) continue;
    if (!file.checked) check(file, asked_at);
    if (file.checked->name == name) return &file;
    if (file.checked->name.empty() && !broken) broken = &file;
  }
  return nullptr;
}

const MechanismSignature* Mechanisms::find(const std::string& name, const Place& asked_at,
                                           Diagnostics& diagnostics) {
  if (const auto known = read_.find(name); known != read_.end()) return &known->second;
  if (broken_.contains(name)) return nullptr;
  File* broken = nullptr;
  File* const file = options_.check_mechanism ? file_of(name, asked_at, broken) : nullptr;
  if (file || broken) {
    const File& said = file ? *file : *broken;
    for (const Diagnostic& found : said.found.all()) diagnostics.add(found);
    if (!file || !file->checked->signature) {
      broken_.insert(name);
      return nullptr;
    }
    used_.insert(file->path);
    return &read_.emplace(name, *file->checked->signature).first->second;
  }
  const auto built_in = options_.signatures.find(name);
  return built_in == options_.signatures.end() ? nullptr : &built_in->second;
}

std::string Mechanisms::value_text(const MechanismSignature& mechanism,
                                   const std::string& parameter, const std::string& value) {
  const MechanismVariable* variable = mechanism.find(parameter);
  if (!variable || variable->role != VariableRole::parameter) return "";
  const std::string& unit = variable->unit_text;
  return unit.empty() || unit == "1" ? value : value + " " + unit;
}

}  // namespace hillock::io::circuit
