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
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  /// Once, at the end.
  std::string digits();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hillock
