#pragma once
// Diameters that `regions:` sets in place of the morphology's, as NEURON's `dend.diam = 2`.

#include <optional>
#include <variant>
#include <vector>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Collects them, so that later entries win.
class Diameters {
 public:
  explicit Diameters(ReadContext& context) : context_(context) {}

  /// A number or an expression of the place and of the diameter there; nothing after an error.
  std::optional<models::Value> read(const Item& item);
  /// Sets it on the whole branches of a region. What is wrong is reported at the item.
  void set(const models::Region& region, models::Value diameter, const Item& item);
  /// Changes the points of a morphology: each has what the last setting that holds its branch says.
  void apply(std::variant<models::Morphology, models::RandomTree>& to) const;

 private:
  struct Setting {
    models::Region region;
    models::Value diameter;
    Item item;
  };

  ReadContext& context_;
  std::vector<Setting> settings_;
};

}  // namespace hillock::io
