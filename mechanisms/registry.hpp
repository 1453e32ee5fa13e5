#pragma once
// The mechanisms that one model may use: the built-in ones, and those loaded for it.

#include <memory>
#include <string>
#include <vector>

#include "core/signature.hpp"
#include "mechanisms/catalogue.hpp"

namespace hillock::mechanisms {

/// Begins with the catalogue. Copies share their mechanisms, which stay where they are.
class Registry {
 public:
  /// The mechanism of that name, or null.
  const Mechanism* find(const std::string& name) const;
  /// Adds a mechanism whose name is free.
  void add(std::shared_ptr<const Mechanism> mechanism);
  /// What `io` checks models against.
  Signatures signatures() const;

 private:
  std::vector<std::shared_ptr<const Mechanism>> loaded_;
};

}  // namespace hillock::mechanisms
