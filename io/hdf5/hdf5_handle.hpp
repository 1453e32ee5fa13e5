#pragma once
// Private: an HDF5 identifier that closes itself. Not here: what goes into a file.

#include <hdf5.h>

#include <utility>

namespace hillock::io::hdf5 {

/// What comes before the first call: errors are thrown, not printed, and when the program ends HDF5
/// leaves files alone that it could not close (it crashes over one whose disk was full).
inline void begin_library() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Owns one HDF5 identifier. A negative identifier is "none".
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  ~Handle() { reset(); }

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

  /// Closes now; false when HDF5 reports a failure.
  bool reset() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace hillock::io::hdf5
