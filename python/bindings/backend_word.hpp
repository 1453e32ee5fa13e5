#pragma once
// Where something runs, by Python's words.

#include <string>

#include "core/errors/errors.hpp"
#include "simulator/loop/backend_choice.hpp"

namespace hillock::python {

inline simulator::BackendWish wish_of(const std::string& word) {
  if (word == "auto") return simulator::BackendWish::automatic;
  if (word == "cpu") return simulator::BackendWish::cpu;
  if (word == "cuda") return simulator::BackendWish::cuda;
  throw UsageError("backend '" + word + "': must be auto, cpu or cuda");
}

}  // namespace hillock::python
