#pragma once
// What a user is told when memory does not suffice.

#include <exception>
#include <string>

namespace hillock::command {

/// What a failure says; that memory or threads did not suffice is said in words, with how much
/// memory this process has held, how much there is, and what helps.
std::string describe(const std::exception& failure);

/// Whether a failure is that memory or threads did not suffice.
bool is_exhaustion(const std::exception& failure);

}  // namespace hillock::command
