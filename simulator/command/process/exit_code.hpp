#pragma once
// What a failure comes to: the command's exit code, and its words.

#include <exception>
#include <string>

#include "network/agreement.hpp"

namespace hillock::command {

enum ExitCode {
  success = 0,
  internal = 1,
  usage = 2,
  invalid = 3,
  input_output = 4,
  numerical = 5,
  exhausted = 6
};

/// A failure of another rank comes with that rank's number.
network::ToldFailure tell(const std::exception_ptr& failure);

/// What is printed, without a newline: errors of a model stand by themselves.
std::string words_of(const network::ToldFailure& failure);

}  // namespace hillock::command
