#pragma once
// Morphologies that were read before, for who reads the same model again and again.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/model/cells/read_morphology_file.hpp"
#include "io/swc/swc.hpp"
#include "models/morphology.hpp"

namespace hillock::io {

/// The last few.
class KnownMorphologies {
 public:
  /// What a morphology depends on besides the file's text.
  struct How {
    std::string shown;  ///< the file's name in messages
    MorphologyFormat format = MorphologyFormat::swc;
    SomaRule rule = SomaRule::neuron8;
    double scale = 1, minimum_diameter_um = 0;

    bool operator==(const How&) const = default;
  };
  struct Known {
    std::string text;
    How how;
    models::Morphology morphology;
    Diagnostics found;  ///< on reading it
  };

  /// Null: none of this text. On any thread.
  std::shared_ptr<const Known> find(std::string_view text, const How& how) const {
    const std::lock_guard lock(mutex_);
    for (const auto& known : all_)
      if (known->how == how && known->text == text) return known;
    return nullptr;
  }
  void add(std::shared_ptr<const Known> known) {
    const std::lock_guard lock(mutex_);
    if (all_.size() == most) all_.erase(all_.begin());
    all_.push_back(std::move(known));
  }

 private:
  static constexpr std::size_t most = 16;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Known>> all_;
};

}  // namespace hillock::io
