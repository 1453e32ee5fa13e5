#include "simulator/session/load_mechanisms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "core/errors/errors.hpp"
#include "core/simd/isa.hpp"

namespace hillock::session {

namespace {

namespace fs = std::filesystem;

/// What the cache has of a mechanism that it has no library of for this machine; empty for nothing.
std::string what_is_cached(const mechanisms::ModFile& mod, mechanisms::Arithmetic arithmetic) {
  const auto passed_over = [](const std::string&) {};
  std::vector<std::string_view> others;
  std::string_view of_use;
  for (int i = 0; i < isa_count; ++i) {
    const auto isa = static_cast<Isa>(i);
    if (isa == active_isa() ||
        !mechanisms::LibraryCache().find(mod, isa, arithmetic, nullptr, passed_over))
      continue;
    others.push_back(name_of(isa));
    if (is_available(isa)) of_use = name_of(isa);
  }
  const fs::path folder = mechanisms::PrivateCache().folder();
  if (!others.empty())
    return fmt::format(" The cache {} has {} for {}, and this runs on {}{}.", folder.string(),
                       mod.signature.name, fmt::join(others, " and "), name_of(active_isa()),
                       of_use.empty() ? "" : fmt::format(": HILLOCK_ISA={} takes it", of_use));
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable))
    if (entry->path().filename().string().starts_with(mod.signature.name + "-"))
      return fmt::format(
          " What the cache {} has of {} was made by another version of Hillock, or of another text "
          "of the file.",
          folder.string(), mod.signature.name);
  return "";
}

}  // namespace

std::vector<mechanisms::LoadedMechanism> load_mechanisms(
    const std::vector<mechanisms::ModFile>& mods, const std::vector<Place>& named_at,
    mechanisms::Arithmetic arithmetic, const mechanisms::Announce& announce) {
  bool is_told = false;  // what was there, and why it is not used
  try {
    return mechanisms::load(mods, arithmetic, [&](const std::string& line) {
      is_told = true;
      announce(line);
    });
  } catch (const mechanisms::NoCompiler& problem) {
    const mechanisms::ModFile& mod = mods[problem.first()];
    const Place& place = named_at[problem.first()];
    reject(place, fmt::format("{}{}.{}", place.file == mod.path ? "" : mod.path + ": ",
                              problem.what(), is_told ? "" : what_is_cached(mod, arithmetic)));
  }
}

}  // namespace hillock::session
