#pragma once
// Sources as texts in the program, which compiles mechanisms without its source tree, for the CPU
// and for devices. The build writes them (embed_texts.cmake).

#include <span>

namespace hillock::mechanisms {

struct EmbeddedText {
  const char* name;  ///< as it is included: "core/simd/pack.hpp"
  const char* text;
};

/// The headers of evaluators and of the loops around them, with all that these include.
std::span<const EmbeddedText> embedded_headers();

/// The evaluators of the catalogue, in its order.
std::span<const EmbeddedText> emitted_evaluators();
/// What these were emitted from, in the same order.
std::span<const EmbeddedText> catalogue_texts();

}  // namespace hillock::mechanisms
