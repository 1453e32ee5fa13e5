#pragma once
// A kind of neuron: its shape, how it is cut, and what stands in which part of its membrane.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/errors/place.hpp"
#include "models/morphology.hpp"
#include "models/value.hpp"

namespace hillock::models {

/// Part of a cell: every compartment of a region whose centre lies within the distance range.
struct Region {
  std::string name = "all";  ///< "all", a branch's region, or one branch by its own name
  std::optional<std::pair<double, double>> distance_um;  ///< path length from the origin, inclusive
  Place place;
  std::vector<std::string> also = {};  ///< further ones: what lies in any of them

  /// Whether a branch of that region and name lies in it, at whatever distance.
  bool has_branch(const std::string& branch_region, const std::string& branch_name) const {
    const auto is_this = [&](const std::string& one) {
      return one == "all" || one == branch_region || one == branch_name;
    };
    return is_this(name) || std::ranges::any_of(also, is_this);
  }
};

/// Points on a cell where synapses, clamps or recordings go.
struct Locations {
  enum class Kind {
    position,  ///< soma(0.5), dend[3](0.5): `position` on the one branch that `region` names
    middles,   ///< dend(*): the middle of each branch of the region
    uniform,   ///< uniform(apic), or {of: dend, distance: [..]} for a synapse: one keyed draw by
               ///< length
    tips,      ///< tips(dend): the 1 end of every branch of the region that has no child
    listed,    ///< "list": each row of a list of connections says where
    all,       ///< every compartment's centre of the region (`at: all`, {of: ...} of a recording)
  };
  Kind kind = Kind::position;
  Region region;
  double position = 0.5;
  std::string text;  ///< as written, for messages
  Place place;
};

/// How branches are cut into compartments.
struct Discretization {
  enum class Kind {
    max_length,  ///< the least number of equal pieces no longer than that
    d_lambda,
    per_branch,
    odd_pieces,  ///< 1 + 2 * floor(length / max_length), the Allen institute's rule
  };
  Kind kind = Kind::d_lambda;
  double max_length_um = 0;  ///< of max_length and odd_pieces
  double d_lambda = 0.1;     ///< fraction of the AC length constant at 100 Hz
  int per_branch = 1;
};

/// A mechanism with its parameters, in the signature's units; what is not set keeps its default.
struct MechanismUse {
  std::string name;
  std::map<std::string, Value> parameters;
  Place place;
};

/// An ion's concentrations and reversal potential in a region. What is unset keeps NEURON's
/// default.
struct IonSetting {
  enum class Reversal { fixed, nernst, ghk };
  std::string ion;
  std::optional<Value> inside_mM;
  std::optional<Value> outside_mM;
  Reversal reversal = Reversal::fixed;
  std::optional<Value> reversal_mV;  ///< when fixed
  Place place;
};

/// A layer of what lies around a membrane, as in NEURON's `extracellular`.
struct ExtracellularLayer {
  Value xraxial_MOhm_per_cm;  ///< along the branch
  Value xg_S_per_cm2;         ///< to the next layer, or from the outermost to ground
  Value xc_uF_per_cm2;        ///< beside it

  std::array<const Value*, 3> values() const {
    return {&xraxial_MOhm_per_cm, &xg_S_per_cm2, &xc_uF_per_cm2};
  }
};

/// One entry of `regions:`. Later entries win where they overlap.
struct RegionSettings {
  Region region;
  std::optional<Value> cm_uF_per_cm2;
  std::optional<Value> Ra_ohm_cm;
  std::optional<Value> v_init_mV;
  bool begins_at_rest = false;  ///< in place of v_init_mV: at the voltage of rest
  std::optional<Discretization> discretization;
  std::vector<MechanismUse> mechanisms;
  std::vector<IonSetting> ions;
  /// From the membrane outwards: none, one or two, and as many wherever a cell has some.
  std::vector<ExtracellularLayer> layers;
};

/// Where and when a cell spikes.
struct Detector {
  Locations at;
  double threshold_mV = 0;
  Place place;
};

/// A neuron with a shape.
struct CableCell {
  std::variant<Morphology, RandomTree> morphology;
  Discretization discretization;
  std::vector<RegionSettings> regions;
  std::optional<Detector> detector;
  bool layers_are_tied = false;  ///< to other places, by a wiring: nothing else has to

  /// Of extracellular ones, where it has some.
  std::size_t layer_count() const {
    std::size_t count = 0;
    for (const RegionSettings& settings : regions) count = std::max(count, settings.layers.size());
    return count;
  }
};

/// A cell without a membrane: one mechanism that takes events and sends its own spikes
/// (ARTIFICIAL_CELL of NMODL), a point neuron among them.
struct ArtificialCell {
  MechanismUse mechanism;
};

struct Cell {
  std::string name;
  std::variant<CableCell, ArtificialCell> kind;
  Place place;
};

}  // namespace hillock::models
