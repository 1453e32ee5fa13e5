#include "io/circuit/edge_weight.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hillock::io::circuit {

std::optional<double> EdgeWeight::of(std::size_t edge, std::size_t source, std::size_t target,
                                     std::string& problem) {
  const auto weight = weight_.number(edge);
  if (!weight) {
    problem = "has no syn_weight";
    return std::nullopt;
  }
  const auto function = function_.text(edge);
  const std::string name = function ? function->text : "default_weight_fnc";
  if (name == "wmax" || name == "default_weight_fnc" || name == "set_syn_weight") return weight;
  if (name != "gaussianLL") {
    problem = fmt::format(
        "weight_function '{}' is a program of the circuit's makers and is not "
        "known here (wmax, gaussianLL, set_syn_weight and default_weight_fnc are)",
        name);
    return std::nullopt;
  }
  if (!gaussian_)
    gaussian_ = {edges_.numbers("weight_sigma"), sources_.numbers("tuning_angle"),
                 targets_.numbers("tuning_angle")};
  const auto sigma = gaussian_->sigma.number(edge);
  const auto from = gaussian_->source_angle.number(source);
  const auto to = gaussian_->target_angle.number(target);
  if (!sigma || *sigma == 0 || !from || !to) {
    problem = fmt::format("gaussianLL needs {}",
                          sigma ? "a tuning_angle of both nodes" : "a weight_sigma");
    return std::nullopt;
  }
  // The difference of two angles of tuning, at most 90 degrees.
  const double difference =
      std::abs(std::abs(std::abs(180.0 - std::fmod(std::abs(*to - *from), 360.0)) - 90.0) - 90.0);
  return *weight * std::exp(-std::pow(difference / *sigma, 2));
}

Place EdgeWeight::place(std::size_t edge, const Place& otherwise) const {
  const auto function = function_.text(edge);
  return function ? function->place : otherwise;
}

}  // namespace hillock::io::circuit
