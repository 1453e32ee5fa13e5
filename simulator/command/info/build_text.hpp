#pragma once
// What this Hillock is and finds on this machine: what a report of a bug should say.

#include <string>

namespace hillock::command {

/// A line each: version, compiler, instruction sets, GPU, MPI, HDF5, C++ compiler, cache, library of
/// models. What is not there says why.
std::string describe_build();

}  // namespace hillock::command
