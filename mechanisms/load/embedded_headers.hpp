#pragma once
// The headers that a mechanism's source includes, as texts in the program: it compiles mechanisms
// without its source tree. The build writes them (embed_headers.cmake).

#include <span>

namespace hillock::mechanisms {

struct EmbeddedHeader {
  const char* name;  ///< as it is included: "core/pack.hpp"
  const char* text;
};

std::span<const EmbeddedHeader> embedded_headers();

}  // namespace hillock::mechanisms
