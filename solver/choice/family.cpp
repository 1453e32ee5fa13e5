#include "solver/choice/family.hpp"

namespace hillock::solver {

const char* name_of(Family family) {
  switch (family) {
    case Family::thomas:
      return "thomas";
    case Family::hines:
      return "hines";
    case Family::branch:
      return "branch";
    case Family::stone:
      return "stone";
    default:
      return "contraction";
  }
}

std::optional<Family> family_named(std::string_view name) {
  for (const Family family : all_families)
    if (name == name_of(family)) return family;
  return std::nullopt;
}

}  // namespace hillock::solver
