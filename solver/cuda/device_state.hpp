#pragma once
// Whether a GPU can be used, and if not, why: what CUDA answers, in words. A build without CUDA has
// an answer too.

#include <cstddef>
#include <string>

namespace hillock::solver {

/// What CUDA answers when it is asked for a device. Empty texts: nothing is wrong.
struct DeviceAnswers {
  bool is_built = true;     ///< this build has CUDA
  int driver_version = 0;   ///< of CUDA: 13000; 0: there is no driver
  int runtime_version = 0;  ///< that this build needs
  int devices = 0;
  std::string count_problem;
  std::string visible;     ///< CUDA_VISIBLE_DEVICES, as "CUDA_VISIBLE_DEVICES=3"; empty: not set
  std::string name;        ///< "NVIDIA H200"
  int capability = 0;      ///< 90
  bool is_closed = false;  ///< compute mode prohibited
  enum class Context { made, device_is_taken, no_memory, refused } context = Context::made;
  std::string context_problem;
};

struct DeviceState {
  enum class Kind { usable, absent, refused };
  Kind kind = Kind::usable;
  std::string why;  ///< not usable: a sentence without its end
};

/// absent: there is no GPU, or nothing that could use one; refused: there is one, which is too old,
/// busy or broken. least: the compute capability that is needed.
DeviceState judge(const DeviceAnswers& answers, int least);

/// Asks CUDA, for as long as it takes to make a context on the device (some tenths of a second).
DeviceAnswers ask_device(int device = 0);

/// "78.9 GB", or "12 MB" where it is less than one.
std::string gigabytes(std::size_t bytes);

/// Memory of a device.
struct DeviceRoom {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

/// That of the current device, by now. Throws DeviceError.
DeviceRoom room_of_device();

}  // namespace hillock::solver
