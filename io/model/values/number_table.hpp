#pragma once
// Tables of numbers with named columns, as lists of points and wirings have.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

inline constexpr std::uint64_t most_table_rows = 10'000'000;

/// The columns of a table, from whatever file.
struct NumberTable {
  Item item;  ///< which names the file
  std::string shown;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< [name][row]

  std::vector<double>* find(const std::string& name);
};

/// `{csv: points.csv}` or `{hdf5: points.h5, group: /exc}`; nothing after an error.
std::optional<NumberTable> read_number_table(ReadContext& context, const Item& item,
                                             const char* what);
/// `points.h5` and the group in it, if it is not all of the file
std::optional<NumberTable> read_hdf5_numbers(ReadContext& context, const Item& hdf5,
                                             const std::optional<Item>& group_item,
                                             std::uint64_t most_rows = most_table_rows);
/// `points.csv`
std::optional<NumberTable> read_csv_numbers(ReadContext& context, const Item& csv);

}  // namespace hillock::io
