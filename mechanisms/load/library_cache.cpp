#include "mechanisms/load/library_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

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

std::string header_of(const ModFile& mod) {
  return fmt::format("mechanisms/load/{}.hpp", mod.struct_name);
}

/// What gives a mechanism's loops: those in doubles where mixed precision has no others, which are
/// then compiled once for both.
const char* kernels_of(const ModFile& mod, Arithmetic arithmetic) {
  if (!mod.adjoint) return "adjoint_kernel_set";
  return arithmetic == Arithmetic::mixed && has_mixed_loops(mod.description->info())
             ? "mixed_kernel_set"
             : "kernel_set";
}

/// One unit with the loops of mechanisms that do not know of one another.
std::string source_of(std::span<const ModFile* const> mods, const LibraryLoops& loops) {
  std::string text = "#include \"mechanisms/load/library_entry.hpp\"\n";
  for (const ModFile* mod : mods) text += fmt::format("#include \"{}\"\n", header_of(*mod));
  for (const ModFile* mod : mods)
    text += fmt::format(
        R"(
extern "C" __attribute__((visibility("default"))) const hillock::mechanisms::LibraryEntry* {0}{3}() {{
  namespace mechanisms = hillock::mechanisms;
  static constexpr mechanisms::LibraryEntry entry{{
      "{1}", mechanisms::{2}<mechanisms::{3}, {4}>()}};
  return &entry;
}}
)",
        library_function, library_abi(), kernels_of(*mod, loops.arithmetic), mod->struct_name,
        loops.lanes);
  return text;
}

std::string file_name_of(const Compiler& compiler) {
  return sha256(fmt::format("{}\n{}\n{}", fmt::join(compiler.command, " "), compiler.version,
                            fmt::join(compiler.options, " ")))
             .substr(0, digits_of_key) +
         ".so";
}

/// The processor's kind: machines of several may share a folder.
std::string processor() {
  utsname machine{};
  ::uname(&machine);
  return machine.machine;
}

std::string folder_name_of(const ModFile& mod, const LibraryLoops& loops) {
  const ModFile* const alone = &mod;
  const std::string key =
      sha256(fmt::format("{}\n{}\n{}\n{}", processor(), fmt::join(compile_options(loops.isa), " "),
                         source_of({&alone, 1}, loops), mod.header));
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

std::vector<CachedLibrary> LibraryCache::build(std::span<const ModFile* const> mods,
                                               const LibraryLoops& loops,
                                               const Compiler& compiler) const {
  BuildingFolder building(cache_);
  for (const EmbeddedText& header : embedded_headers()) building.write(header.name, header.text);
  for (const ModFile* mod : mods) building.write(header_of(*mod), mod->header);
  building.write("library.cpp", source_of(mods, loops));
  std::vector<std::string> words = compiler.command;
  for (const std::string& option : compile_options(loops.isa, compiler)) words.push_back(option);
  words.insert(words.end(),
               {"-I", building.path().string(), "-o", (building.path() / made_name).string(),
                (building.path() / "library.cpp").string()});
  const Finished finished = run_program(words);
  std::vector<CachedLibrary> all;
  if (finished.status != 0 && mods.size() > 1) {  // each by itself: which one is it?
    for (const ModFile* mod : mods)
      all.push_back(std::move(build({&mod, 1}, loops, compiler).front()));
    return all;
  }
  if (finished.status != 0) {
    building.leave();
    throw CompilationFailed(fmt::format(
        "{}: {} does not compile the mechanism {}. That is a bug of Hillock, or a compiler that "
        "does not know C++20.\nThe source is kept in {}. The compiler says (exit code {}):\n{}",
        mods.front()->path, compiler.command.front(), mods.front()->signature.name,
        building.path().string(), finished.status, finished.output.substr(0, most_output)));
  }
  const std::string made = what_was_made(building.opened(), building.path());
  for (const ModFile* mod : mods) {
    KeptFile kept =
        cache_.keep(building, folder_name_of(*mod, loops), file_name_of(compiler), made);
    all.push_back({std::move(kept.path), std::move(kept.file)});
  }
  return all;
}

}  // namespace hillock::mechanisms
