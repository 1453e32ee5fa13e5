#pragma once
// SHA-256 of texts.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hillock {

/// As 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// The same of what comes piece by piece.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256& other);
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  /// Of all that was added until now; more may come.
  std::string digits() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hillock
