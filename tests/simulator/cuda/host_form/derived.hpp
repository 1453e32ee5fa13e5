#pragma once
// Derivatives of runs by either backend.

#include <span>
#include <string>

namespace host_form {

/// values: "path=number"; with another text it is a setting. Throws std::runtime_error where the
/// derivatives differ by more than rounding.
void check_derived(const std::string& file, const std::string& duration,
                   std::span<const std::string> values);

}  // namespace host_form
