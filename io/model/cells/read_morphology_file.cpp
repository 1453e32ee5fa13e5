#include "io/model/cells/read_morphology_file.hpp"

#include "io/asc/asc.hpp"
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
      is_swc ? read_swc(*file->text, file->shown, rule, measures, context.diagnostics)
             : read_asc(*file->text, file->shown, measures, context.diagnostics);
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
