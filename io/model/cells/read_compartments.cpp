// Reads `compartments:`, a cell as the numbers of its compartments (docs/model-file.md).

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "core/errors/errors.hpp"
#include "io/model/cells/read_morphology.hpp"

namespace hillock::io {

namespace {

using models::Branch;

/// What a number of a dataset must be.
struct Range {
  double least = 0;
  double most = 0;
  bool is_whole = false;
  bool is_above = false;  ///< more than `least`

  bool contains(double value) const {
    return (is_above ? value > least : value >= least) && value <= most &&
           (!is_whole || value == std::floor(value));
  }
  std::string text() const {
    return fmt::format("{} {} {:.6g} and at most {:.6g}", is_whole ? "a whole number" : "a number",
                       is_above ? "above" : "from", least, most);
  }
};

constexpr Range length{0, 1e6, false, true};
constexpr Range coordinate{-1e9, 1e9};
constexpr Range resistance{0, 1e30, false, true};

/// Thrown where something is wrong in the file.
struct Wrong {
  std::string what;
};

/// The datasets of one cell.
class Columns {
 public:
  explicit Columns(const Hdf5Group& group) : file_(group.file), group_(group.path) {}

  bool has(const std::string& name) { return file_.extent(group_ + name).has_value(); }
  /// One number for each of `width` compartments or branches, or such a row for each cell.
  std::vector<double> sizes(const std::string& name, const Range& range, std::size_t width,
                            std::size_t& cells) {
    const auto extent = file_.extent(group_ + name);
    if (!extent) throw Wrong{fmt::format("has no dataset of numbers {}{}", group_, name)};
    const auto [rows, columns] = *extent;
    if (columns == 1 && rows == width) return numbers(name, range, width);
    if (!rows_of(*extent, width))
      throw Wrong{fmt::format("{}{} has {} {}, and must have {}", group_, name,
                              columns == 1 ? rows : columns, columns == 1 ? "rows" : "columns",
                              width)};
    if (cells != 1 && cells != rows)
      throw Wrong{fmt::format("{}{} has rows for {} cells, and another dataset for {}", group_,
                              name, rows, cells)};
    if (rows > most_numbers_by_cell / width)
      throw Wrong{fmt::format("{}{} has more than {} numbers", group_, name, most_numbers_by_cell)};
    cells = rows;
    auto all = file_.numbers(group_ + name, {0, 0}, *extent);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!range.contains(all[i]))
        fail(name, i / width,
             fmt::format("{:.6g} in column {} is not {}", all[i], i % width, range.text()));
    return all;
  }
  /// One number for each of `rows`, which any number will do for where it is 0.
  std::vector<double> numbers(const std::string& name, const Range& range, std::size_t rows) {
    auto column = file_.column(group_ + name, most_rows);
    if (!column) throw Wrong{fmt::format("has no dataset of numbers {}{}", group_, name)};
    if (rows != 0 && column->size() != rows)
      throw Wrong{
          fmt::format("{}{} has {} rows, and must have {}", group_, name, column->size(), rows)};
    for (std::size_t row = 0; row < column->size(); ++row)
      if (!range.contains((*column)[row]))
        fail(name, row, fmt::format("{:.6g} is not {}", (*column)[row], range.text()));
    return std::move(*column);
  }
  std::vector<std::string> texts(const std::string& name, std::size_t rows) {
    auto column = file_.texts(group_ + name);
    if (column.size() != rows)
      throw Wrong{
          fmt::format("{}{} has {} texts, and must have {}", group_, name, column.size(), rows)};
    return column;
  }
  [[noreturn]] void fail(const std::string& name, std::size_t row, const std::string& what) const {
    throw Wrong{fmt::format("{}{}, row {}: {}", group_, name, row, what)};
  }

 private:
  static constexpr std::uint64_t most_rows = 20'000'000;

