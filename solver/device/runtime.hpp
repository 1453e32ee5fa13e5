#pragma once
// A machine beside the host that has memory of its own and runs kernels: all that an engine on one
// asks for. Names no machine: cuda/ is one of them, simulator/backends/host another, which is
// the host itself. What fails throws solver::DeviceError, solver::DeviceExhausted for want of
// memory or of room for a kernel; what is given back gives no error.

#include <cstddef>
#include <string>

namespace hillock::device {

/// What is put into a stream is done in its order.
struct StreamOfDevice;
using Stream = StreamOfDevice*;
/// A point in a stream.
struct MarkOfDevice;
using Mark = MarkOfDevice*;
/// Kernels that were compiled together.
struct LibraryOfDevice;
using Library = LibraryOfDevice*;
struct KernelOfDevice;
using Kernel = KernelOfDevice*;

/// The current device.
struct Machine {
  int capability = 0;  ///< 90; what kernels are compiled for
  int multiprocessors = 0;
  int warp = 32;
  int threads = 0;                 ///< on a multiprocessor at once
  int registers = 0;               ///< of a multiprocessor
  int shared_bytes = 0;            ///< of a multiprocessor
  int block_bytes = 0;             ///< shared memory that a block may have
  bool launches_together = false;  ///< grids whose blocks wait for one another
};
Machine machine();

void* take(std::size_t bytes);
/// Null where the device has not so much.
void* try_take(std::size_t bytes);
void give_back(void* address) noexcept;
/// Memory of the host, at the same address for both.
void* take_of_host(std::size_t bytes);
void give_back_of_host(void* address) noexcept;

enum class Way { in, out, within };  ///< as the device sees it
void copy(void* to, const void* from, std::size_t bytes, Way way);
void copy(void* to, const void* from, std::size_t bytes, Way way, Stream stream);
/// Sets all bytes to 0.
void clear(void* to, std::size_t bytes);
void clear(void* to, std::size_t bytes, Stream stream);

enum class Urgency { usual, first };
Stream make_stream(Urgency urgency);
void drop(Stream stream) noexcept;
/// Whether all that was put into it is done.
bool is_done(Stream stream);
void wait(Stream stream);
/// For all streams.
void wait();
void wait_before_leaving() noexcept;

enum class Clock { none, kept };
Mark make_mark(Clock clock);
void drop(Mark mark) noexcept;
/// Behind all that is in the stream.
void record(Mark mark, Stream stream);
/// What comes into a stream from now on waits for the mark.
void hold(Stream stream, Mark mark);
void wait(Mark mark);
/// Of marks whose clock is kept, when both have been reached.
double seconds_between(Mark begin, Mark end);

Library load(const std::string& code);
void drop(Library library) noexcept;
Kernel kernel_of(Library library, const char* name);
/// What a kernel takes.
struct KernelNeed {
  int registers = 0;  ///< of a thread
  std::size_t local_bytes = 0, shared_bytes = 0;
  std::size_t first_argument_bytes = 0;
};
KernelNeed need_of(Kernel kernel);
/// Beyond what the kernel takes by itself.
void allow_shared(Kernel kernel, std::size_t bytes);

struct Grid {
  unsigned blocks = 0, threads = 0;  ///< threads: of a block
  std::size_t shared_bytes = 0;
  unsigned neighbours = 1;  ///< so many blocks begin together on multiprocessors side by side
};
/// Blocks of such a grid that run on a multiprocessor at once.
int blocks_at_once(Kernel kernel, const Grid& grid);
/// Blocks are rounded up to whole neighbourhoods.
void launch(Kernel kernel, const Grid& grid, void** arguments, Stream stream);
/// Blocks may wait for one another.
void launch_together(Kernel kernel, const Grid& grid, void** arguments, Stream stream);

/// An answer of one of the machine's own libraries, 0 where nothing is wrong.
void check(int answer, const char* call);

}  // namespace hillock::device
