#pragma once
// Reads the waveforms of a current clamp: times and currents, one for all cells or one for each.

#include <optional>
#include <string>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// `{times: [...], currents: [...]}`, or `{csv: file}` with the columns time and current; of
/// several currents `column: NAME` is that of all cells, `number: "mod(index, 4)"` says which a
/// cell has, and without either every cell has its own. what: "current".
std::optional<models::CurrentClamp> read_waveform(ReadContext& context, const Item& item,
                                                  const std::string& unit,
                                                  const char* what = "current");

}  // namespace hillock::io
