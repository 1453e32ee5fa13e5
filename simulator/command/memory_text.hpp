#pragma once
// What a user is told when memory does not suffice.

#include <exception>
#include <string>

namespace hillock::command {

/// How much memory this process has held, how much there is, and what helps.
std::string memory_text();

/// What a failure says; that memory or threads did not suffice is said in words.
std::string describe(const std::exception& failure);

/// Whether a failure is that memory or threads did not suffice.
bool is_exhaustion(const std::exception& failure);

}  // namespace hillock::command
