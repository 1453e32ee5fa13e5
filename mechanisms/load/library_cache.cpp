#include "mechanisms/load/library_cache.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/process.hpp"
#include "core/sha256.hpp"
#include "mechanisms/load/embedded_headers.hpp"
#include "mechanisms/load/library_entry.hpp"

namespace hillock::mechanisms {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digits_of_key = 32;
constexpr std::size_t most_output = 2000;  // bytes of the compiler's complaints that are shown

fs::path chosen_folder() {
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text ? text : "";
  };
  if (const auto folder = value("HILLOCK_CACHE"); !folder.empty()) return fs::absolute(folder);
  if (const auto folder = value("XDG_CACHE_HOME"); !folder.empty())
    return fs::absolute(folder) / "hillock";
  if (const auto home = value("HOME"); !home.empty()) return fs::path(home) / ".cache/hillock";
  throw InputOutputError("the cache of compiled mechanisms",
                         "there is no place for it: set HILLOCK_CACHE to a folder");
}

std::string source_of(const ModFile& mod) {
  return fmt::format(
      R"(#include "mechanisms/load/library_entry.hpp"
#include "mechanisms/load/evaluator.hpp"

extern "C" __attribute__((visibility("default"))) const hillock::mechanisms::LibraryEntry* {0}() {{
  namespace mechanisms = hillock::mechanisms;
  static constexpr auto kernels = mechanisms::kernel_set<mechanisms::{1}>();
  static constexpr auto entry = mechanisms::library_entry<mechanisms::{1}>("{2}", &kernels);
  return &entry;
}}
)",
      library_function, mod.struct_name, library_abi());
}

void write(const fs::path& file, std::string_view text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw InputOutputError(file.string(), "cannot be written");
}

/// A new folder below the cache's, so that renaming moves nothing between file systems.
fs::path make_building_folder(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) throw InputOutputError(cache.string(), error.message());
  std::string pattern = (cache / "building-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw InputOutputError(pattern, std::strerror(errno));
  return pattern;
}

/// Removes a folder at the end unless it is to be kept.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  ~Scratch() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

std::string file_name_of(const Compiler& compiler) {
  return sha256(fmt::format("{}\n{}", fmt::join(compiler.command, " "), compiler.version))
             .substr(0, digits_of_key) +
         ".so";
}

}  // namespace

std::string library_abi() {
  static const std::string abi = [] {
    std::string all = HILLOCK_VERSION;
    for (const EmbeddedHeader& header : embedded_headers())
      all += fmt::format("\n{}\n{}", header.name, header.text);
    return sha256(all);
  }();
  return abi;
}

LibraryCache::LibraryCache() : folder_(chosen_folder()) {}

fs::path LibraryCache::folder_of(const ModFile& mod, Isa isa) const {
  const std::string key = sha256(
      fmt::format("{}\n{}\n{}", fmt::join(compile_options(isa), " "), source_of(mod), mod.header));
  return folder_ / fmt::format("{}-{}", mod.signature.name, key.substr(0, digits_of_key));
}

std::optional<fs::path> LibraryCache::find(const ModFile& mod, Isa isa,
                                           const Compiler* compiler) const {
  const fs::path folder = folder_of(mod, isa);
  std::error_code error;
  if (compiler) {
    fs::path library = folder / file_name_of(*compiler);
    return fs::exists(library, error) ? std::optional(library) : std::nullopt;
  }
  std::vector<fs::path> libraries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    libraries.push_back(entry->path());
  if (libraries.empty()) return std::nullopt;
  return *std::ranges::min_element(libraries);
}

fs::path LibraryCache::build(const ModFile& mod, Isa isa, const Compiler& compiler) const {
  Scratch scratch(make_building_folder(folder_));
  for (const EmbeddedHeader& header : embedded_headers())
    write(scratch.path() / header.name, header.text);
  write(scratch.path() / "mechanisms/load/evaluator.hpp", mod.header);
  write(scratch.path() / "library.cpp", source_of(mod));
  std::vector<std::string> words = compiler.command;
  for (const std::string& option : compile_options(isa)) words.push_back(option);
  const fs::path made = scratch.path() / "library.so";
  words.insert(words.end(), {"-I", scratch.path().string(), "-o", made.string(),
                             (scratch.path() / "library.cpp").string()});
  const Finished finished = run_program(words);
  if (finished.status != 0) {
    scratch.keep();
    throw CompilationFailed(fmt::format(
        "{}: {} does not compile the mechanism {}. That is a bug of Hillock, or a compiler that "
        "does not know C++20.\nThe source is kept in {}. The compiler says (exit code {}):\n{}",
        mod.path, compiler.command.front(), mod.signature.name, scratch.path().string(),
        finished.status, finished.output.substr(0, most_output)));
  }
  const fs::path library = folder_of(mod, isa) / file_name_of(compiler);
  std::error_code error;
  fs::create_directories(library.parent_path(), error);
  fs::rename(made, library, error);
  if (error) throw InputOutputError(library.string(), error.message());
  return library;
}

}  // namespace hillock::mechanisms
