#pragma once
// Private: what Hillock and the program hillock-read-columns say to each other. Both are built
// together and run on one machine: numbers are as they lie in memory.

#include <cstdint>

#include "io/columns/part.hpp"

namespace hillock::io::columns {

/// Sent by the reader before it takes anything: it is there, and confined.
constexpr std::uint64_t hello = 0x31'6c'6f'43'6b'6c'69'48;

/// What is asked for. Then come, for each dataset, the length of its path (64 bits) and the path;
/// then the file.
struct Request {
  std::uint64_t datasets = 0;
  std::uint64_t most_values = 0;  ///< of a dataset
  std::uint64_t cpu_seconds = 0;  ///< the reader may use
  std::uint64_t file_bytes = 0;
  Part part;  ///< of each dataset's values
};

/// Why a dataset is not read. `damaged` is also what the caller makes of a reader that dies.
enum class Problem : std::uint32_t {
  none,
  not_hdf5,
  no_dataset,
  external_link,
  virtual_dataset,
  external_storage,
  filter,  ///< detail: its number
  not_numbers,
  not_one_dimensional,
  too_many_values,
  damaged
};
constexpr std::uint32_t problems = static_cast<std::uint32_t>(Problem::damaged) + 1;

/// Of each dataset, in the order asked for, until the first problem; then come the part's values as
/// doubles.
struct Answer {
  std::uint32_t problem = 0;
  std::uint32_t detail = 0;
  std::uint64_t values = 0;  ///< of the whole dataset
};

}  // namespace hillock::io::columns
