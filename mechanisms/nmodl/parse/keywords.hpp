#pragma once
// The words of NMODL that cannot be names.

#include <string_view>

namespace hillock::nmodl {

bool is_keyword(std::string_view word);

/// A word that opens a block at the top level, INITIAL included.
bool opens_block(std::string_view word);

}  // namespace hillock::nmodl
