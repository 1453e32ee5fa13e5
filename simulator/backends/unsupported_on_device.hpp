#pragma once
// What a device cannot run and the CPU can.

#include <string>

#include "core/errors/errors.hpp"

namespace hillock::simulator {

/// A model that is right asks for something that a device cannot do: on the CPU it runs.
class UnsupportedOnDevice : public InvalidModel {
 public:
  UnsupportedOnDevice(const Place& place, const std::string& problem)
      : InvalidModel({{Severity::error, place, problem + " (on the CPU it runs: --backend cpu)"}}) {
  }
};

}  // namespace hillock::simulator
