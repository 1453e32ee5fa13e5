#pragma once
// What kinds of cells nodes become.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/circuit/biophysics.hpp"
#include "io/circuit/config.hpp"
#include "io/circuit/mechanisms.hpp"
#include "io/circuit/model_text.hpp"
#include "io/circuit/nodes.hpp"

namespace hillock::io::circuit {

enum class CellKind {
  node,
  point,
  cable
};  ///< a source of spikes, an artificial cell, one with a shape

/// What says which cell a node is; nodes with the same are cells of one population of the model.
struct CellDescription {
  std::uint64_t type = 0;
  std::string model_type, model_template, morphology, model_processing, dynamics_params;

  auto operator<=>(const CellDescription&) const = default;
};

/// A cell of the model.
struct CellText {
  CellKind kind = CellKind::node;
  std::string text;                ///< what stands behind its name
  std::set<std::string> sections;  ///< of one with a shape: "soma", "dend", ...
  std::string nest_weight_unit;    ///< of a neuron of NEST's, else empty
  std::string nest_model;          ///< its name, else empty
};

class CellTexts {
 public:
  CellTexts(const Config& config, JsonFiles& files, Mechanisms& mechanisms, const FileNames& names)
      : config_(config), files_(files), mechanisms_(mechanisms), names_(names) {}

  /// Nothing after an error, which is told at `place`, where the type stands.
  std::optional<CellText> text_of(const CellDescription& cell, const Place& place);

 private:
  std::optional<CellText> point(const CellDescription& cell, const Place& place);
  std::optional<CellText> int_fire(const Item& parameters) const;
  std::optional<CellText> nest(const std::string& model, const std::optional<Item>& parameters,
                               const Place& place);
  std::optional<CellText> cable(const CellDescription& cell, const Place& place);
  std::optional<Biophysics> biophysics_of(const CellDescription& cell, const Place& place);
  std::string section_text(const SectionBiophysics& section);
  /// A file in one of the folders of `components`; nothing after an error.
  std::optional<std::filesystem::path> component(const char* folder, const std::string& name,
                                                 const Place& place);

  const Config& config_;
  JsonFiles& files_;
  Mechanisms& mechanisms_;
  const FileNames& names_;
};

}  // namespace hillock::io::circuit
