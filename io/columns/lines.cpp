#include "io/columns/lines.hpp"

#include <algorithm>
#include <string>

namespace hillock::io {

namespace {

/// Whole lines, and where in the text they stand.
class LinesOfPart {
 public:
  LinesOfPart(std::uint64_t size, const Part& part, const TakeLines& take)
      : borders_{part.begin(size), part.end(size)}, take_(take) {}

  bool give(std::string_view lines) {
    bool is_of_part = false;
    for (const std::uint64_t border : borders_) {
      const std::size_t before = lines_before(lines, border);
      if (before > 0 && !take_(lines.substr(0, before), is_of_part)) return false;
      at_ += before;
      lines.remove_prefix(before);
      is_of_part = true;
    }
    at_ += lines.size();
    return lines.empty() || take_(lines, false);
  }

 private:
  /// The bytes of the lines that begin before a place in the text.
  std::size_t lines_before(std::string_view lines, std::uint64_t place) const {
    if (place <= at_) return 0;
    if (place - at_ > lines.size()) return lines.size();
    const std::size_t end = lines.find('\n', place - at_ - 1);
    return end == std::string_view::npos ? lines.size() : end + 1;
  }

  std::uint64_t borders_[2];
  const TakeLines& take_;
  std::uint64_t at_ = 0;
};

}  // namespace

void each_lines(Blocks& text, const Part& part, const TakeLines& take) {
  LinesOfPart lines(text.size(), part, take);
  std::string whole, rest;  // lines that are complete, and the beginning of one that is not
  for (std::string_view block = text.next(); !block.empty(); block = text.next()) {
    const std::size_t end = block.rfind('\n');
    if (end == std::string_view::npos) {
      rest += block;
      continue;
    }
    if (!whole.empty() && !lines.give(whole)) return;
    whole = std::move(rest);
    whole += block.substr(0, end + 1);
    rest = block.substr(end + 1);
  }
  whole += rest;
  if (!whole.empty()) lines.give(whole);
}

}  // namespace hillock::io
