#pragma once
// How much memory the process has, and what a user is told when that does not suffice.

#include <cstddef>
#include <exception>
#include <string>

namespace hillock::command {

/// What a failure says; that memory or threads did not suffice is said in words, with who asked for
/// how much, how much memory this process has held, how much there is, and what helps.
std::string describe(const std::exception& failure);

/// What this process holds now, and the code and constants of the program and its libraries, which
/// come into memory as they are used. In bytes; 0 when the system does not say.
std::size_t program_bytes();

/// What is free on this machine, or less where this process may not have that (free_memory.hpp);
/// infinite when the system does not say.
double available_bytes();

/// In bytes, kB, MB or GB.
std::string size_text(double bytes);

/// Whether a failure is that memory or threads did not suffice.
bool is_exhaustion(const std::exception& failure);

}  // namespace hillock::command
