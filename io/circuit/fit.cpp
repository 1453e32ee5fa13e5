// Reads the Allen institute's fits of cells (ctdb:Biophys1).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/circuit/biophysics.hpp"

namespace hillock::io::circuit {

namespace {

/// False, and an error, where a section has another name.
bool is_known(const Item& section) {
  const std::string& name = section.node().scalar;
  if (section.is_scalar() && std::ranges::find(section_names, name) != section_names.end())
    return true;
  section.error(fmt::format("'{}' is no section ({} are)", name, fmt::join(section_names, ", ")));
  return false;
}

/// A number, as it is written; nothing after an error.
std::optional<std::string> number_written(const Item& item) {
  return number_of(item) ? std::optional(item.node().scalar) : std::nullopt;
}

/// The first of a list, as these files have it, or the map itself.
std::optional<Item> first_of(const Item& root, const std::string& key) {
  const auto found = require(root, key);
  if (!found) return std::nullopt;
  const auto all = each_of(*found);
  if (all.empty() || !all.front().is_map()) {
    found->error("has no entry");
    return std::nullopt;
  }
  return all.front();
}

class FitReader {
 public:
  explicit FitReader(const Item& root) : root_(root) {}

  std::optional<Biophysics> read() {
    const std::size_t errors = root_.diagnostics().error_count();
    for (const char* section : section_names) result_[section];
    if (const auto passive = first_of(root_, "passive")) read_passive(*passive);
    if (const auto genome = require(root_, "genome"))
      for (const Item& gene : each_of(*genome)) read_gene(gene);
    if (const auto conditions = first_of(root_, "conditions"))
      if (const auto erev = find(*conditions, "erev"))
        for (const Item& one : each_of(*erev)) read_reversals(one);
    if (root_.diagnostics().error_count() > errors) return std::nullopt;
    return std::move(result_);
  }

 private:
  void read_passive(const Item& passive) {
    const auto ra = find(passive, "ra");
    const auto e_pas = find(passive, "e_pas");
    const auto cm = find(passive, "cm");
    for (auto& [name, section] : result_) {
      if (ra) section.Ra_ohm_cm = number_written(*ra);
      section.insert("pas", passive.place());
      if (e_pas)
        if (const auto value = number_written(*e_pas))
          section.set("pas", "e", *value, e_pas->place());
    }
    if (!cm) return;
    for (const Item& one : each_of(*cm)) {
      const auto section = require(one, "section");
      const auto value = require(one, "cm");
      if (section && value && is_known(*section))
        result_[section->node().scalar].cm_uF_per_cm2 = number_written(*value);
    }
  }

  void read_gene(const Item& gene) {
    const auto section = require(gene, "section");
    const auto name = require(gene, "name");
    const auto value = require(gene, "value");
    if (!section || !name || !value) return;
    const std::string& where = section->node().scalar;
    if (where == "glob") return section->warning("a section 'glob' is left out, as bmtk does");
    const auto number = number_written(*value);
    if (!is_known(*section) || !number) return;
    const auto mechanism = find(gene, "mechanism");
    const std::string of = mechanism ? mechanism->node().scalar : "";
    SectionBiophysics& to = result_[where];
    const std::string& parameter = name->node().scalar;
    if (!of.empty()) to.insert(of, mechanism->place());
    if (parameter == "Ra") {
      to.Ra_ohm_cm = number;
    } else if (parameter == "cm") {
      to.cm_uF_per_cm2 = number;
    } else if (parameter == "ena") {
      to.ena_mV = number;
    } else if (parameter == "ek") {
      to.ek_mV = number;
    } else if (!of.empty() && parameter.ends_with("_" + of)) {
      to.set(of, parameter.substr(0, parameter.size() - of.size() - 1), *number, name->place());
    } else if (parameter.ends_with("_pas")) {
      to.set("pas", parameter.substr(0, parameter.size() - 4), *number, name->place());
    } else {
      name->error(fmt::format("'{}' is no parameter of a section or of '{}'", parameter, of));
    }
  }

  void read_reversals(const Item& one) {
    const auto section = require(one, "section");
    if (!section || !is_known(*section)) return;
    SectionBiophysics& to = result_[section->node().scalar];
    if (const auto ena = find(one, "ena")) to.ena_mV = number_written(*ena);
    if (const auto ek = find(one, "ek")) to.ek_mV = number_written(*ek);
  }

  const Item& root_;
  Biophysics result_;
};

}  // namespace

void SectionBiophysics::insert(const std::string& mechanism, const Place& place) {
  mechanisms[mechanism];
  places.emplace(mechanism, place);
}

void SectionBiophysics::set(const std::string& mechanism, const std::string& parameter,
                            const std::string& value, const Place& place) {
  insert(mechanism, place);
  auto& all = mechanisms[mechanism];
  const auto known = std::ranges::find(all, parameter, &Parameter::name);
  if (known != all.end())
    *known = {parameter, value, place};
  else
    all.push_back({parameter, value, place});
}

std::optional<Biophysics> read_fit(const Item& root) {
  return FitReader(root).read();
}

}  // namespace hillock::io::circuit
