#pragma once
// What an object of Python's class Model holds.

#include <memory>
#include <string>

#include "simulator/session/loaded_model.hpp"

namespace hillock::python {

/// The model is shared by the simulations that are made of it, and nothing in it changes.
struct ModelHolder {
  std::string file;  ///< its path, as given
  std::shared_ptr<const session::LoadedModel> model;

  const models::Network& network() const { return model->network; }
};

}  // namespace hillock::python
