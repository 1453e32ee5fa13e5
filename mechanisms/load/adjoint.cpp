#include "mechanisms/load/adjoint.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "mechanisms/embedded_texts.hpp"
#include "mechanisms/load/loader.hpp"
#include "mechanisms/load/own_loops.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

namespace {

ModFile file_of(const Mechanism& mechanism) {
  if (mechanism.own_loops) return mechanism.own_loops->mod;
  for (std::size_t m = 0; m < catalogue().size(); ++m)
    if (catalogue()[m].info == mechanism.info) {
      Diagnostics diagnostics;
      const auto& [name, text] = catalogue_texts()[m];
      if (auto reading = read_mod(name, text, {}, {}, diagnostics); reading.file)
        return std::move(*reading.file);
    }
  throw std::logic_error(mechanism.signature.name + " has no text");
}

/// Who fits derives the same mechanisms again and again.
ModFile adjoint_file(const Mechanism& mechanism) {
  static std::map<std::string, ModFile> known;  // by the mechanism's source
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (const auto found = known.find(mechanism.source); found != known.end()) return found->second;
  ModFile file = file_of(mechanism);
  try {
    const nmodl::EvaluatorIr adjoint = std::exchange(file.adjoint, nullptr)();
    file.description = std::make_shared<const nmodl::Description>(adjoint);
    file.signature = signature_of(file.description->info());
    file.struct_name = "Adjoint_" + mechanism.signature.name;
    file.header = nmodl::emit_header(adjoint, file.struct_name);
  } catch (const nmodl::NotSupported& problem) {
    throw UsageError(fmt::format("{}: {}", mechanism.signature.name, problem.what()));
  }
  return known[mechanism.source] = file;
}

}  // namespace

std::shared_ptr<const Mechanism> adjoint_of(const Mechanism& mechanism, const Announce& announce) {
  std::vector<ModFile> files;
  files.push_back(adjoint_file(mechanism));
  return load(std::move(files), Arithmetic::of_doubles, announce).front();
}

}  // namespace hillock::mechanisms
