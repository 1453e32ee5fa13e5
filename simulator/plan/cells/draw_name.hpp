#pragma once
// What is drawn, named by a text that is never written: its FNV-1a hash is part of a random key.

#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace hillock::simulator {

class DrawName {
 public:
  DrawName() = default;
  DrawName(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) add(part);
  }

  DrawName& add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return *this;
  }
  /// In decimal digits.
  DrawName& add(std::uint64_t number) {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }

  /// Of the text so far. Deterministic on all machines.
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Tells apart the draws of synapses at one node: ":3:17:0".
struct SynapseKey {
  std::string_view text;
  std::array<std::uint64_t, 3> numbers{};
  std::size_t count = 0;  ///< of the numbers, each of which comes after a colon

  void add_to(DrawName& name) const {
    name.add(text);
    for (std::size_t i = 0; i < count; ++i) name.add(":").add(numbers[i]);
  }
};

}  // namespace hillock::simulator
