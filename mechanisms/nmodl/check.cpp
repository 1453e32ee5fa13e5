#include "mechanisms/nmodl/check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "mechanisms/nmodl/analysis.hpp"

namespace hillock::nmodl {

namespace {

/// A file's text, cut where it is longer than any that is taken.
std::optional<std::string> read(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

Checked check_text(const std::string& file_name, const std::string& text,
                   const ReadInclude& include) {
  Checked result;
  Findings findings;
  if (text.size() > largest_file) {
    findings.add_file(file_name);
    findings.error({0, 1, 1}, "larger than 4 MiB");
  } else {
    Parsed parsed = parse(file_name, text, include, findings);
    if (parsed.file.mechanism) result.name = parsed.file.mechanism->text;
    // Where names are missing because their block could not be read, more errors would only repeat.
    if (parsed.declarations_complete) result.module = analyse(std::move(parsed.file), findings);
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
  errno = 0;
  const auto text = read(path);
  if (!text) throw InputOutputError(path.string(), errno ? std::strerror(errno) : "not a file");
  return check_text(path.string(), *text, read);
}

}  // namespace hillock::nmodl
