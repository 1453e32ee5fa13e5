#pragma once
// What is wrong with a command line, in words, with what was probably meant.

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace hillock {

/// Explains what `parser.parse` threw: names the word that is not known, and the nearest that is.
std::string explain(const CLI::App& parser, const CLI::ParseError& error);

/// What is wrong with an option's word that has to be one of some; empty when it is one.
std::string unless_among(const std::string& word, const std::vector<std::string>& known);

/// Whether it was no error but a request for help or the version, which is then printed.
bool print_what_was_asked(const CLI::App& parser, const CLI::ParseError& error);

}  // namespace hillock
