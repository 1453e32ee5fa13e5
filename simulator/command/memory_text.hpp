#pragma once
// How much memory the process has, and what a user is told when that does not suffice.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace hillock::command {

/// What a failure says; that memory or threads did not suffice is said in words, with how much
/// memory this process has held, how much there is, and what helps.
std::string describe(const std::exception& failure);

/// What this process holds now, and the code of the program and its libraries, which comes into
/// memory as it is used. In bytes; 0 when the system does not say.
std::size_t program_bytes();

/// Of this machine, or less where the process is limited to less; infinite when the system does not
/// say.
double available_bytes();

/// A run that would need more memory than there is.
class DoesNotFit : public std::runtime_error {
 public:
  DoesNotFit(double needed_bytes, double available_bytes, int processes);

  double needed_bytes, available_bytes;
};

/// Before anything is built. bytes: of all processes of the run on this machine together, of which
/// this one is one. Throws DoesNotFit when that is more than there is.
void check_fits(std::uint64_t bytes, int processes);

/// Whether a failure is that memory or threads did not suffice, or would not.
bool is_exhaustion(const std::exception& failure);

}  // namespace hillock::command
