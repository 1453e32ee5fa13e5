#include "io/model/values/usual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hillock::io {

namespace {

struct Kind {
  const char* unit;
  double least, greatest;
  const char* name;
  double far = 1000;  ///< times the greatest
  Usual usual = Usual::of_its_unit;
};

constexpr std::array kinds{Kind{"uS", 1e-6, 1, "conductances"},
                           Kind{"S/cm2", 1e-7, 1, "conductances of membrane"},
                           Kind{"uF/cm2", 0.1, 10, "capacitances of membrane"},
                           Kind{"ohm.cm", 10, 1000, "resistivities"},
                           Kind{"um", 0.01, 1e4, "lengths"},
                           Kind{"nA", 1e-4, 100, "currents"},
                           Kind{"mM", 1e-7, 1000, "concentrations"},
                           Kind{"um", 0.01, 1000, "diameters", 10, Usual::diameter},
                           Kind{"Hz", 1e-3, 2e4, "rates of trains", 10, Usual::rate},
                           Kind{"ms", 1e-3, 0.1, "steps of channels", 10, Usual::step}};
constexpr double far_below = 1000, over = 1 + 1e-9;  // which rounding may take

}  // namespace

void warn_of_unusual(const Item& item, const Slot& slot, std::span<const double> values,
                     std::string_view each) {
  const auto* const kind = std::ranges::find_if(kinds, [&](const Kind& one) {
    return one.usual == slot.usual && unit_of(one.unit).dimension == slot.unit.dimension;
  });
  if (kind == kinds.end()) return;
  const Unit unit = unit_of(kind->unit);
  const bool is_size = slot.minimum == 0 && slot.lower == Limit::exclusive;
  const bool may_be_small = unit.dimension == units::um.dimension && !is_size;  // a coordinate
  const double least = may_be_small ? 0 : convert(kind->least, unit, slot.unit) / far_below * over;
  const double greatest = convert(kind->greatest, unit, slot.unit) * kind->far / over;
  const auto found = std::ranges::find_if(values, [&](double value) {
    const double size = std::abs(value);
    return size >= greatest || (size <= least && size > 0);
  });
  if (found == values.end()) return;
  const std::string which =
      each.empty() ? "" : fmt::format("{} {}: ", each, found - values.begin());
  const bool is_great = std::abs(*found) >= greatest;
  item.warning(fmt::format(
      "{}{} is at least {} times {} than {} usually are, {:g} to {:g} "
      "{}; is it in another unit?",
      which, show(*found, slot.unit_text), is_great && kind->far < 1000 ? "ten" : "a thousand",
      is_great ? "greater" : "smaller", kind->name, kind->least, kind->greatest, kind->unit));
}

}  // namespace hillock::io
