#pragma once
// The mechanisms that one model may use: the built-in ones, and those loaded for it.

#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/signature.hpp"
#include "mechanisms/catalogue.hpp"

namespace hillock::mechanisms {

/// Begins with the catalogue. Copies share their mechanisms, which stay where they are.
class Registry {
 public:
  /// The mechanism of that name, or null: a loaded one before a built-in one.
  const Mechanism* find(const std::string& name) const;
  /// The built-in mechanism behind a key of models (iclamp, seclamp, g of a gap junction), which
  /// stays what it is when a loaded one has its name; then its own tells it from that one.
  const Mechanism& of_key(const std::string& name) const;
  /// Whether a loaded mechanism has the name of a built-in one.
  bool replaces_builtin(const std::string& name) const;
  /// Adds a mechanism whose name no other loaded one has.
  void add(std::shared_ptr<const Mechanism> mechanism);
  /// What `io` checks models against.
  Signatures signatures() const;

 private:
  static std::string name_when_replaced(const std::string& name);

  std::vector<std::shared_ptr<const Mechanism>> loaded_;
  std::vector<std::shared_ptr<const Mechanism>> renamed_;  ///< built-in ones that are replaced
};

}  // namespace hillock::mechanisms
