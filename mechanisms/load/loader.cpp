#include "mechanisms/load/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "mechanisms/load/library_entry.hpp"
#include "mechanisms/load/own_loops.hpp"
#include "mechanisms/load/without_compiler.hpp"

namespace hillock::mechanisms {

namespace {

/// Loads a library of this Hillock; null when it is none, and then `problem` says why. What is
/// loaded stays open: pointers to its loops live as long as any simulation. So does its file: the
/// loader takes two libraries of one name for the same, and this name is free once it is closed.
const KernelSet* load_one(const ModFile& mod, CachedLibrary& library, std::string& problem) {
  const std::string name = fmt::format("/proc/self/fd/{}", library.file.number());
  void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function =
      handle ? ::dlsym(handle, (library_function + mod.struct_name).c_str()) : nullptr;
  if (!function) {
    problem = ::dlerror();
    if (handle) ::dlclose(handle);
    return nullptr;
  }
  const LibraryEntry& entry = *reinterpret_cast<LibraryFunction>(function)();
  if (entry.abi != library_abi()) {
    problem = "compiled for another version of Hillock";
    ::dlclose(handle);
    return nullptr;
  }
  library.file.release();
  return &entry.kernels;
}

std::size_t cores() {
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Calls body(0) … body(count - 1) on as many threads as there are cores; rethrows the first
/// failure in that order.
template <class Body>
void for_each_at_once(std::size_t count, const Body& body) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(count);
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        body(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < std::min(cores(), count); ++t) threads.emplace_back(work);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Mechanisms that are compiled as one unit: numbers of theirs.
using Unit = std::vector<std::size_t>;

/// A unit reads the headers once, and starts the compiler's programs once: a third of what a small
/// mechanism takes. Every core has one; what is large is one by itself, and of one name there is
/// one in a unit. The longest come first.
std::vector<Unit> units_of(const std::vector<const ModFile*>& mods, Unit numbers) {
  constexpr std::size_t large = 40'000;  // bytes of an evaluator's source; a channel has some 6,000
  constexpr std::size_t most = 8;        // as each library has all of its unit
  struct Filled {
    Unit unit;
    std::set<std::string> names;
    std::size_t length = 0;
  };
  std::ranges::stable_sort(numbers, std::greater{},
                           [&](std::size_t m) { return mods[m]->header.size(); });
  std::vector<Filled> all;
  for (const std::size_t m : numbers) {
    const ModFile& mod = *mods[m];
    Filled* into = nullptr;
    if (mod.header.size() < large && all.size() >= cores())
      for (Filled& filled : all)
        if (filled.unit.size() < most && filled.length < large &&
            !filled.names.contains(mod.struct_name) && (!into || filled.length < into->length))
          into = &filled;
    if (!into) into = &all.emplace_back();
    into->unit.push_back(m);
    into->names.insert(mod.struct_name);
    into->length += mod.header.size();
  }
  std::ranges::stable_sort(all, std::greater{}, &Filled::length);
  std::vector<Unit> units;
  for (Filled& filled : all) units.push_back(std::move(filled.unit));
  return units;
}

}  // namespace

std::vector<std::shared_ptr<const Mechanism>> load(std::vector<ModFile> mods, Arithmetic arithmetic,
                                                   const Announce& announce) {
  const Isa isa = active_isa();
  const LibraryCache cache;
  const std::optional<Compiler> compiler = find_compiler();
  if (!compiler)
    for (const ModFile& mod : mods) check_without_compiler(cache, mod, isa, arithmetic, announce);
  std::vector<std::shared_ptr<const Mechanism>> all;
  for (ModFile& mod : mods) {
    auto mechanism = std::make_shared<Mechanism>();
    mechanism->signature = mod.signature;
    mechanism->info = &mod.description->info();
    mechanism->source = mod.header;
    mechanism->evaluator = mod.struct_name;
    auto own = std::make_shared<OwnLoops>(OwnLoops{std::move(mod), compiler, announce});
    mechanism->kernel_sets[static_cast<int>(isa)] = &own->of_doubles;
    mechanism->mixed_sets[static_cast<int>(isa)] = &own->mixed;
    mechanism->own_loops = std::move(own);
    all.push_back(std::move(mechanism));
  }
  return all;
}

void make_ready(std::span<const Mechanism* const> mechanisms, int lanes, Arithmetic arithmetic) {
  // What is loaded stays so, and another model may have the same mechanism.
  using Loops = std::tuple<std::string, std::string, int, Arithmetic>;  // where from, source, …
  static std::map<Loops, CpuKernels> known;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto place_in = [&](OwnLoops& own) -> CpuKernels& {
    return (arithmetic == Arithmetic::mixed ? own.mixed : own.of_doubles).of(lanes);
  };
  std::string folder;
  const auto key_of = [&](const OwnLoops& own) {
    if (folder.empty()) folder = LibraryCache().folder().string();
    return Loops{folder, own.mod.header, lanes, arithmetic};
  };
  std::vector<OwnLoops*> missing;
  std::vector<const ModFile*> mods;
  for (const Mechanism* mechanism : mechanisms) {
    OwnLoops* const own = mechanism->own_loops.get();
    if (!own || place_in(*own).lanes != 0 || std::ranges::find(missing, own) != missing.end())
      continue;
    if (const auto found = known.find(key_of(*own)); found != known.end()) {
      place_in(*own) = found->second;
      continue;
    }
    missing.push_back(own);
    mods.push_back(&own->mod);
  }
  if (missing.empty()) return;
  const auto libraries = load_libraries(mods, {active_isa(), arithmetic, std::to_string(lanes)},
                                        missing.front()->compiler, missing.front()->announce);
  for (std::size_t m = 0; m < missing.size(); ++m)
    known[key_of(*missing[m])] = place_in(*missing[m]) = libraries[m].kernels->of(lanes);
}

std::vector<LoadedLibrary> load_libraries(const std::vector<const ModFile*>& mods,
                                          const LibraryLoops& loops,
                                          const std::optional<Compiler>& compiler,
                                          const Announce& announce) {
  const LibraryCache cache;
  std::vector<LoadedLibrary> all(mods.size());
  std::vector<std::size_t> missing;
  std::vector<std::string> names;
  std::string problem;
  bool is_told = false;
  const auto tell = [&](const std::string& line) {
    is_told = true;
    announce(line);
  };
  for (std::size_t m = 0; m < mods.size(); ++m) {
    for (const std::string& lanes : std::set<std::string>{loops.lanes, every_lanes}) {
      auto library = cache.find(*mods[m], {loops.isa, loops.arithmetic, lanes},
                                compiler ? &*compiler : nullptr, tell);
      if (!library) continue;
      all[m] = {load_one(*mods[m], *library, problem), library->path};
      if (all[m].kernels) break;
      tell(fmt::format("{}: not used: {}", library->path.string(), problem));
    }
    if (all[m].kernels) continue;
    missing.push_back(m);
    names.push_back(mods[m]->signature.name);
  }
  if (missing.empty()) return all;
  if (!compiler) reject_without_compiler(cache, *mods[missing.front()], loops, is_told);
  announce(fmt::format("compiling {} with {}", fmt::join(names, ", "), compiler->name()));
  const std::vector<Unit> units = units_of(mods, missing);
  std::vector<std::vector<CachedLibrary>> built(units.size());
  for_each_at_once(units.size(), [&](std::size_t u) {
    std::vector<const ModFile*> together;
    for (const std::size_t m : units[u]) together.push_back(mods[m]);
    built[u] = cache.build(together, loops, *compiler);
  });
  for (std::size_t u = 0; u < units.size(); ++u)
    for (std::size_t k = 0; k < units[u].size(); ++k) {
      LoadedLibrary& made = all[units[u][k]];
      made = {load_one(*mods[units[u][k]], built[u][k], problem), built[u][k].path, false};
      if (!made.kernels) throw InputOutputError(made.path.string(), problem);
    }
  return all;
}

}  // namespace hillock::mechanisms
