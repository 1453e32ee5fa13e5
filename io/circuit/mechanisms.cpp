#include "io/circuit/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/whole_file.hpp"

namespace hillock::io::circuit {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_mod_file = 16u << 20;

/// The name that a .mod file's NEURON block gives its mechanism, found without understanding the
/// rest of the file; empty where there is none.
std::string mechanism_of(const std::string& text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    clean += line.substr(0, line.find_first_of(":?")) + '\n';
    at = end + 1;
  }
  for (const char* word : {"SUFFIX", "POINT_PROCESS", "ARTIFICIAL_CELL"}) {
    const std::size_t at = clean.find(word);
    if (at == std::string::npos) continue;
    const std::size_t begin = clean.find_first_not_of(" \t\r\n", at + std::string(word).size());
    if (begin == std::string::npos) continue;
    return clean.substr(begin, clean.find_first_of(" \t\r\n}", begin) - begin);
  }
  return "";
}

}  // namespace

Mechanisms::Mechanisms(const Config& config, const ImportOptions& options) : options_(options) {
  const auto named = config.find("components", "mechanisms_dir");
  if (!named) return;
  std::error_code error;
  fs::path folder = path_of(*named);
  if (fs::is_directory(folder / "modfiles", error)) folder /= "modfiles";
  for (const fs::path& file : mod_files_in(folder)) {
    std::string text;
    if (!read_whole_file(file, largest_mod_file, text).empty()) continue;
    if (const std::string name = mechanism_of(text); !name.empty()) files_.emplace(name, file);
  }
}

const MechanismSignature* Mechanisms::find(const std::string& name, const Place& asked_at,
                                           Diagnostics& diagnostics) {
  if (const auto known = read_.find(name); known != read_.end()) return &known->second;
  if (broken_.contains(name)) return nullptr;
  if (const auto file = files_.find(name); file != files_.end() && options_.check_mechanism) {
    std::string text;
    read_whole_file(file->second, largest_mod_file, text);
    const MechanismFile mod{file->second.string(), text, asked_at, MechanismOptions{}};
    const ReadIncluded include = [](const fs::path& path) {
      std::string included;
      return read_whole_file(path, largest_mod_file, included).empty() ? std::optional(included)
                                                                       : std::nullopt;
    };
    const CheckedMechanism checked = options_.check_mechanism(mod, include, diagnostics);
    if (!checked.signature) {
      broken_.insert(name);
      return nullptr;
    }
    used_.insert(file->second);
    return &read_.emplace(name, *checked.signature).first->second;
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
