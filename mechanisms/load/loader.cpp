#include "mechanisms/load/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "mechanisms/load/library_entry.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

namespace {

/// Loads a library of this Hillock; null when it is none, and then `problem` says why. What is
/// loaded stays open: pointers to its loops live as long as any simulation. So does its file: the
/// loader takes two libraries of one name for the same, and this name is free once it is closed.
std::shared_ptr<const Mechanism> load_one(const ModFile& mod, CachedLibrary& library, Isa isa,
                                          std::string& problem) {
  const std::string name = fmt::format("/proc/self/fd/{}", library.file.number());
  void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = handle ? ::dlsym(handle, library_function) : nullptr;
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
  auto mechanism = std::make_shared<Mechanism>();
  mechanism->signature = signature_of(*entry.info);
  mechanism->info = entry.info;
  mechanism->kernel_sets[static_cast<int>(isa)] = entry.kernels;
  mechanism->mixed_sets[static_cast<int>(isa)] = entry.mixed;
  mechanism->source = mod.header;
  mechanism->evaluator = mod.struct_name;
  return mechanism;
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
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t t = 0; t < std::min(cores, count); ++t) threads.emplace_back(work);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

NoCompiler::NoCompiler(std::size_t first)
    : Error(fmt::format("this needs a C++ compiler, once: {}. Mechanisms of the catalogue need "
                        "none (hillock mech list)",
                        why_there_is_no_compiler())),
      first_(first) {}

std::vector<LoadedMechanism> load(const std::vector<ModFile>& mods, Arithmetic arithmetic,
                                  const Announce& announce) {
  const Isa isa = active_isa();
  const LibraryCache cache;
  const std::optional<Compiler> compiler = find_compiler();
  std::vector<LoadedMechanism> all(mods.size());
  std::vector<std::size_t> missing;
  std::vector<std::string> names;
  std::string problem;
  for (std::size_t i = 0; i < mods.size(); ++i) {
    if (auto library =
            cache.find(mods[i], isa, arithmetic, compiler ? &*compiler : nullptr, announce)) {
      all[i] = {load_one(mods[i], *library, isa, problem), library->path, true};
      if (!all[i].mechanism)
        announce(fmt::format("{}: not used: {}", library->path.string(), problem));
    }
    if (all[i].mechanism) continue;
    missing.push_back(i);
    names.push_back(mods[i].signature.name);
  }
  if (missing.empty()) return all;
  if (!compiler) throw NoCompiler(missing.front());
  announce(fmt::format("compiling {} with {}", fmt::join(names, ", "), compiler->name()));
  std::vector<CachedLibrary> built(missing.size());
  for_each_at_once(missing.size(), [&](std::size_t m) {
    built[m] = cache.build(mods[missing[m]], isa, arithmetic, *compiler);
  });
  for (std::size_t m = 0; m < missing.size(); ++m) {
    LoadedMechanism& loaded = all[missing[m]];
    loaded = {load_one(mods[missing[m]], built[m], isa, problem), built[m].path, false};
    if (!loaded.mechanism) throw InputOutputError(built[m].path.string(), problem);
  }
  return all;
}

}  // namespace hillock::mechanisms
