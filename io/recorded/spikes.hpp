#pragma once
// Private: a run's file of spikes on its page.

#include "io/columns/confined_file.hpp"
#include "io/recorded/reading.hpp"

namespace hillock::io::recorded {

/// The last spike's time, or 0.
double last_spike_ms(ConfinedFile& file, const Reading& reading);

/// The page's `populations`. Throws InputOutputError.
Json read_spikes(ConfinedFile& file, Reading& reading);

}  // namespace hillock::io::recorded
