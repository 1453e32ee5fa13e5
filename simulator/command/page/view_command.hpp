#pragma once
// `hillock view`: one HTML file that shows a model before it runs.

#include <string>

#include "simulator/command/process/loaded_model.hpp"

namespace hillock::command {

struct ViewOptions {
  ModelOptions model;
  std::string output;  ///< empty: the model's name with .html
};

/// Writes the page. Throws what loading and connecting throw, and InputOutputError.
void write_view(const ViewOptions& options);

}  // namespace hillock::command
