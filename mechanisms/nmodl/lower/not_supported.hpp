#pragma once

#include "core/errors/errors.hpp"
#include "mechanisms/nmodl/findings/position.hpp"

namespace hillock::nmodl {

/// A construct that is understood but cannot be emitted yet.
class NotSupported : public Error {
 public:
  NotSupported(Position position, const std::string& what)
      : Error("not supported yet: " + what), position_(position) {}
  Position position() const { return position_; }

 private:
  Position position_;
};

}  // namespace hillock::nmodl
