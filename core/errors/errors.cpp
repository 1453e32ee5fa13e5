#include "core/errors/errors.hpp"

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace hillock {

namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const auto& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

InvalidModel::InvalidModel(std::vector<Diagnostic> diagnostics)
    : Error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void reject(const Place& place, std::string message) {
  throw InvalidModel({{Severity::error, place, std::move(message)}});
}

InputOutputError::InputOutputError(std::string file, const std::string& problem, int number)
    : Error(printable(file) + ": " + problem), file_(std::move(file)), number_(number) {}

NumericalFailure::NumericalFailure(Where where, const std::string& problem)
    : Error(fmt::format("{} at {:.6g} ms in {}[{}]{}{}", problem, where.time_ms, where.population,
                        where.cell, where.compartment.empty() ? "" : " at ", where.compartment)),
      where_(std::move(where)) {}

Interrupted::Interrupted(int signal)
    : Error(fmt::format("stopped by signal {}", signal)), signal_(signal) {}

}  // namespace hillock