  DataFile& file_;
  std::string group_;
};

std::vector<Branch> read_tree(Columns& columns) {
  const auto parents =
      columns.numbers("branches/parent", {-1, static_cast<double>(most_branches), true}, 0);
  const std::size_t count = parents.size();
  if (count == 0 || count > most_branches)
    throw Wrong{fmt::format("has {} branches (1 to {} are possible)", count, most_branches)};
  const auto names = columns.texts("branches/name", count);
  const auto pieces =
      columns.numbers("branches/compartments", {1, double{most_compartments_by_hand}, true}, count);
  std::vector<double> at(count, 1);
  if (columns.has("branches/at")) at = columns.numbers("branches/at", {0, 1}, count);
  std::vector<Branch> branches(count);
  std::unordered_map<std::string, std::size_t> rows;
  for (std::size_t b = 0; b < count; ++b) {
    if (b == 0 ? parents[b] != -1 : !(parents[b] >= 0 && parents[b] < static_cast<double>(b)))
      columns.fail("branches/parent", b,
                   fmt::format("{:.0f} is not {}", parents[b],
                               b == 0 ? "-1, which the root, the first branch, has"
                                      : "the row of a branch above (the first alone is the root)"));
    if (const std::string problem = branch_name_problem(names[b]); !problem.empty())
      columns.fail("branches/name", b, problem);
    if (const auto [first, is_new] = rows.try_emplace(names[b], b); !is_new)
      columns.fail("branches/name", b,
                   fmt::format("'{}' is the name of row {}, too", names[b], first->second));
    branches[b].name = names[b];
    branches[b].region = names[b].substr(0, names[b].find('['));
    branches[b].parent = static_cast<int>(parents[b]);
    branches[b].at = at[b];
    branches[b].compartments = static_cast<int>(pieces[b]);
  }
  std::size_t where = 0;
  if (const std::string problem = region_names_problem(branches, where); !problem.empty())
    columns.fail("branches/name", where, problem);
  return branches;
}

/// Centre lines as they are given.
void read_centre_lines(Columns& columns, std::vector<Branch>& branches) {
  const auto of =
      columns.numbers("points/branch", {0, static_cast<double>(branches.size()) - 1, true}, 0);
  const auto x = columns.numbers("points/x", coordinate, of.size());
  const auto y = columns.numbers("points/y", coordinate, of.size());
  const auto z = columns.numbers("points/z", coordinate, of.size());
  const auto diameter = columns.numbers("points/diameter", length, of.size());
  for (std::size_t row = 0; row < of.size(); ++row) {
    if (row > 0 && of[row] < of[row - 1])
      columns.fail("points/branch", row,
                   "the points of a branch stand after those of the one before");
    branches[static_cast<std::size_t>(of[row])].points.push_back(
        {x[row], y[row], z[row], diameter[row]});
  }
  for (std::size_t b = 0; b < branches.size(); ++b)
    if (branches[b].points.size() < 2 || !(models::length_um(branches[b]) > 0))
      throw Wrong{fmt::format("points: branch {} ({}) has no length (two points apart are needed)",
                              b, branches[b].name)};
}

models::Morphology read_columns(Columns& columns) {
  models::Morphology morphology;
  morphology.branches = read_tree(columns);
  auto& branches = morphology.branches;
  double total = 0;
  for (const Branch& branch : branches) total += branch.compartments;
  if (total > most_compartments_a_cell)
    throw Wrong{fmt::format("has {:.6g} compartments (at most 1e7 are possible)", total)};
  const auto count = static_cast<std::size_t>(total);
  auto given = std::make_shared<models::CompartmentNumbers>();
  std::size_t& cells = given->cells;
  given->area_um2 = columns.sizes("compartments/area", {0, 1e12, false, true}, count, cells);
  given->diameter_um = columns.sizes("compartments/diameter", length, count, cells);
  given->resistance_MOhm = columns.sizes("compartments/resistance", resistance, count, cells);
  given->end_resistance_MOhm =
      columns.sizes("branches/end_resistance", resistance, branches.size(), cells);
  const bool has_points = columns.has("points/branch");
  if (has_points == columns.has("branches/length"))
    throw Wrong{"needs either branches/length or points (branch, x, y, z, diameter)"};
  if (has_points) {
    read_centre_lines(columns, branches);
  } else {
    given->length_um = columns.sizes("branches/length", length, branches.size(), cells);
    models::draw_along_x(*given, branches);
  }
  morphology.given = std::move(given);
  return morphology;
}

}  // namespace

std::optional<models::Morphology> read_compartments(ReadContext& context, const Item& item) {
  MapReader map(item, "compartments");
  const auto hdf5 = map.require("hdf5");
  const auto group_item = map.find("group");
  if (!map.finish()) return std::nullopt;
  const auto group = read_hdf5_group(context, *hdf5, group_item);
  if (!group) return std::nullopt;
  try {
    Columns columns(*group);
    models::Morphology morphology = read_columns(columns);
    if (models::sizes_vary(morphology))
      context.columns.push_back(
          {item.place(), item.path(),
           fmt::format("{}compartments of {}", group->path, group->file.path().string()), "row",
           morphology.given->cells, std::nullopt});
    return morphology;
  } catch (const Wrong& wrong) {
    hdf5->error(fmt::format("{}: {}", group->file.path().string(), wrong.what));
  } catch (const InputOutputError& error) {
    hdf5->error(error.what());
  }
  return std::nullopt;
}

}  // namespace hillock::io
