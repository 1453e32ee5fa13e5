#include "mechanisms/nmodl/check.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"
#include "mechanisms/nmodl/analyse/analysis.hpp"

namespace hillock::nmodl {

namespace {

constexpr std::uintmax_t largest_read = std::uintmax_t{1} << 28;  // bytes

std::optional<std::string> read_included(const std::filesystem::path& path) {
  std::string text;
  if (!read_whole_file(path, largest_read, text).empty()) return std::nullopt;
  return text;
}

}  // namespace

Checked check_text(const std::string& file_name, const std::string& text,
                   const ReadInclude& include, Constants constants) {
  Checked result;
  Findings findings;
  if (text.size() > largest_file) {
    findings.add_file(file_name);
    findings.error({0, 1, 1}, "larger than 4 MiB");
  } else {
    Parsed parsed = parse(file_name, text, include, findings);
    if (parsed.file.mechanism) result.name = parsed.file.mechanism->text;
    // Where names are missing because their block could not be read, more errors would only repeat.
    if (parsed.declarations_complete)
      result.module = analyse(std::move(parsed.file), findings, constants);
  }
  if (findings.has_errors()) result.module.reset();
  result.diagnostics = findings.all();
  const auto rank = [&](const std::string& file) {
    return std::ranges::find(findings.files(), file) - findings.files().begin();
  };
  std::ranges::stable_sort(result.diagnostics, [&](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(rank(a.place.file), a.place.line, a.place.column) <
           std::tuple(rank(b.place.file), b.place.line, b.place.column);
  });
  return result;
}

Checked check_file(const std::filesystem::path& path) {
  std::string text;
  const std::string problem = read_whole_file(path, largest_read, text);
  if (!problem.empty()) throw InputOutputError(path.string(), problem);
  return check_text(path.string(), text, read_included);
}

}  // namespace hillock::nmodl
