#pragma once
// What a failure comes to: the command's exit code, and its words.

#include <exception>

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

/// The text ends without a newline. Of an interruption it is what report_interruption() says.
network::ToldFailure tell(const std::exception_ptr& failure);

}  // namespace hillock::command
