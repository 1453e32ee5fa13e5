#pragma once
// Libraries of Hillock's that are loaded when a run asks for what they do.

#include <filesystem>
#include <string>
#include <vector>

namespace hillock {

/// Where a library may lie: beside the program, or where programs' libraries are installed.
std::vector<std::filesystem::path> places_of_library(const std::string& name);

}  // namespace hillock
