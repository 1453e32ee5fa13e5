#pragma once
// The columns of a list of connections, from whatever file, and what each of its rows must be.

#include <functional>
#include <string>
#include <vector>

#include "io/model/network/read_connect.hpp"

namespace hillock::io {

inline constexpr std::size_t most_listed_rows = 10'000'000;

/// Empty means not given.
struct RowColumns {
  std::vector<double> source;
  std::vector<double> target;
  std::vector<double> weight;
  std::vector<double> delay;
  std::vector<double> branch;
  std::vector<double> position;
  std::vector<std::vector<double>> arguments;  ///< [argument of the mechanism]

  explicit RowColumns(const ConnectScope& scope) : arguments(scope.arguments.size()) {}
  /// By the number that its name has among row_column_names().
  std::vector<double>& operator[](std::size_t number);
};

/// "source", "target", "weight", "delay", "branch", "position", and the mechanism's arguments.
std::vector<std::string> row_column_names(const ConnectScope& scope);

/// What is said of a row, by its place among those of a piece.
using ReportRow = std::function<void(std::size_t row, const std::string& problem)>;

/// Checks pieces of a list's rows, one after the other, and keeps them.
class RowsReader {
 public:
  /// Both must outlive this.
  RowsReader(const ReadContext& context, const ConnectScope& scope);

  /// The columns may be moved from. False after an error; at most ten are told.
  bool add(RowColumns& columns, const ReportRow& report);
  /// Makes room for about so many rows with the columns of these.
  void expect(double rows, const RowColumns& like);
  models::ConnectionRows take(std::uint64_t listed);

 private:
  void add_points(const std::vector<double>& points);
  std::string problem_of(const RowColumns& columns, std::size_t row) const;

  const ReadContext& context_;
  const ConnectScope& scope_;
  models::ConnectionRows rows_;
};

}  // namespace hillock::io
