#pragma once
// Memory that a thread will take in many small pieces.

namespace hillock::simulator {

/// Before several threads build something large: what they give back stays with them.
void keep_thread_memory();

/// Before one thread builds something: all threads of the process share its memory. Those that only
/// write what it made would keep megabytes of their own.
void share_thread_memory();

/// The calling thread takes its next megabytes from the system at once. Otherwise every few pieces
/// are asked for on their own, and each request stops all threads that touch new memory.
void take_thread_memory();

}  // namespace hillock::simulator
