#include "io/model/model_reader.hpp"

#include <fmt/format.h>

#include "core/errors/errors.hpp"
#include "io/columns/confined_file.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/values/read_warnings.hpp"
#include "io/yaml/model_document.hpp"

namespace hillock::io {

namespace {

constexpr int version_read = 1;

void read_version(const std::optional<Item>& item) {
  if (!item) return;
  const auto version = item->whole_number(0, 1'000'000);
  if (version && *version != version_read)
    item->error(fmt::format("this program reads version {} of the model file, not {}", version_read,
                            *version));
}

void read_sections(ReadContext& context, const Node& root, const CheckMechanism& check) {
  MapReader map(Item(root, "", context.diagnostics), "a model");
  const auto version = map.require("hillock");
  const auto run = map.require("run");
  const auto mechanisms = map.find("mechanisms");
  const auto cells = map.require("cells");
  const auto populations = map.require("populations");
  const auto points = map.find("points");
  const auto projections = map.find("projections");
  const auto wiring = map.find("wiring");
  const auto stimuli = map.find("stimuli");
  const auto record = map.find("record");
  map.allow("include");
  map.finish();

  read_version(version);
  if (run) read_run(context, *run);
  if (mechanisms) read_mechanism_files(context, *mechanisms, check);
  if (cells) read_cells(context, *cells);
  if (populations) read_populations(context, *populations);
  const bool has_cells = cells && populations;  // what refers to them would only repeat that
  if (has_cells && points) read_points(context, *points);
  if (has_cells && projections) read_projections(context, *projections);
  check_junctions_of_points(context);
  if (has_cells && wiring) read_wiring(context, *wiring);
  if (has_cells && stimuli) read_stimuli(context, *stimuli);
  if (has_cells && record) read_recordings(context, *record);
  context.broken_mechanisms.report(context.diagnostics);
  if (!has_cells || context.diagnostics.has_errors()) return;
  warn_of_unused(context);
  warn_of_missing_positions(context);
  warn_of_overwritten_reversals(context);
  warn_of_long_steps(context);
}

}  // namespace

std::optional<NamedFile> read_named_file(ReadContext& context, const Item& item) {
  const auto name = item.text("a file name");
  if (!name) return std::nullopt;
  const auto resolved = context.files.resolve(*name, *item.node().source);
  Diagnostics found;
  const std::string* text = context.files.read(resolved, *name, item.place(), found);
  for (const auto& diagnostic : found.all()) item.error(diagnostic.message);
  if (!text) return std::nullopt;
  return NamedFile{resolved.shown, text};
}

std::optional<PassedFile> open_named_file(ReadContext& context, const Item& item) {
  const auto name = item.text("a file name");
  if (!name) return std::nullopt;
  const auto resolved = context.files.resolve(*name, *item.node().source);
  Diagnostics found;
  auto blocks = context.files.open(resolved, *name, item.place(), found);
  for (const auto& diagnostic : found.all()) item.error(diagnostic.message);
  if (!blocks) return std::nullopt;
  return PassedFile{resolved.shown, std::move(blocks)};
}

/// The arrays that stand for a file; null where it is one.
const HeldArrays* find_held(ReadContext& context, const std::string& name) {
  if (!context.held_arrays) return nullptr;
  const auto held = context.held_arrays->find(name);
  if (held == context.held_arrays->end()) return nullptr;
  context.files.note_held(name, [&] { return sha256_of(held->second); });
  return &held->second;
}

DataFile* read_hdf5_file(ReadContext& context, const Item& item) {
  const auto name = item.text("a file name");
  if (!name) return nullptr;
  if (const HeldArrays* const held = find_held(context, *name)) {
    auto& file = context.hdf5_files["held " + *name];
    if (!file) file = std::make_unique<HeldFile>(*name, *held);
    return file.get();
  }
  const auto resolved = context.files.resolve(*name, *item.node().source);
  const auto [known, is_new] = context.hdf5_files.try_emplace(resolved.path.string());
  if (!is_new) return known->second.get();
  const auto file = open_named_file(context, item);
  if (!file) return nullptr;
  try {
    known->second =
        std::make_unique<ConfinedFile>(*file->blocks, file->shown, context.column_reader);
  } catch (const InputOutputError& error) {
    item.error(error.what());
  }
  return known->second.get();
}

std::optional<FileColumns> read_file_columns(ReadContext& context, const Item& item,
                                             const std::vector<std::string>& datasets,
                                             std::size_t most_values, const Part& part) {
  const auto name = item.text("a file name");
  if (!name) return std::nullopt;
  if (const HeldArrays* const held = find_held(context, *name)) {
    FileColumns read{*name, {}};
    HeldFile file(*name, *held);
    for (const std::string& dataset : datasets) {
      const auto size = file.extent(dataset);
      if (!size || (*size)[1] != 1 || (*size)[0] > most_values) {
        item.error(fmt::format("{}: there is no column {} of at most {} numbers", *name, dataset,
                               most_values));
        return std::nullopt;
      }
      const std::uint64_t begin = part.begin((*size)[0]), end = part.end((*size)[0]);
      read.columns.push_back({file.numbers(dataset, {begin, 0}, {end - begin, 1}), (*size)[0]});
    }
    return read;
  }
  const auto file = open_named_file(context, item);
  if (!file) return std::nullopt;
  FileColumns read{file->shown, {}};
  const ColumnsRequest request{context.column_reader, *file->blocks, datasets, most_values, part};
  const std::string problem = read_hdf5_columns(request, read.columns);
  if (problem.empty()) return read;
  item.error(fmt::format("{}: {}", file->shown, problem));
  return std::nullopt;
}

std::optional<Hdf5Group> read_hdf5_group(ReadContext& context, const Item& file,
                                         const std::optional<Item>& group) {
  std::string path;
  if (group) {
    const auto text = group->text("the path of a group");
    if (!text) return std::nullopt;
    path = *text;
  }
  if (path.empty() || path.back() != '/') path += '/';
  DataFile* const opened = read_hdf5_file(context, file);
  if (!opened) return std::nullopt;
  return Hdf5Group{*opened, std::move(path)};
}

models::Network read_model(const std::filesystem::path& file, const Signatures& signatures,
                           const ReadOptions& options, Diagnostics& diagnostics) {
  models::Network network;
  InputFiles files(options.library, options.files);
  ModelDocument document = read_document(file, options.text, files, diagnostics);
  apply_overrides(document, options.overrides, diagnostics);
  if (document.root && document.complete) {
    ReadContext context{signatures, diagnostics, files, network};
    context.column_reader = options.column_reader;
    context.held_arrays = &options.arrays;
    context.list_part = options.list_part;
    context.known_morphologies = options.known_morphologies.get();
    read_sections(context, *document.root, options.check_mechanism);
  }
  network.inputs = files.take();
  return network;
}

}  // namespace hillock::io
