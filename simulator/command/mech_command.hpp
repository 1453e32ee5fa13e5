#pragma once
// hillock mech: mechanisms written in NMODL.

#include <string>
#include <vector>

namespace hillock::command {

enum class CheckOutcome { good, errors, unreadable };

/// Prints the built-in mechanisms, one a line, and those of .mod files, and of folders and theirs,
/// which take the places of built-in ones. Throws InvalidModel when some are wrong,
/// InputOutputError.
void list_mechanisms(const std::vector<std::string>& paths);

/// Of the built-in ones.
std::vector<std::string> names_of_mechanisms();

/// Prints one with its variables: a built-in one, or that of a .mod file. Throws UsageError for an
/// unknown name, InvalidModel for a file with errors, InputOutputError.
void show_mechanism(const std::string& name);

/// Checks .mod files, and those in folders and their folders, and prints what is wrong with them;
/// the worst outcome counts. What is right but cannot be used yet is an error as well.
CheckOutcome check_mechanisms(const std::vector<std::string>& paths);

/// Compiles .mod files, and those in folders and their folders, into the cache where they are not
/// there yet, and prints each with its library; then throws InvalidModel when some are wrong.
/// Throws UsageError without a compiler, InputOutputError, CompilationFailed.
void build_mechanisms(const std::vector<std::string>& paths);

}  // namespace hillock::command
