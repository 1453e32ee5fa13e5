#include "mechanisms/load/mod_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/index.hpp"
#include "mechanisms/nmodl/emit/emit.hpp"
#include "mechanisms/nmodl/lower.hpp"
#include "mechanisms/nmodl/peer.hpp"
#include "mechanisms/signature.hpp"

namespace hillock::mechanisms {

namespace {

Place place_of(const nmodl::Module& module, nmodl::Position position) {
  return {module.syntax.files[at(position.file)], position.line, position.column};
}

std::size_t arguments_of(const nmodl::Module& module, const nmodl::FunctionTable& table) {
  return module.syntax.blocks[at(table.block)].arguments.size();
}

/// Reports tables that the file has no use for, or of another number of arguments.
bool fit(const GivenTables& tables, const nmodl::Module& module, const std::string& path,
         Diagnostics& diagnostics) {
  const auto plural = [](std::size_t n) {
    return fmt::format("{} argument{}", n, n > 1 ? "s" : "");
  };
  bool good = true;
  for (const auto& [name, table] : tables) {
    const auto refuse = [&, &place = table.place](const std::string& why) {
      diagnostics.error(place, why);
      good = false;
    };
    const auto declared =
        std::ranges::find(module.function_tables, name, &nmodl::FunctionTable::name);
    if (declared == module.function_tables.end()) {
      std::vector<std::string> names;
      for (const auto& known : module.function_tables) names.push_back(known.name);
      refuse(
          fmt::format("{} has no FUNCTION_TABLE '{}'.{}", path, name, did_you_mean(name, names)));
    } else if (const std::size_t wanted = arguments_of(module, *declared);
               !table.axes.empty() && table.axes.size() != wanted) {
      refuse(fmt::format("FUNCTION_TABLE {} of {} has {}, this table {}", name, path,
                         plural(wanted), table.axes.size()));
    }
  }
  return good;
}

std::vector<MissingTable> missing_tables(const nmodl::EvaluatorIr& evaluator,
                                         const nmodl::Module& module) {
  std::vector<MissingTable> missing;
  for (const nmodl::TableIr& table : evaluator.tables) {
    if (table.given) continue;
    const auto declared =
        std::ranges::find(module.function_tables, table.name, &nmodl::FunctionTable::name);
    const auto& block = module.syntax.blocks[at(declared->block)];
    missing.push_back({table.name, place_of(module, block.position)});
  }
  return missing;
}

std::optional<ModFile> compiled_form(const std::string& path, nmodl::Checked checked,
                                     const MechanismOptions& options, Diagnostics& diagnostics) {
  for (const Diagnostic& found : checked.diagnostics)
    if (found.severity == Severity::error)
      diagnostics.error(found.place, found.message);
    else
      diagnostics.warning(found.place, found.message);
  if (!checked.module) return std::nullopt;
  const auto kept = std::make_shared<nmodl::Module>(std::move(*checked.module));
  nmodl::Module& module = *kept;
  if (module.is_library) {
    diagnostics.error({path, 0, 0}, "holds functions only (SUFFIX nothing), no mechanism");
    return std::nullopt;
  }
  if (!fit(options.tables, module, path, diagnostics)) return std::nullopt;
  if (!options.peer.empty())
    if (const std::string problem = nmodl::take_for_peer(options.peer, module); !problem.empty()) {
      diagnostics.error(options.peer_place, fmt::format("{} {}", path, problem));
      return std::nullopt;
    }
  try {
    const nmodl::EvaluatorIr evaluator =
        nmodl::lower(module, options.tables, options.table_use, options.slope);
    // A prefix: the name alone may be one of the contract's or of the language's.
    const std::string struct_name = "Own_" + evaluator.name;
    ModFile file;
    file.path = path;
    file.name_place = file.named_at = {path, 0, 0};
    if (const auto& name = module.syntax.mechanism)
      file.name_place = place_of(module, name->position);
    file.description = std::make_shared<const nmodl::Description>(evaluator);
    file.signature = signature_of(file.description->info());
    file.struct_name = struct_name;
    file.header = nmodl::emit_header(evaluator, struct_name);
    file.missing_tables = missing_tables(evaluator, module);
    file.sets_parameters = evaluator.sets_parameters;
    file.begun = evaluator.begun;
    file.of_last_place = evaluator.of_last_place;
    file.adjoint = [kept, tables = options.tables, use = options.table_use,
                    slope = options.slope] {
      return nmodl::lower_adjoint(*kept, tables, use, slope);
    };
    for (const std::string& variable : file.of_last_place)
      diagnostics.warning(file.name_place,
                          "'" + variable +
                              "' is read before it is computed: here each place has its own, where "
                              "NEURON has what the place that was computed last has left");
    return file;
  } catch (const nmodl::NotSupported& problem) {
    diagnostics.error(place_of(module, problem.position()), problem.what());
    return std::nullopt;
  }
}

/// What was read of texts: who makes one model after the other has the same mechanisms in them.
class Readings {
 public:
  struct Reading {
    std::string path;
    ModReading reading;
    std::vector<Diagnostic> found;
  };

  static std::string key_of(const std::string& text, const MechanismOptions& options) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(options.table_use),
                       static_cast<int>(options.slope), static_cast<int>(options.constants),
                       options.peer, to_string(options.peer_place), text);
  }

  /// The same of a file that is called `path`; nothing of a text that is not known.
  std::optional<Reading> find(const std::string& key, const std::string& path) const {
    std::shared_ptr<const Reading> found;
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end()) found = known->second;
    }
    if (!found) return std::nullopt;
    Reading made = *found;
    const auto call = [&](std::string& file) {
      if (file == made.path) file = path;
    };
    ModFile& file = *made.reading.file;
    for (Place* place : {&file.name_place, &file.named_at}) call(place->file);
    for (MissingTable& table : file.missing_tables) call(table.place.file);
    for (Diagnostic& one : made.found) call(one.place.file);
    call(file.path);
    return made;
  }

  void put(const std::string& key, const Reading& reading) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    known_.insert_or_assign(key, std::make_shared<const Reading>(reading));
  }

 private:
  static constexpr std::size_t most = 400;  // of some 100 kB each
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Reading>> known_;
};

}  // namespace

ModReading read_mod(const std::string& path, const std::string& text,
                    const nmodl::ReadInclude& include, const MechanismOptions& options,
                    Diagnostics& diagnostics) {
  static Readings readings;
  const std::string key = Readings::key_of(text, options);
  // What other files say is read anew.
  const bool may_be_known = options.tables.empty() && text.find("INCLUDE") == std::string::npos;
  auto reading = may_be_known ? readings.find(key, path) : std::nullopt;
  if (!reading) {
    Diagnostics found;
    nmodl::Checked checked = nmodl::check_text(path, text, include, options.constants);
    const std::string name = checked.name;
    reading = {path, {name, compiled_form(path, std::move(checked), options, found)}, {}};
    reading->found = found.all();
    if (may_be_known && reading->reading.file) readings.put(key, *reading);
  }
  for (const Diagnostic& one : reading->found) diagnostics.add(one);
  return std::move(reading->reading);
}

ModReading read_mod_file(const std::string& path, Diagnostics& diagnostics) {
  nmodl::Checked checked = nmodl::check_file(path);
  const std::string name = checked.name;
  return {name, compiled_form(path, std::move(checked), {}, diagnostics)};
}

}  // namespace hillock::mechanisms
