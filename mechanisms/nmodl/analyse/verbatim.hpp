#pragma once
// What a VERBATIM block's C code does, as far as it is nothing.

#include <string>
#include <vector>

namespace hillock::nmodl {

/// C code without comments, blanks, lines that #include a file and `static const char id[] = "…";`.
std::string doing_code(const std::string& verbatim);

/// The x of `x = _ion_x;`, when code of doing_code() is nothing but these; else none.
std::vector<std::string> taken_from_ions(const std::string& code);

}  // namespace hillock::nmodl
