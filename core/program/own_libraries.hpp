#pragma once
// Libraries of Hillock's that are loaded when a run asks for what they do.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hillock {

/// Where a library may lie: beside the program, or where programs' libraries are installed.
std::vector<std::filesystem::path> places_of_library(const std::string& name);

/// The folder of Python's packages, where this is the one of them (a wheel): what others of them
/// bring lies beside it. Nothing where it is a program for itself.
std::optional<std::filesystem::path> python_packages();

}  // namespace hillock
