#pragma once
// The weight of an edge, as bmtk's functions of weights make it.

#include <optional>
#include <string>

#include "io/circuit/elements.hpp"

namespace hillock::io::circuit {

class EdgeWeight {
 public:
  EdgeWeight(const Elements& edges, const Elements& sources, const Elements& targets)
      : function_(edges.attribute("weight_function")),
        weight_(edges.attribute("syn_weight")),
        sigma_(edges.attribute("weight_sigma")),
        source_angle_(sources.attribute("tuning_angle")),
        target_angle_(targets.attribute("tuning_angle")) {}

  /// Of an edge between two nodes. Where there is none `problem` says why.
  std::optional<double> of(std::size_t edge, std::size_t source, std::size_t target,
                           std::string& problem) const;
  /// Where what makes it stands, for messages.
  Place place(std::size_t edge, const Place& otherwise) const;

 private:
  Attribute function_, weight_, sigma_, source_angle_, target_angle_;
};

}  // namespace hillock::io::circuit
