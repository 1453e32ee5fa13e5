#pragma once
// What a mechanism says of itself, derived from its evaluator here and nowhere else: the emitters
// print it, and whoever reads a .mod file without compiling it takes it as it is.

#include <deque>
#include <string>
#include <vector>

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"
#include "mechanisms/runtime/info.hpp"

namespace hillock::nmodl {

/// A MechanismInfo with all that it points to.
class Description {
 public:
  explicit Description(const EvaluatorIr& evaluator);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  const mechanisms::MechanismInfo& info() const { return info_; }

 private:
  /// [variable of the program] its column.
  std::vector<int> add_variables(const EvaluatorIr& evaluator);
  /// The text without control characters, as long as this lives.
  const char* kept(const std::string& text);

  std::deque<std::string> texts_;
  std::vector<mechanisms::VariableInfo> variables_, arguments_;
  std::vector<mechanisms::Coupling> couplings_;
  std::vector<mechanisms::Diffusion> diffusions_;
  mechanisms::MechanismInfo info_;
};

}  // namespace hillock::nmodl
