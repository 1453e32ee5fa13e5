// Spikes of a run that somebody of NEURON's asked for, until they are told.

#pragma once

namespace of_hillock {

void forget_spikes();

/// What NetCon.record() and ParallelContext.spike_record() asked for gets them, in NEURON's order;
/// what is called there sees their times as t, which is the run's end again behind it. What a
/// script calls there may end NEURON's statement: no frame of Python's is in between.
void note_spikes();

}  // namespace of_hillock
