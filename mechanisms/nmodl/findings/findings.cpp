#include "mechanisms/nmodl/findings/findings.hpp"

#include "core/index.hpp"

namespace hillock::nmodl {

int Findings::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<int>(files_.size()) - 1;
}

Place Findings::place(Position position) const {
  return {files_.at(at(position.file)), position.line, position.column};
}

void Findings::error(Position position, std::string message) {
  if (diagnostics_.error_count() < most) {
    diagnostics_.error(place(position), std::move(message));
  } else if (diagnostics_.error_count() == most) {
    diagnostics_.error(place(position), "too many errors; those after this one are not shown");
  }
}

void Findings::warning(Position position, std::string message) {
  if (warnings_++ < most) diagnostics_.warning(place(position), std::move(message));
}

}  // namespace hillock::nmodl
