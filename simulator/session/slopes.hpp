#pragma once
// How what a model begins with changes with its values: by differences of the model as it is read.

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hillock::session {

/// Values of a model by their paths, in base units.
using ModelValues = std::vector<std::pair<std::string, double>>;

/// Numbers that cells begin with, and what something is derived by them.
struct Beginning {
  std::vector<double> numbers, derivatives;
};

/// [value] what it is derived by values. read: the numbers with other values; called on several
/// threads. Where no number depends on two of them, it takes two readings and one for each
/// doubling of how many these are, and two or three more if it is not linear in all. Throws
/// UsageError with the path for one of which there is no derivative, and where read() throws one,
/// whose text then says what it does.
std::vector<double> by_values(const ModelValues& values, const Beginning& beginning,
                              const std::function<std::vector<double>(const ModelValues&)>& read,
                              int threads);

}  // namespace hillock::session
