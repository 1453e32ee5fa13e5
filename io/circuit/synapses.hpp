#pragma once
// What the types of edges say of synapses: the mechanism with its parameters, where they lie.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "io/circuit/config.hpp"
#include "io/circuit/elements.hpp"
#include "io/circuit/mechanisms.hpp"

namespace hillock::io::circuit {

/// A synapse's `dynamics_params`.
struct SynapseParameters {
  std::optional<Item> root;
  double sign = 1;  ///< of weights onto point neurons
  bool has_sign = false;
};

class Synapses {
 public:
  Synapses(const Config& config, JsonFiles& files, Mechanisms& mechanisms)
      : config_(config), files_(files), mechanisms_(mechanisms) {}

  /// Nothing after an error.
  std::optional<SynapseParameters> parameters(const std::optional<Attribute::Text>& file);
  /// "exp2syn: {tau1: 1 ms, ...}" and the unit of its weights; nothing after an error.
  struct Text {
    std::string mechanism;
    std::string weight_unit;
  };
  std::optional<Text> text_of(const std::optional<Attribute::Text>& model_template,
                              const std::optional<Attribute::Text>& file, const Place& place);
  /// "{of: [dend, apic], distance: [0 um, 150 um]}" on a cell with these sections. Empty where the
  /// cell has none of them. Nothing after an error.
  std::optional<std::string> locations(const std::optional<Attribute::Text>& sections,
                                       const std::optional<Attribute::Text>& distance,
                                       const std::set<std::string>& of_cell, const Place& place);

 private:
  const Config& config_;
  JsonFiles& files_;
  Mechanisms& mechanisms_;
  std::map<std::string, std::optional<SynapseParameters>> known_;
};

/// The words of "['basal', 'apical']", or of a single word.
std::vector<std::string> words_in(const std::string& text);
/// The numbers of "[0.0, 150.0]", or a single one; nothing where it has others.
std::optional<std::vector<double>> numbers_in(const std::string& text);

}  // namespace hillock::io::circuit
