#include "io/model/context/fit_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace hillock::io {

namespace {

constexpr std::array<std::string_view, 4> fit_sections{"soma", "axon", "dend", "apic"};

class FitFile {
 public:
  FitFile(const FitKeys& keys, const std::function<void(const FitEntry&)>& take)
      : keys_(keys), take_(take) {}

  void read(const Item& fit) {
    MapReader map(fit, "a fit of the Allen Cell Types database");
    for (const char* const told : {"axon_morph", "fitting"}) map.allow(told);
    const auto passive = map.require("passive");
    const auto conditions = map.require("conditions");
    const auto genome = map.require("genome");
    finish(map);
    for_each(passive, "passive", [&](const Item& entry) { read_passive(entry); });
    for_each(genome, "genome", [&](const Item& entry) { read_gene(entry); });
    for_each(conditions, "conditions", [&](const Item& entry) { read_conditions(entry); });
  }

 private:
  void finish(MapReader& map) const {
    if (keys_.others == FitKeys::Others::passed_over)
      for (const Node::Entry& entry : map.item().node().entries) map.allow(entry.key);
    map.finish();
  }

  static FitEntry entry_of(const std::optional<Item>& section, const std::string& name,
                           const Item& value) {
    return {section, name, "", value, value, value};
  }

  template <class Read>
  static void for_each(const std::optional<Item>& item, const char* what, const Read& read) {
    if (!item) return;
    const auto entries = item->list(fmt::format("the list of {}", what));
    if (!entries) return;
    for (const Item& entry : *entries) read(entry);
  }

  void read_passive(const Item& item) const {
    MapReader map(item, "passive");
    const auto ra = map.find("ra");
    const auto cm = map.find("cm");
    const auto e_pas = map.find("e_pas");
    finish(map);
    if (ra) take_(entry_of({}, "Ra", *ra));
    if (e_pas) take_(entry_of({}, "e_pas", *e_pas));
    for_each(cm, "cm", [&](const Item& entry) {
      MapReader one(entry, "cm");
      const auto section = one.require("section");
      const auto value = one.require("cm");
      finish(one);
      if (section && is_known(*section) && value) take_(entry_of(section, "cm", *value));
    });
  }

  void read_gene(const Item& item) const {
    MapReader map(item, "a gene");
    const auto section = map.require("section");
    const auto name = map.require("name");
    const auto value = map.require("value");
    const auto mechanism = map.find("mechanism");
    finish(map);
    const auto variable = name ? name->text("the name of a parameter") : std::nullopt;
    const auto of = mechanism && !mechanism->is_null() ? mechanism->text("a mechanism") : "";
    if (section && is_known(*section) && variable && of && value)
      take_({section, *variable, *of, *value, *name, mechanism.value_or(*value)});
  }

  void read_conditions(const Item& item) const {
    MapReader map(item, "conditions");
    map.allow("v_init");
    const auto celsius = map.find("celsius");
    const auto erev = map.find("erev");
    finish(map);
    if (celsius) take_(entry_of({}, "celsius", *celsius));
    for_each(erev, "erev", [&](const Item& entry) { read_reversals(entry); });
  }

  /// `{section: soma, ena: 53, ek: -107}`
  void read_reversals(const Item& item) const {
    MapReader map(item, "erev");
    const auto section = map.require("section");
    std::vector<FitEntry> reversals;
    for (const std::string& ion : keys_.ions)
      if (const auto mV = map.find("e" + ion))
        reversals.push_back(entry_of(section, "e" + ion, *mV));
    finish(map);
    if (section && is_known(*section))
      for (const FitEntry& reversal : reversals) take_(reversal);
  }

  /// False, and a warning, for 'glob'; false, and an error, for what is no section.
  static bool is_known(const Item& item) {
    const auto name = item.text("the name of a section");
    if (!name) return false;
    if (*name == "glob") {
      item.warning("'glob' is no section; what it has is left out");
      return false;
    }
    const bool is_known = std::ranges::find(fit_sections, *name) != fit_sections.end();
    if (!is_known) item.error(fmt::format("'{}' is none of soma, axon, dend and apic", *name));
    return is_known;
  }

  const FitKeys& keys_;
  const std::function<void(const FitEntry&)>& take_;
};

}  // namespace

bool read_fit_file(const Item& fit, const FitKeys& keys,
                   const std::function<void(const FitEntry& entry)>& take) {
  const std::size_t errors = fit.diagnostics().error_count();
  FitFile(keys, take).read(fit);
  return fit.diagnostics().error_count() == errors;
}

}  // namespace hillock::io
