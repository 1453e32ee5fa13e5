#include "io/morphology/measures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::io {

namespace {

constexpr std::size_t most_places = 5;

}  // namespace

void ThicknessCheck::add(Found& found, std::string_view text, int line, int column) const {
  if (found.count++ == 0) found.first_text = text;
  if (found.places.size() < most_places) found.places.push_back({file_, line, column});
}

double ThicknessCheck::checked_diameter_um(double thickness_um, std::string_view text, int line,
                                           int column) {
  const double diameter_um = halves_ * thickness_um;
  const double minimum_um = measures_.minimum_diameter_um;
  if (minimum_um > 0 && diameter_um < minimum_um) {
    if (diameter_um <= 0) add(raised_, text, line, column);
    return minimum_um;
  }
  if (diameter_um <= 0)
    add(not_positive_, text, line, column);
  else if (diameter_um < smallest_diameter_um)
    add(too_small_, text, line, column);
  return diameter_um;
}

/// "line 3", "lines 3, 5 and 9", "lines 3, 5, 9, 12, 14, ..."
std::string ThicknessCheck::lines_of(const Found& found) const {
  std::string lines;
  for (std::size_t i = 0; i < found.places.size(); ++i) {
    const bool last = i + 1 == found.count;
    if (i > 0) lines += last ? " and " : ", ";
    lines += fmt::format("{}", found.places[i].line);
  }
  if (found.count > found.places.size()) lines += ", ...";
  return (found.count == 1 ? "line " : "lines ") + lines;
}

bool ThicknessCheck::report(Diagnostics& diagnostics) const {
  if (not_positive_.count == 1)
    diagnostics.error(not_positive_.places[0],
                      fmt::format("{} {} must be positive. Raise it with minimum_diameter?", word_,
                                  not_positive_.first_text));
  else if (not_positive_.count > 1)
    diagnostics.error(not_positive_.places[0],
                      fmt::format("{} {} are not positive ({}). Raise them with minimum_diameter?",
                                  not_positive_.count, words_, lines_of(not_positive_)));
  if (too_small_.count == 1)
    diagnostics.error(too_small_.places[0],
                      fmt::format("{} {} is too small (less than a picometre). Is the file in um?",
                                  word_, too_small_.first_text));
  else if (too_small_.count > 1)
    diagnostics.error(
        too_small_.places[0],
        fmt::format("{} {} are too small (less than a picometre; {}). Is the file in um?",
                    too_small_.count, words_, lines_of(too_small_)));
  if (raised_.count > 0)
    diagnostics.warning(
        raised_.places[0],
        fmt::format("{} {} that {} not positive {} minimum_diameter ({})", raised_.count,
                    raised_.count == 1 ? word_ : words_, raised_.count == 1 ? "is" : "are",
                    raised_.count == 1 ? "gets" : "get", lines_of(raised_)));
  return not_positive_.count == 0 && too_small_.count == 0;
}

}  // namespace hillock::io
