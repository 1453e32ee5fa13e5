#pragma once
// What is wrong with a command line, in words, with what was probably meant.

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace hillock {

/// Explains what `parser.parse` threw: names the word that is not known, and the nearest that is.
std::string explain(const CLI::App& parser, const CLI::ParseError& error);

/// Whether it was no error but a request for help or the version, which is then printed.
bool print_what_was_asked(const CLI::App& parser, const CLI::ParseError& error);

}  // namespace hillock
