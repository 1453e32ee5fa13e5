#include "io/model/cells/read_fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "io/model/context/fit_file.hpp"
#include "io/model/mechanisms/read_mechanism.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// A number without a unit, which is the slot's. It may be written as a text.
std::optional<double> read_plain(const Item& item, const Slot& slot) {
  const auto value = read_constant(item, Slot::of(""));
  if (!value) return std::nullopt;
  const std::string problem = limit_problem(slot, *value, show(*value, slot.unit_text));
  if (problem.empty()) return value;
  item.error(problem);
  return std::nullopt;
}

class FitReader {
 public:
  FitReader(ReadContext& context, CellInfo& info) : context_(context), info_(info) {}

  std::optional<std::vector<models::RegionSettings>> read(const Item& fit) {
    settings_.emplace_back().region.place = fit.place();
    mechanism("pas", settings_.front(), fit);
    const FitKeys keys{known_ions(context_.signatures), FitKeys::Others::refused};
    read_.note(read_fit_file(fit, keys, [&](const FitEntry& entry) { take(entry); }));
    return read_.result(settings_);
  }

 private:
  void take(const FitEntry& entry) {
    if (is_temperature(entry)) return compare_temperature(entry.value);
    if (models::RegionSettings* const region = region_of(entry.section))
      set(entry.name, entry.value, *region, entry.mechanism);
  }

  void compare_temperature(const Item& celsius) {
    const auto degC = read_plain(celsius, Slot::of("degC"));
    const double own = context_.network.run.temperature_degC;
    if (read_.note(degC) && context_.run_known && std::abs(*degC - own) > 1e-9)
      celsius.warning(
          fmt::format("the fit was made at {} degC, and run.temperature is {} degC", *degC, own));
  }

  /// The settings of a section; null where the morphology has none.
  models::RegionSettings* region_of(const std::optional<Item>& section) {
    if (!section) return &settings_.front();
    const std::string& name = section->node().scalar;
    if (info_.shape.known && !info_.shape.has_region(name)) return nullptr;
    for (models::RegionSettings& known : settings_)
      if (known.region.name == name) return &known;
    settings_.emplace_back().region = {name, {}, section->place()};
    return &settings_.back();
  }

  /// A mechanism in a region, put there if it is not; null after an error.
  models::MechanismUse* mechanism(const std::string& name, models::RegionSettings& region,
                                  const Item& item) {
    for (models::MechanismUse& use : region.mechanisms)
      if (use.name == name) return &use;
    const auto found = context_.signatures.find(name);
    if (found == context_.signatures.end() || found->second.kind != MechanismKind::density) {
      if (context_.broken_mechanisms.use(name))
        read_.note(false);
      else
        read_.error(item, fmt::format("there is no density mechanism '{}' (mechanisms: names the "
                                      ".mod files of the fit)",
                                      name));
      return nullptr;
    }
    info_.density_mechanisms.insert(name);
    for (const IonUse& use : found->second.ions) info_.ions.insert(use.ion);
    return &region.mechanisms.emplace_back(models::MechanismUse{name, {}, item.place()});
  }

  /// Of a gene without a mechanism: the one that its name ends with, `pas` of g_pas.
  std::string mechanism_of(const std::string& name) const {
    std::string longest;
    for (const auto& [candidate, signature] : context_.signatures)
      if (name.ends_with("_" + candidate) && candidate.size() > longest.size()) longest = candidate;
    return longest;
  }

  /// Sets what NEURON calls `name` in a section: cm, Ra, ena, gbar_Ih.
  void set(const std::string& name, const Item& item, models::RegionSettings& region,
           const std::string& of) {
    if (name == "cm" || name == "Ra") {
      const bool is_cm = name == "cm";
      const auto value = read_plain(item, is_cm ? Slot::of("uF/cm2").at_least(0).at_most(1e6)
                                                : Slot::of("ohm.cm").more_than(0).at_most(1e9));
      if (read_.note(value)) (is_cm ? region.cm_uF_per_cm2 : region.Ra_ohm_cm) = *value;
      return;
    }
    for (const std::string& ion : known_ions(context_.signatures))
      if (of.empty() && name == "e" + ion) return set_reversal(ion, item, region);
    const std::string which = of.empty() ? mechanism_of(name) : of;
    if (which.empty())
      return read_.error(item, fmt::format("there is no mechanism whose parameter is '{}'", name));
    models::MechanismUse* const use = mechanism(which, region, item);
    if (!use) return;
    const std::string ending = "_" + which;
    const std::string own =
        name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name;
    const MechanismVariable* const variable = context_.signatures.at(which).find(own);
    if (!variable || variable->role != VariableRole::parameter)
      return read_.error(item, fmt::format("'{}' is no parameter of {}", own, which));
    const auto value = read_plain(item, Slot::of(*variable));
    if (read_.note(value)) use->parameters.insert_or_assign(own, models::Value(*value));
  }

  void set_reversal(const std::string& ion, const Item& item, models::RegionSettings& region) {
    const auto mV = read_plain(item, Slot::of("mV").at_least(-1000).at_most(1000));
    if (!read_.note(mV)) return;
    info_.ions.insert(ion);
    models::IonSetting& setting = region.ions.emplace_back();
    setting.ion = ion;
    setting.place = item.place();
    setting.reversal_mV = *mV;
  }

  ReadContext& context_;
  CellInfo& info_;
  ValueReader read_;
  std::vector<models::RegionSettings> settings_;  ///< of all of the cell first
};

}  // namespace

std::optional<std::vector<models::RegionSettings>> read_fit(ReadContext& context, const Item& item,
                                                            CellInfo& info) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const Source source{file->shown, {}, *file->text};
  const NodePtr root = parse_yaml(source, context.diagnostics);
  if (!root) return std::nullopt;
  return FitReader(context, info).read({*root, "", context.diagnostics});
}

}  // namespace hillock::io
