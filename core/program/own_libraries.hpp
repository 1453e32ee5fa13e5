#pragma once
// Libraries and programs of Hillock's own, which are loaded or started when a run asks for what
// they do.

#include <filesystem>
#include <optional>
#include <string>

namespace hillock {

/// The file of that name, if it is there: beside the program, where programs' libraries are
/// installed, or beside Python's module that this is part of.
std::optional<std::filesystem::path> find_own_file(const std::string& name);

/// The folder of Python's packages, where this is the one of them (a wheel): what others of them
/// bring lies beside it. Nothing where it is a program for itself.
std::optional<std::filesystem::path> python_packages();

}  // namespace hillock
