#include "io/page/blobs.hpp"

#include <algorithm>
#include <bit>

namespace hillock::io::page {

// A page's script reads arrays as they lie here.
static_assert(std::endian::native == std::endian::little);

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? digits[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace hillock::io::page
