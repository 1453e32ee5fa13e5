// Prints FUNCTION_TABLEs as C++: a function of the evaluator for each, which returns its grid.

#include "mechanisms/nmodl/emit/printer.hpp"

namespace hillock::nmodl {
namespace {

std::string numbers(const std::string& name, const std::vector<double>& values) {
  std::string text = "    static constexpr N " + name + "[] = {";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k % 8 == 0 ? "\n        " : " ") + number_text(values[k]) + ",";
  return text + "};\n";
}

}  // namespace

std::string table_name(const TableIr& table) {
  return "table_" + table.name;
}

std::string table_function(const TableIr& table) {
  const GivenTable empty{std::vector<TableAxis>(table.arguments), {0.0}, {}};
  const GivenTable& given = table.given ? *table.given : empty;
  // Variables of functions, which devices can index; static members they cannot.
  std::string text = "  template <class N>\n  static HILLOCK_FUNCTION Grid<" +
                     std::to_string(table.arguments) + ", N> " + table_name(table) + "() {\n" +
                     numbers("values", given.values);
  std::string axes;
  for (std::size_t k = 0; k < given.axes.size(); ++k) {
    const TableAxis& axis = given.axes[k];
    const std::string points = axis.points.empty() ? "nullptr" : "points" + std::to_string(k);
    if (!axis.points.empty()) text += numbers(points, axis.points);
    axes += (k > 0 ? ", {" : "{") + std::to_string(axis.count) + ", " + number_text(axis.first) +
            ", " + number_text(axis.last) + ", " + points + "}";
  }
  return text + "    return {values, {" + axes + "}};\n  }\n\n";
}

}  // namespace hillock::nmodl
