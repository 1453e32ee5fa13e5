#include "mechanisms/registry.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace hillock::mechanisms {

namespace {

const Mechanism* find_builtin(const std::string& name) {
  for (const auto& mechanism : catalogue())
    if (mechanism.signature.name == name) return &mechanism;
  return nullptr;
}

}  // namespace

const Mechanism* Registry::find(const std::string& name) const {
  for (const auto& mechanism : loaded_)
    if (mechanism->signature.name == name) return mechanism.get();
  return find_builtin(name);
}

const Mechanism& Registry::of_key(const std::string& name) const {
  for (const auto& mechanism : renamed_)
    if (mechanism->signature.name == name_when_replaced(name)) return *mechanism;
  return *find_builtin(name);
}

bool Registry::replaces_builtin(const std::string& name) const {
  return find_builtin(name) && std::ranges::any_of(loaded_, [&](const auto& mechanism) {
           return mechanism->signature.name == name;
         });
}

void Registry::add(std::shared_ptr<const Mechanism> mechanism) {
  if (const Mechanism* const builtin = find_builtin(mechanism->signature.name)) {
    auto renamed = std::make_shared<Mechanism>(*builtin);
    renamed->signature.name = name_when_replaced(builtin->signature.name);
    renamed_.push_back(std::move(renamed));
  }
  loaded_.push_back(std::move(mechanism));
}

Signatures Registry::signatures() const {
  Signatures all;
  for (const auto& mechanism : catalogue())
    all.emplace(mechanism.signature.name, mechanism.signature);
  for (const auto& mechanism : loaded_)
    all.insert_or_assign(mechanism->signature.name, mechanism->signature);
  return all;
}

std::string Registry::name_when_replaced(const std::string& name) {
  return name + " (built-in)";
}

}  // namespace hillock::mechanisms
