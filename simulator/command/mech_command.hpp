#pragma once
// hillock mech: mechanisms written in NMODL.

#include <string>
#include <vector>

namespace hillock::command {

enum class CheckOutcome { good, errors, unreadable };

/// Checks .mod files, and those in folders and their folders, and prints what is wrong with them;
/// the worst outcome counts.
CheckOutcome check_mechanisms(const std::vector<std::string>& paths);

}  // namespace hillock::command
