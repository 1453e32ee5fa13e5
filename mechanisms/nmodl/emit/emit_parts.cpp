// Prints functions of evaluators, long ones in parts.

#include <utility>

#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {
namespace {

/// Operations in a function and in a part. What is whole keeps its variables in registers, and is
/// faster up to about so many; what is longer takes minutes to compile.
constexpr std::size_t longest = 1500, most_in_a_part = 500;

std::string struct_of(const std::string& function) {
  return "Kept_" + function;
}

std::string head(const std::string& kind, const std::string& name, const std::string& more) {
  return "  template <class V>\n  static " + kind + " void " + name +
         "([[maybe_unused]] Variables<V>& x, [[maybe_unused]] const Instant<V>& at" + more +
         ") {\n";
}

}  // namespace

std::string Printer::functions(const std::string& name, const ir::Body& body) {
  function_name_ = name;
  layout_ = Layout(e_.program, uniform_, body, {}, longest, most_in_a_part);
  text_.clear();
  parts_.clear();
  names_number_ = false;
  if (layout_.parts() > 0) line(struct_of(name) + "<V> kept;");
  declare_locals();
  print(body, "");
  return kept_struct() + parts_ + head("HILLOCK_FUNCTION", name, "") + finished() + "  }\n\n";
}

std::string Printer::kept_struct() const {
  if (layout_.parts() == 0) return "";
  std::string text = "  /// What parts of `" + function_name_ + "` have in common.\n" +
                     "  template <class V>\n  struct " + struct_of(function_name_) + " {\n";
  for (const int v : layout_.kept())
    text += std::string("    ") + (uniform_[at(v)] ? "Number<V>" : "V") + " " +
            e_.program.variables[at(v)].name + "_" + std::to_string(v) + ";\n";
  return text + "  };\n\n";
}

/// The call of a part, and its function among the others.
void Printer::print_part(const Body& body, const Cut& part) {
  const std::string name = function_name_ + "_part" + std::to_string(part.part);
  line(name + "<V>(x, at, kept);");
  const std::string around = std::exchange(text_, "");
  const int indent = std::exchange(indent_, 2);
  const bool names_number = std::exchange(names_number_, false);
  for (std::size_t i = part.begin; i < part.end; ++i) print(body[i], "");
  parts_ +=
      head("HILLOCK_PART", name, ", [[maybe_unused]] " + struct_of(function_name_) + "<V>& kept") +
      finished() + "  }\n\n";
  text_ = around;
  indent_ = indent;
  names_number_ = names_number;
}

}  // namespace hillock::nmodl
