#pragma once
// Runs that begin again with other strengths of a field, several copies of each cell at once.

#include <string>

namespace host_form {

/// Copies of cells on a device must spike as the CPU's cells do that feel so much of the first
/// field, whatever they felt before; and those as cells of a run of their own. A search for
/// thresholds finds the same with either. Throws std::runtime_error where they do not.
void check_again(const std::string& file, const std::string& duration);

}  // namespace host_form
