#include "io/model/cells/read_morphology_file.hpp"

#include <memory>
#include <string>
#include <utility>

#include "io/asc/asc.hpp"
#include "io/model/cells/known_morphologies.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"
#include "io/morphology/replace_axon.hpp"
#include "io/swc/swc.hpp"

namespace hillock::io {

namespace {

const Slot length_of_a_cell = Slot::of("um").more_than(0).at_most(1e6);

bool read_stub(const Item& item, ReplaceAxon& stub) {
  MapReader map(item, "replace_axon");
  const auto branches = map.find("branches");
  const auto length = map.find("length");
  const auto diameter = map.find("diameter");
  const auto at = map.find("at");
  ValueReader read(map.finish());
  read.whole_number(branches, 0, 1000, stub.branches);
  read.constant(length, length_of_a_cell, stub.length_um);
  read.constant(at, Slot::of("").at_least(0).at_most(1), stub.at);
  if (diameter && diameter->is_scalar() && diameter->text("a diameter") == "original")
    stub.diameter_um.reset();
  else if (diameter)
    read.take(read_constant(*diameter, length_of_a_cell), stub.diameter_um);
  return read.good();
}

models::Morphology read_text(ReadContext& context, const std::string& text,
                             const KnownMorphologies::How& how) {
  std::shared_ptr<const KnownMorphologies::Known> known;
  if (context.known_morphologies) known = context.known_morphologies->find(text, how);
  if (!known) {
    KnownMorphologies::Known read{text, how, {}, {}};
    const Measures measures{how.scale, how.minimum_diameter_um};
    read.morphology = how.format == MorphologyFormat::swc
                          ? read_swc(text, how.shown, how.rule, measures, read.found)
                          : read_asc(text, how.shown, measures, read.found);
    known = std::make_shared<const KnownMorphologies::Known>(std::move(read));
    if (context.known_morphologies) context.known_morphologies->add(known);
  }
  for (const Diagnostic& one : known->found.all()) context.diagnostics.add(one);
  return known->morphology;
}

}  // namespace

std::optional<models::Morphology> read_morphology_file(ReadContext& context, MapReader& map,
                                                       MorphologyFormat format,
                                                       const Item& file_item) {
  const bool is_swc = format == MorphologyFormat::swc;
  const auto rule_item = is_swc ? map.find("soma") : std::nullopt;
  const auto scale = map.find("scale");
  const auto minimum_diameter = map.find("minimum_diameter");
  const auto stub_item = map.find("replace_axon");
  ValueReader read(map.finish());
  SomaRule rule = SomaRule::neuron8;
  if (rule_item) read.take(rule_item->choice({"neuron8", "neuromorpho", "literal"}), rule);
  Measures measures;
  read.constant(scale, Slot::of("").more_than(0).at_most(1e6), measures.scale);
  read.constant(minimum_diameter, Slot::of("um").more_than(0).at_most(1e3),
                measures.minimum_diameter_um);
  ReplaceAxon stub;
  if (stub_item) read.note(read_stub(*stub_item, stub));
  const auto file = read_named_file(context, file_item);
  if (!file || !read.good()) return std::nullopt;
  models::Morphology morphology =
      read_text(context, *file->text,
                {file->shown, format, rule, measures.scale, measures.minimum_diameter_um});
  if (morphology.branches.empty()) return std::nullopt;
  const std::string problem = stub_item ? replace_axon(morphology, stub) : "";
  if (problem.empty()) return morphology;
  stub_item->error(problem);
  return std::nullopt;
}

void allow_keys_of_files(MapReader& map) {
  for (const char* key : {"soma", "scale", "minimum_diameter", "replace_axon"}) map.allow(key);
}

}  // namespace hillock::io
