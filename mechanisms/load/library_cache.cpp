#include "mechanisms/load/library_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/program/process.hpp"
#include "core/text/sha256.hpp"
#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/load/library_entry.hpp"

namespace hillock::mechanisms {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digits_of_key = 32;
constexpr const char* made_name = "library.so";  // in a building folder
constexpr std::size_t most_output = 2000;  // bytes of the compiler's complaints that are shown

std::string source_of(const ModFile& mod, const LibraryLoops& loops) {
  return fmt::format(
      R"(#include "mechanisms/load/library_entry.hpp"
#include "mechanisms/load/evaluator.hpp"

extern "C" __attribute__((visibility("default"))) const hillock::mechanisms::LibraryEntry* {0}() {{
  namespace mechanisms = hillock::mechanisms;
  static constexpr mechanisms::LibraryEntry entry{{
      "{1}", mechanisms::{2}<mechanisms::{3}, {4}>()}};
  return &entry;
}}
)",
      library_function, library_abi(),
      loops.arithmetic == Arithmetic::mixed ? "mixed_kernel_set" : "kernel_set", mod.struct_name,
      loops.lanes);
}

std::string file_name_of(const Compiler& compiler) {
  return sha256(fmt::format("{}\n{}\n{}", fmt::join(compiler.command, " "), compiler.version,
                            fmt::join(compiler.options, " ")))
             .substr(0, digits_of_key) +
         ".so";
}

std::string folder_name_of(const ModFile& mod, const LibraryLoops& loops) {
  const std::string key = sha256(fmt::format(
      "{}\n{}\n{}", fmt::join(compile_options(loops.isa), " "), source_of(mod, loops), mod.header));
  return fmt::format("{}-{}", mod.signature.name, key.substr(0, digits_of_key));
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

std::optional<CachedLibrary> LibraryCache::find(const ModFile& mod, const LibraryLoops& loops,
                                                const Compiler* compiler,
                                                const Announce& announce) const {
  std::optional<std::string> file;
  if (compiler) file = file_name_of(*compiler);
  auto kept = cache_.find(folder_name_of(mod, loops), file, announce);
  if (!kept) return std::nullopt;
  return CachedLibrary{std::move(kept->path), std::move(kept->file)};
}

CachedLibrary LibraryCache::build(const ModFile& mod, const LibraryLoops& loops,
                                  const Compiler& compiler) const {
  BuildingFolder building(cache_);
  for (const EmbeddedText& header : embedded_headers()) building.write(header.name, header.text);
  building.write("mechanisms/load/evaluator.hpp", mod.header);
  building.write("library.cpp", source_of(mod, loops));
  std::vector<std::string> words = compiler.command;
  for (const std::string& option : compile_options(loops.isa, compiler)) words.push_back(option);
  words.insert(words.end(),
               {"-I", building.path().string(), "-o", (building.path() / made_name).string(),
                (building.path() / "library.cpp").string()});
  const Finished finished = run_program(words);
  if (finished.status != 0) {
    building.leave();
    throw CompilationFailed(fmt::format(
        "{}: {} does not compile the mechanism {}. That is a bug of Hillock, or a compiler that "
        "does not know C++20.\nThe source is kept in {}. The compiler says (exit code {}):\n{}",
        mod.path, compiler.command.front(), mod.signature.name, building.path().string(),
        finished.status, finished.output.substr(0, most_output)));
  }
  KeptFile kept = cache_.keep(building, folder_name_of(mod, loops), file_name_of(compiler),
                              what_was_made(building.opened(), building.path()));
  return {std::move(kept.path), std::move(kept.file)};
}

}  // namespace hillock::mechanisms
