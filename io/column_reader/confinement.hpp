#pragma once
// What this process gives up before it touches a stranger's file. A fault in the library that reads
// the file can then do no more than end this process.

#include <cstdint>

namespace hillock::io::columns {

/// Closes every file but standard input, output and error. From here on this process makes and
/// opens no files, starts no processes, leaves no core dump, ends with its parent, is ended by
/// SIGXCPU after this much computing and gets no more memory than this. Where Linux has seccomp,
/// all calls but those of reading, writing and memory fail.
void confine(std::uint64_t cpu_seconds, std::uint64_t memory_bytes);

}  // namespace hillock::io::columns
