#pragma once
// One measured figure as a line of JSON. Plain C++ that .cu files may include.

#include <string>
#include <string_view>

namespace hillock::bench {

/// Members in the order in which they are added.
class Row {
 public:
  Row& text(std::string_view key, std::string_view value);
  /// Six digits; null where the number is not finite.
  Row& number(std::string_view key, double value);
  /// All members of another row.
  Row& members(const Row& other);
  std::string json() const { return "{" + members_ + "}"; }

 private:
  void add(std::string_view key, const std::string& value);
  std::string members_;
};

}  // namespace hillock::bench
