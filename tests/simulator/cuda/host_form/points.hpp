#pragma once
// Networks with point neurons, whose spikes, samples and states must be the CPU's to the bit.

#include <string>
#include <vector>

namespace host_form {

/// Runs a model on so many ranks that are threads with the CPU and with a device's kernels, saves
/// it half way, and resumes each from what either of them saved. A run that fails on the CPU must
/// fail at the same place. settings: of the device's runs. Throws std::runtime_error.
void check_points(const std::string& file, const std::string& duration, int ranks,
                  const std::vector<std::string>& settings);

}  // namespace host_form
