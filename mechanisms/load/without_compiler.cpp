#include "mechanisms/load/without_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace hillock::mechanisms {

namespace {

namespace fs = std::filesystem;

constexpr std::array any_lanes{every_lanes, "1", "4", "8"};

bool is_cached_for_some(const LibraryCache& cache, const ModFile& mod, Isa isa,
                        Arithmetic arithmetic, const Announce& announce) {
  return std::ranges::any_of(any_lanes, [&](const char* lanes) {
    return cache.find(mod, {isa, arithmetic, lanes}, nullptr, announce).has_value();
  });
}

void pass_over(const std::string&) {}

/// What the cache has of a mechanism that it has no library of with these loops; empty for nothing.
std::string what_is_cached(const LibraryCache& cache, const ModFile& mod,
                           const LibraryLoops& loops) {
  const std::string folder = PrivateCache().folder().string(), name = mod.signature.name;
  if (is_cached_for_some(cache, mod, loops.isa, loops.arithmetic, pass_over))
    return fmt::format(
        " The cache {} has {} for other numbers of cells side by side than {}; `hillock mech "
        "build`, where there is a compiler, makes it for all.",
        folder, name, loops.lanes);
  std::vector<std::string_view> others;
  std::string_view of_use;
  for (int i = 0; i < isa_count; ++i) {
    const auto isa = static_cast<Isa>(i);
    if (!is_cached_for_some(cache, mod, isa, loops.arithmetic, pass_over)) continue;
    others.push_back(name_of(isa));
    if (is_available(isa)) of_use = name_of(isa);
  }
  if (!others.empty())
    return fmt::format(" The cache {} has {} for {}, and this runs on {}{}.", folder, name,
                       fmt::join(others, " and "), name_of(loops.isa),
                       of_use.empty() ? "" : fmt::format(": HILLOCK_ISA={} takes it", of_use));
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable))
    if (entry->path().filename().string().starts_with(name + "-"))
      return fmt::format(
          " What the cache {} has of {} was made by another version of Hillock, or of another text "
          "of the file.",
          folder, name);
  return "";
}

}  // namespace

void reject_without_compiler(const LibraryCache& cache, const ModFile& mod,
                             const LibraryLoops& loops, bool is_told) {
  reject(mod.named_at,
         fmt::format("{}this needs a C++ compiler, once: {}. Mechanisms of the catalogue need none "
                     "(hillock mech list).{}",
                     mod.named_at.file == mod.path ? "" : mod.path + ": ",
                     why_there_is_no_compiler(), is_told ? "" : what_is_cached(cache, mod, loops)));
}

void check_without_compiler(const LibraryCache& cache, const ModFile& mod, Isa isa,
                            Arithmetic arithmetic, const Announce& announce) {
  bool is_told = false;
  const auto tell = [&](const std::string& line) {
    is_told = true;
    announce(line);
  };
  if (!is_cached_for_some(cache, mod, isa, arithmetic, tell))
    reject_without_compiler(cache, mod, {isa, arithmetic}, is_told);
}

}  // namespace hillock::mechanisms
