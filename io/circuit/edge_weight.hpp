#pragma once
// The weight of an edge, as bmtk's functions of weights make it.

#include <optional>
#include <string>

#include "io/circuit/elements.hpp"

namespace hillock::io::circuit {

class EdgeWeight {
 public:
  EdgeWeight(const Elements& edges, const Elements& sources, const Elements& targets)
      : edges_(edges),
        sources_(sources),
        targets_(targets),
        function_(edges.attribute("weight_function")),
        weight_(edges.numbers("syn_weight")) {}

  /// Of an edge between two nodes. Where there is none `problem` says why.
  std::optional<double> of(std::size_t edge, std::size_t source, std::size_t target,
                           std::string& problem);
  /// Where what makes it stands, for messages.
  Place place(std::size_t edge, const Place& otherwise) const;

 private:
  /// What gaussianLL takes; other functions do not ask for it.
  struct Gaussian {
    Attribute sigma, source_angle, target_angle;
  };

  const Elements& edges_;
  const Elements& sources_;
  const Elements& targets_;
  Attribute function_, weight_;
  std::optional<Gaussian> gaussian_;
};

}  // namespace hillock::io::circuit
