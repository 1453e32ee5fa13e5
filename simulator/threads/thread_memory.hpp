#pragma once
// Memory that a thread will take in many small pieces.

namespace hillock::simulator {

/// Pieces of so many bytes come from the system and go back to it (glibc).
inline constexpr int large_piece_bytes = 4 << 20;

/// Before anything large is built: what threads give back stays with them, but for large pieces.
void keep_thread_memory();

/// Before one thread builds something: all threads of the process share its memory. Those that only
/// write what it made would keep megabytes of their own.
void share_thread_memory();

/// Between two phases: what is free in the process goes back to the system. What one thread gave
/// back would not serve the others.
void return_free_memory();

/// The calling thread takes its next megabytes from the system at once. Otherwise every few pieces
/// are asked for on their own, and each request stops all threads that touch new memory.
void take_thread_memory();

}  // namespace hillock::simulator
