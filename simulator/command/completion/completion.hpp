#pragma once
// hillock completion: scripts that complete its command line in a shell, from the same description
// that its own parser has.

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hillock::command {

enum class Shell { bash, zsh, fish };

/// Words that a value of a type may have, by the type's name.
using WordsOfTypes = std::map<std::string, std::vector<std::string>>;

/// The script for a shell. What follows an option or a command is known by the name of its type:
/// "auto|on|off" is one of these words, "DIR" a folder, "FILE.yaml" and "FILE.mod" a file with that
/// ending, and what `words` has one of its words; of other options nothing is known, and of other
/// arguments that they are files.
std::string completion_script(const CLI::App& app, Shell shell, const WordsOfTypes& words);

}  // namespace hillock::command
