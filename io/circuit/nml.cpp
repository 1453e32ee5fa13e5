// Reads the biophysical properties of a NeuroML file as bmtk does: over the circuit's own
// mechanisms, by their names, in their units.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/program/whole_file.hpp"
#include "io/circuit/biophysics.hpp"
#include "io/circuit/xml_elements.hpp"

namespace hillock::io::circuit {

namespace {

constexpr std::uintmax_t largest_nml_file = 64u << 20;

class NmlReader {
 public:
  explicit NmlReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const char* section : section_names) result_[section];
  }

  void read(const XmlElement& element) {
    static const std::set<std::string> known{"channelDensity", "channelDensityNernst",
                                             "resistivity", "specificCapacitance",
                                             "concentrationModel"};
    if (!known.contains(element.name)) return;
    const auto group = element.attributes.find("segmentGroup");
    if (group == element.attributes.end()) return refuse(element, "has no segmentGroup");
    const auto sections = sections_of(group->second);
    if (sections.empty())
      return refuse(element, fmt::format("knows no segmentGroup '{}'", group->second));
    const auto id = element.attributes.find("id");
    for (const std::string& section : sections) {
      const std::string& name = id == element.attributes.end() ? element.name : id->second;
      if (!seen_.emplace(section, name).second)
        return refuse(element, fmt::format("gives {} of {} a second time", name, section));
      read(element, result_[section]);
    }
  }

  Biophysics take() { return std::move(result_); }

 private:
  static std::vector<std::string> sections_of(std::string group) {
    std::ranges::transform(group, group.begin(), [](char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    if (group == "all") return {section_names.begin(), section_names.end()};
    static const std::map<std::string, std::string> names{
        {"soma", "soma"},      {"somatic", "soma"}, {"axon", "axon"},
        {"axonal", "axon"},    {"dend", "dend"},    {"basal", "dend"},
        {"dendritic", "dend"}, {"apic", "apic"},    {"apical", "apic"}};
    const auto found = names.find(group);
    return found == names.end() ? std::vector<std::string>{} : std::vector{found->second};
  }

  void refuse(const XmlElement& element, const std::string& problem) {
    diagnostics_.error(element.place, element.name + " " + problem);
  }

  /// The number of "12.5 ms", as it is written; units must be those that the mechanisms have.
  std::string number(const XmlElement& element, const std::string& attribute,
                     const std::vector<std::string>& units) {
    const auto found = element.attributes.find(attribute);
    if (found == element.attributes.end()) {
      refuse(element, "has no " + attribute);
      return "0";
    }
    const std::string& text = found->second;
    const std::size_t space = text.find(' ');
    const std::string value = text.substr(0, space);
    const std::string unit = space == std::string::npos ? "" : text.substr(space + 1);
    if (!number_in(value) || (!unit.empty() && std::ranges::find(units, unit) == units.end())) {
      refuse(element, fmt::format("has {}='{}', which is not a number in {}", attribute, text,
                                  units.front()));
      return "0";
    }
    return value;
  }

  void read(const XmlElement& element, SectionBiophysics& to) {
    const auto attribute = [&](const char* name) {
      const auto found = element.attributes.find(name);
      return found == element.attributes.end() ? std::string() : found->second;
    };
    if (element.name == "resistivity") {
      to.Ra_ohm_cm = number(element, "value", {"ohm_cm", "ohm.cm", "ohm cm"});
    } else if (element.name == "specificCapacitance") {
      to.cm_uF_per_cm2 = number(element, "value", {"uF_per_cm2"});
    } else if (element.name == "concentrationModel") {
      const std::string id = attribute("id");
      if (id.empty()) return refuse(element, "has no id");
      to.set(id, "gamma", number(element, "gamma", {""}), element.place);
      to.set(id, "decay", number(element, "decay", {"ms"}), element.place);
    } else {
      read_channel(element, attribute("ionChannel"), attribute("ion"), attribute("id"), to);
    }
  }

  void read_channel(const XmlElement& element, const std::string& channel, const std::string& ion,
                    const std::string& id, SectionBiophysics& to) {
    if (channel.empty()) return refuse(element, "has no ionChannel");
    const std::string density = number(element, "condDensity", {"S_per_cm2"});
    const bool has_reversal = element.attributes.contains("erev");
    if (channel == "pas") {
      to.set("pas", "g", density, element.place);
      if (has_reversal) to.set("pas", "e", number(element, "erev", {"mV"}), element.place);
      return;
    }
    if (!id.ends_with("_" + channel))
      return refuse(element, fmt::format("'{}' is no parameter of {}", id, channel));
    to.set(channel, id.substr(0, id.size() - channel.size() - 1), density, element.place);
    if (has_reversal && ion == "na") to.ena_mV = number(element, "erev", {"mV"});
    if (has_reversal && ion == "k") to.ek_mV = number(element, "erev", {"mV"});
  }

  Diagnostics& diagnostics_;
  Biophysics result_;
  std::set<std::pair<std::string, std::string>> seen_;  ///< section and id
};

}  // namespace

std::optional<Biophysics> read_nml(const std::filesystem::path& path, const Place& named_at,
                                   Diagnostics& diagnostics) {
  std::string text;
  if (const std::string problem = read_whole_file(path, largest_nml_file, text); !problem.empty()) {
    diagnostics.error(named_at, fmt::format("{}: {}", path.string(), problem));
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.error_count();
  const std::string file = path.string();
  const auto elements = read_xml_elements(text, file, diagnostics);
  if (!elements) return std::nullopt;
  NmlReader reader(diagnostics);
  for (const XmlElement& element : *elements) reader.read(element);
  if (diagnostics.error_count() > errors) return std::nullopt;
  return reader.take();
}

}  // namespace hillock::io::circuit
