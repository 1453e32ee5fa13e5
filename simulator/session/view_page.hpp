#pragma once
// The page that shows a model before it runs.

#include <string>

#include "simulator/session/loaded_model.hpp"

namespace hillock::session {

/// One HTML file. Throws what connecting throws.
std::string view_page(const LoadedModel& model, const std::string& title);

}  // namespace hillock::session
