#pragma once
// hillock mech: mechanisms written in NMODL.

#include <string>
#include <vector>

namespace hillock::command {

enum class CheckOutcome { good, errors, unreadable };

/// Prints the built-in mechanisms, one a line.
void list_mechanisms();

/// Of the built-in ones.
std::vector<std::string> names_of_mechanisms();

/// Prints one with its variables. Throws UsageError for an unknown name.
void show_mechanism(const std::string& name);

/// Checks .mod files, and those in folders and their folders, and prints what is wrong with them;
/// the worst outcome counts. What is right but cannot be used yet is an error as well.
CheckOutcome check_mechanisms(const std::vector<std::string>& paths);

/// Compiles .mod files, and those in folders and their folders, into the cache where they are not
/// there yet, and prints each with its library; then throws InvalidModel when some are wrong.
/// Throws UsageError without a compiler, InputOutputError, CompilationFailed.
void build_mechanisms(const std::vector<std::string>& paths);

}  // namespace hillock::command
