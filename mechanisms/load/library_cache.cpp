#include "mechanisms/load/library_cache.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "core/process.hpp"
#include "core/sha256.hpp"
#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/load/library_entry.hpp"

namespace hillock::mechanisms {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digits_of_key = 32;
constexpr const char* made_name = "library.so";  // in a building folder
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
  std::string pattern = (cache / "building-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    throw InputOutputError(
        cache.string(),
        fmt::format("cannot be written to ({}). HILLOCK_CACHE names another folder for compiled "
                    "mechanisms",
                    std::strerror(errno)));
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
  return sha256(fmt::format("{}\n{}\n{}", fmt::join(compiler.command, " "), compiler.version,
                            fmt::join(compiler.options, " ")))
             .substr(0, digits_of_key) +
         ".so";
}

std::string folder_name_of(const ModFile& mod, Isa isa) {
  const std::string key = sha256(
      fmt::format("{}\n{}\n{}", fmt::join(compile_options(isa), " "), source_of(mod), mod.header));
  return fmt::format("{}-{}", mod.signature.name, key.substr(0, digits_of_key));
}

/// What stands behind a library's bytes in its file, where the system's loader never looks. The
/// place is part of it: a library that was moved is not the one it stands for.
std::string sum_of(std::string_view library, const std::string& folder, const std::string& file) {
  return fmt::format("\nhillock {}\n",
                     sha256(fmt::format("{}/{}\n{}", folder, file, sha256(library))));
}

bool is_whole(std::string_view content, const std::string& folder, const std::string& file) {
  static const std::size_t length = sum_of("", "", "").size();
  if (content.size() < length) return false;
  const std::size_t end = content.size() - length;
  return content.substr(end) == sum_of(content.substr(0, end), folder, file);
}

/// What the compiler wrote. Its file has the rights that the umask leaves; it lies in a folder of
/// this user alone.
std::string what_was_made(const Descriptor& building, const fs::path& shown) {
  ::fchmodat(building.number(), made_name, S_IRUSR | S_IWUSR, 0);
  Descriptor file;
  std::string problem;
  if (auto content = read_private_file(building, made_name, file, problem)) return *content;
  throw InputOutputError((shown / made_name).string(),
                         problem.empty() ? "was not made by the compiler" : problem);
}

}  // namespace

std::string library_abi() {
  static const std::string abi = [] {
    std::string all = HILLOCK_VERSION;
    for (const EmbeddedText& header : embedded_headers())
      all += fmt::format("\n{}\n{}", header.name, header.text);
    return sha256(all);
  }();
  return abi;
}

LibraryCache::LibraryCache() : folder_(chosen_folder()), opened_(open_private_folder(folder_)) {}

std::optional<CachedLibrary> LibraryCache::open(const Descriptor& opened, const std::string& folder,
                                                const std::string& file,
                                                std::string& problem) const {
  CachedLibrary library{folder_ / folder / file, {}};
  const auto content = read_private_file(opened, file, library.file, problem);
  if (content && is_whole(*content, folder, file)) return library;
  if (content) problem = "it is damaged, or of an earlier version of Hillock";
  return std::nullopt;
}

std::optional<CachedLibrary> LibraryCache::find(const ModFile& mod, Isa isa,
                                                const Compiler* compiler,
                                                const Announce& announce) const {
  const std::string name = folder_name_of(mod, isa);
  const auto opened = find_private_folder(opened_, name, folder_ / name);
  if (!opened) return std::nullopt;
  std::set<std::string> files;
  if (compiler) {
    files.insert(file_name_of(*compiler));
  } else {
    std::error_code error;
    for (fs::directory_iterator entry(folder_ / name, error), end; !error && entry != end;
         entry.increment(error))
      files.insert(entry->path().filename().string());
  }
  for (const std::string& file : files) {
    std::string problem;
    if (auto library = open(*opened, name, file, problem)) return library;
    if (!problem.empty())
      announce(fmt::format("{}: not used: {}", (folder_ / name / file).string(), problem));
  }
  return std::nullopt;
}

CachedLibrary LibraryCache::build(const ModFile& mod, Isa isa, const Compiler& compiler) const {
  Scratch scratch(make_building_folder(folder_));
  const std::string building = scratch.path().filename().string();
  const Descriptor there = open_private_folder_in(opened_, building, scratch.path());
  for (const EmbeddedText& header : embedded_headers())
    write(scratch.path() / header.name, header.text);
  write(scratch.path() / "mechanisms/load/evaluator.hpp", mod.header);
  write(scratch.path() / "library.cpp", source_of(mod));
  std::vector<std::string> words = compiler.command;
  for (const std::string& option : compile_options(isa)) words.push_back(option);
  words.insert(words.end(), compiler.options.begin(), compiler.options.end());
  words.insert(words.end(),
               {"-I", scratch.path().string(), "-o", (scratch.path() / made_name).string(),
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
  const std::string folder = folder_name_of(mod, isa);
  const std::string file = file_name_of(compiler);
  const std::string made = what_was_made(there, scratch.path());
  write_private_file(there, file, made + sum_of(made, folder, file), scratch.path() / file);
  const Descriptor target = open_private_folder_in(opened_, folder, folder_ / folder);
  const fs::path path = folder_ / folder / file;
  if (::renameat(there.number(), file.c_str(), target.number(), file.c_str()) != 0)
    throw InputOutputError(path.string(),
                           fmt::format("cannot be written ({})", std::strerror(errno)));
  std::string problem;
  if (auto library = open(target, folder, file, problem)) return std::move(*library);
  throw InputOutputError(path.string(), "cannot be used: " + problem);
}

}  // namespace hillock::mechanisms
