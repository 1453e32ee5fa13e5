#pragma once
// Collects what a map holds. What is wrong is reported by whoever reads it; the rest of the map is
// read all the same, so that all its errors come in one go, and nothing is made of it in the end.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// Entries that are not there leave what they would go into as it was, and so do wrong ones.
class ValueReader {
 public:
  /// good: what was read before: `ValueReader read(map.finish())`.
  explicit ValueReader(bool good = true) : good_(good) {}

  /// Notes what a reader returned: false or nothing after an error. True when it was good.
  template <class Result>
  bool note(const Result& result) {
    const bool is_good = static_cast<bool>(result);
    good_ = good_ && is_good;
    return is_good;
  }
  /// The same, and moves what was read to where it belongs.
  template <class Read, class To>
  bool take(std::optional<Read> result, To& to) {
    if (result) to = static_cast<To>(std::move(*result));
    return note(result);
  }
  /// Reports what only the map as a whole shows.
  void error(const Item& item, std::string_view problem) { error_at(item, item.place(), problem); }
  void error_at(const Item& item, const Place& place, std::string_view problem) {
    item.error_at(place, problem);
    good_ = false;
  }

  // Each returns true when the entry is there and good.
  bool value(ReadContext& context, const std::optional<Item>& item, const Slot& slot,
             models::Value& to) {
    return item && take(read_value(context, *item, slot), to);
  }
  bool constant(const std::optional<Item>& item, const Slot& slot, double& to) {
    return item && take(read_constant(*item, slot), to);
  }
  template <class To>
  bool whole_number(const std::optional<Item>& item, std::int64_t minimum, std::int64_t maximum,
                    To& to) {
    return item && take(item->whole_number(minimum, maximum), to);
  }

  bool good() const { return good_; }
  /// What was made of the map, or nothing after an error.
  template <class Result>
  std::optional<Result> result(Result& made) const {
    return good_ ? std::optional<Result>(std::move(made)) : std::nullopt;
  }

 private:
  bool good_;
};

}  // namespace hillock::io
