#pragma once
// Private: a run's reports on its page.

#include "io/columns/confined_file.hpp"
#include "io/recorded/reading.hpp"

namespace hillock::io::recorded {

/// The end of the last sample of any of its populations, or 0.
double last_sample_ms(ConfinedFile& file);

/// One item of the page's `reports` for each population of a file. share: of how many files the
/// room for values is. Throws InputOutputError.
std::vector<Json> read_report(ConfinedFile& file, const std::string& name, std::size_t share,
                              Reading& reading);

}  // namespace hillock::io::recorded
