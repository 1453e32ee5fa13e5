#pragma once
// The models of templates/ as texts in the program. The build writes them
// (cmake/embed_texts.cmake).

#include <span>

namespace hillock::command {

struct StartingModel {
  const char* name;  ///< "cells.yaml"
  const char* text;
};

/// The first is what is made where nobody asks for another.
std::span<const StartingModel> starting_models();

}  // namespace hillock::command
