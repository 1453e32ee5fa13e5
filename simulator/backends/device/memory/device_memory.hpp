#pragma once
// Memory of a device for a run, counted as it is asked for: how much a run needs is what the code
// that fills it has asked for, also where the device has less.

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "simulator/backends/device_report.hpp"
#include "solver/cuda/device_state.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

/// An array that DeviceMemory owns. While that has not all that was asked for, nothing is copied.
template <class T>
class DeviceView {
 public:
  DeviceView() = default;
  DeviceView(T* data, std::size_t size, const bool* is_there)
      : data_(data), size_(size), is_there_(is_there) {}

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Some elements, from the first or a later one on.
  void upload(std::span<const T> host, std::size_t first = 0) const {
    if (is_there() && !host.empty())
      device::copy(data_ + first, host.data(), host.size_bytes(), device::Way::in);
  }
  /// The first elements.
  void download(std::span<T> host) const {
    if (is_there() && !host.empty())
      device::copy(host.data(), data_, host.size_bytes(), device::Way::out);
  }
  /// Sets some elements, which lie side by side, to one value.
  void fill(const T& value, std::size_t first, std::size_t count) const {
    if (!is_there() || count == 0) return;
    constexpr std::size_t most = std::size_t{64} << 10;
    const std::vector<T> some(std::min(count, most), value);
    upload(some, first);
    for (std::size_t done = some.size(), more = 0; done < count; done += more) {
      more = std::min(done, count - done);
      device::copy(data_ + first + done, data_ + first, more * sizeof(T), device::Way::within);
    }
  }
  /// Sets all bytes to 0.
  void clear() const {
    if (is_there() && size_ > 0) device::clear(data_, size_ * sizeof(T));
  }

 private:
  bool is_there() const { return is_there_ && *is_there_; }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  const bool* is_there_ = nullptr;  ///< of the memory
};

/// Given back at the end. Once the device has no more, what is asked for is only counted, and
/// need_all() tells of it; what is asked for after that is there, or solver::DeviceExhausted is
/// thrown.
class DeviceMemory {
 public:
  enum class Kind { taken, counted };
  /// On the current device. counted: nothing is taken.
  explicit DeviceMemory(Kind kind);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Elements as they come. The view lives no longer than this.
  template <class T>
  DeviceView<T> take(std::size_t size, DeviceUse use) {
    return {static_cast<T*>(take_bytes(size * sizeof(T), use)), size, &is_there_};
  }
  template <class T>
  DeviceView<T> put(std::span<const T> values, DeviceUse use) {
    const DeviceView<T> view = take<T>(values.size(), use);
    view.upload(values);
    return view;
  }

  /// Gives an array back for one of another size, which has nothing of its content.
  template <class T>
  void renew(DeviceView<T>& view, std::size_t size, DeviceUse use) {
    give_back(view.data(), view.size() * sizeof(T), use);
    view = take<T>(size, use);
  }

  /// Whether there is memory behind everything that was asked for.
  bool is_there() const { return is_there_; }
  const DeviceBytes& bytes() const { return bytes_; }
  /// The device, and what was asked of its memory.
  DeviceReport report() const;
  /// Throws solver::DeviceExhausted with figures when the device had too little. Of counted memory
  /// nothing is missing.
  void need_all();

 private:
  /// An address, of nothing where nothing was taken.
  void* take_bytes(std::size_t bytes, DeviceUse use);
  void give_back(void* address, std::size_t bytes, DeviceUse use);

  Kind kind_;
  bool is_there_;
  bool is_complete_ = false;  ///< everything is there that a run begins with
  solver::DeviceRoom room_;
  DeviceBytes bytes_;
  std::set<void*> taken_;
};

}  // namespace hillock::simulator::on_device
