#include "io/circuit/origins.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::io::circuit {

SectionText& SectionText::operator+=(std::string_view entry) {
  text_ += entry;
  lines_ += static_cast<int>(std::ranges::count(entry, '\n'));
  return *this;
}

void Origins::add(int line, const SectionText& section) {
  for (const auto& [at, origin] : section.origins()) lines_.insert_or_assign(line + at, origin);
}

void Origins::add_table(const std::string& name, TableOrigin origin) {
  tables_.insert_or_assign(name, std::move(origin));
}

Diagnostic Origins::in_circuit(const Diagnostic& found, const std::string& model) const {
  Diagnostic told = found;
  if (found.place.file == model) {
    const auto next = lines_.upper_bound(found.place.line);
    if (next == lines_.begin()) return told;
    const Origin& origin = std::prev(next)->second;
    if (!origin.place.file.empty()) told.place = origin.place;
    if (!origin.in_model.empty() && told.message.starts_with(origin.in_model))
      told.message.replace(0, origin.in_model.size(), origin.in_circuit);
  } else if (const auto table = tables_.find(found.place.file); table != tables_.end()) {
    const TableOrigin& origin = table->second;
    told.place = {origin.file, 0, 0};
    const int row = found.place.line - 2;  // behind the line of names
    if (row >= 0 && static_cast<std::size_t>(row) < origin.rows.size())
      told.message = fmt::format("{} {}: {}", origin.what,
                                 origin.rows[static_cast<std::size_t>(row)], found.message);
  }
  return told;
}

}  // namespace hillock::io::circuit
