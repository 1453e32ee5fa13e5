#include "mechanisms/registry.hpp"

#include <utility>

namespace hillock::mechanisms {

const Mechanism* Registry::find(const std::string& name) const {
  for (const auto& mechanism : catalogue())
    if (mechanism.signature.name == name) return &mechanism;
  for (const auto& mechanism : loaded_)
    if (mechanism->signature.name == name) return mechanism.get();
  return nullptr;
}

void Registry::add(std::shared_ptr<const Mechanism> mechanism) {
  loaded_.push_back(std::move(mechanism));
}

Signatures Registry::signatures() const {
  Signatures all;
  for (const auto& mechanism : catalogue())
    all.emplace(mechanism.signature.name, mechanism.signature);
  for (const auto& mechanism : loaded_)
    all.emplace(mechanism->signature.name, mechanism->signature);
  return all;
}

}  // namespace hillock::mechanisms
