#pragma once
// One tree from a model file, the files it includes, and the values `--set` replaces.
// Nothing here knows what the keys mean.

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/yaml/input_files.hpp"
#include "io/yaml/override.hpp"
#include "io/yaml/yaml_node.hpp"

namespace hillock::io {

/// A model's merged tree together with the texts its nodes point into.
struct ModelDocument {
  std::list<Source> sources;
  std::list<std::string> override_texts;
  NodePtr root;          ///< null after an error that leaves nothing to read
  bool complete = true;  ///< false when a file could not be read or parsed
};

/// Bytes of the model, and of each file that it includes, at most.
constexpr std::uintmax_t largest_model_file = 64u << 20;

/// Reads `file`, or a text that stands for it, follows `include:`, merges maps and joins lists.
/// A name defined twice is an error that gives both places; so is an include cycle, with its files.
/// Throws InputOutputError when `file` itself cannot be read, or is too large.
ModelDocument read_document(const std::filesystem::path& file, std::optional<std::string> text,
                            InputFiles& files, Diagnostics& diagnostics);

/// Replaces values. The path must lead to an existing map; its last key may be new.
void apply_overrides(ModelDocument& document, const std::vector<Override>& overrides,
                     Diagnostics& diagnostics);

}  // namespace hillock::io
