#pragma once
// Pieces of a model file's text.

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace hillock::io::circuit {

/// A text as YAML reads it back, whatever is in it.
std::string quoted_text(std::string_view text);
/// A number as it is read back, to the last bit.
inline std::string number_text(double number) {
  return fmt::format("{}", number);
}
/// A name that cells and populations may have, made of one that may hold anything; others may have
/// the same.
std::string name_text(std::string_view name);

/// Names of one kind, no two of them alike.
class Names {
 public:
  /// The wanted one or, where that is taken, one with a number behind it.
  std::string unused(const std::string& wanted);

 private:
  std::map<std::string, int> used_;  ///< with the number that the last of like names has
};

/// How a file is named in the model.
class FileNames {
 public:
  explicit FileNames(std::filesystem::path names_from) : from_(std::move(names_from)) {}
  std::string operator()(const std::filesystem::path& file) const;

 private:
  std::filesystem::path from_;  ///< the folder of the model
};

}  // namespace hillock::io::circuit
