#include "mechanisms/load/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "mechanisms/load/library_entry.hpp"

namespace hillock::mechanisms {

namespace {

/// Opens a library of this Hillock; null when it is none, and then `problem` says why. What is
/// opened stays open: pointers to its loops live as long as any simulation.
std::shared_ptr<const Mechanism> open(const std::filesystem::path& library, Isa isa,
                                      std::string& problem) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = handle ? ::dlsym(handle, library_function) : nullptr;
  if (!function) {
    problem = ::dlerror();
    return nullptr;
  }
  const LibraryEntry& entry = *reinterpret_cast<LibraryFunction>(function)();
  if (entry.abi != library_abi()) {
    problem = "compiled for another version of Hillock";
    ::dlclose(handle);
    return nullptr;
  }
  auto mechanism = std::make_shared<Mechanism>();
  mechanism->signature = signature_of(*entry.info);
  mechanism->info = entry.info;
  mechanism->kernel_sets[static_cast<int>(isa)] = entry.kernels;
  mechanism->is_linear = entry.is_linear;
  mechanism->is_constant = entry.is_constant;
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
    : Error(
          "this needs a C++ compiler, once: install one (apt-get install g++), or name it in "
          "CXX. Mechanisms of the catalogue need none (hillock mech list)"),
      first_(first) {}

std::vector<LoadedMechanism> load(const std::vector<ModFile>& mods,
                                  const AnnounceCompiling& announce) {
  const Isa isa = active_isa();
  const LibraryCache cache;
  const std::optional<Compiler> compiler = find_compiler();
  std::vector<LoadedMechanism> all(mods.size());
  std::vector<std::size_t> missing;
  std::vector<std::string> names;
  std::string problem;
  for (std::size_t i = 0; i < mods.size(); ++i) {
    const auto library = cache.find(mods[i], isa, compiler ? &*compiler : nullptr);
    if (library) all[i] = {open(*library, isa, problem), *library, true};
    if (all[i].mechanism) continue;
    missing.push_back(i);
    names.push_back(mods[i].signature.name);
  }
  if (missing.empty()) return all;
  if (!compiler) throw NoCompiler(missing.front());
  announce(names, *compiler);
  for_each_at_once(missing.size(), [&](std::size_t m) {
    const std::size_t i = missing[m];
    all[i].was_cached = false;
    all[i].library = cache.build(mods[i], isa, *compiler);
  });
  for (const std::size_t i : missing) {
    all[i].mechanism = open(all[i].library, isa, problem);
    if (!all[i].mechanism) throw InputOutputError(all[i].library.string(), problem);
  }
  return all;
}

}  // namespace hillock::mechanisms
