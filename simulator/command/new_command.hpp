#pragma once
// hillock new: a commented model to start from.

#include <string>
#include <vector>

namespace hillock::command {

/// The kinds of models there are; the first is the usual one.
std::vector<std::string> kinds_of_models();

/// Writes a model of a kind to a file, `-` for standard output. Throws InputOutputError where there
/// is such a file already, or it cannot be written.
void make_model(const std::string& file, const std::string& kind);

}  // namespace hillock::command
