#include "io/swc/swc_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace hillock::io::swc {

namespace {

enum Column { id, type, x, y, z, radius, parent, column_count };
constexpr std::array<const char*, column_count> column_names = {"id", "type",   "x",     "y",
                                                                "z",  "radius", "parent"};

/// Past this many errors a file is not worth more of the reader's time.
constexpr std::size_t most_errors = 50;
/// The range of whole numbers that a double holds exactly.
constexpr double largest_integer = 9007199254740992.0;

/// One line's numbers before the tree is known.
struct Row {
  std::int64_t id = 0;
  std::int64_t parent = -1;
  int type = 0;
  models::Point point;
  int line = 0;
  int parent_column = 0;
};

struct Field {
  std::string_view text;
  int column = 0;
};

/// What stands on a line between blanks.
struct LineColumns {
  std::array<Field, column_count> fields;
  int count = 0;           ///< also of those that are one too many
  int surplus_column = 0;  ///< where the first of these begins
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/// A field as a message may show it: printable and short.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text.size() > 24 ? out + "..." : out;
}

class Parser {
 public:
  Parser(const std::string& file, const Measures& measures, Diagnostics& diagnostics)
      : file_(file),
        measures_(measures),
        radii_(file, "radius", "radii", 2, measures),
        diagnostics_(diagnostics),
        errors_before_(diagnostics.error_count()) {}

  std::vector<Row> read(std::string_view text);
  bool every_line_has_ids() const { return every_line_has_ids_; }
  bool gave_up() const { return gave_up_; }

  void error(int line, int column, std::string message) {
    if (gave_up_) return;
    diagnostics_.error({file_, line, column}, std::move(message));
    if (diagnostics_.error_count() - errors_before_ < most_errors) return;
    gave_up_ = true;
    diagnostics_.error({file_, line, 0},
                       fmt::format("reading stopped here (after {} problems)", most_errors));
  }
  bool failed() const { return diagnostics_.error_count() > errors_before_; }

 private:
  void read_line(std::string_view line, std::vector<Row>& rows);
  std::optional<double> number(const Field& field, Column column);
  std::optional<std::int64_t> integer(const Field& field, Column column);
  std::optional<double> length(const Field& field, Column column);

  const std::string& file_;
  const Measures& measures_;
  ThicknessCheck radii_;
  Diagnostics& diagnostics_;
  std::size_t errors_before_;
  int line_ = 0;
  bool every_line_has_ids_ = true;
  bool gave_up_ = false;
};

std::vector<Row> Parser::read(std::string_view text) {
  std::vector<Row> rows;
  rows.reserve(text.size() / 24);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  // Lines end with LF, CR LF or, in files from old Macintoshes, CR.
  while (!text.empty() && !gave_up_) {
    ++line_;
    const std::size_t end = text.find_first_of("\r\n");
    read_line(text.substr(0, end), rows);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  radii_.report(diagnostics_);
  return rows;
}

LineColumns columns_on(std::string_view line) {
  LineColumns columns;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (columns.count < column_count)
      columns.fields[columns.count] = {line.substr(at, end - at), static_cast<int>(at) + 1};
    else if (columns.count == column_count)
      columns.surplus_column = static_cast<int>(at) + 1;
    ++columns.count;
    at = end;
  }
  return columns;
}

void Parser::read_line(std::string_view line, std::vector<Row>& rows) {
  line = line.substr(0, line.find('#'));
  const auto [fields, count, surplus_column] = columns_on(line);
  if (count == 0) return;
  if (count < column_count) {
    every_line_has_ids_ = false;
    const Field& last = fields[count - 1];
    const bool commas = line.find(',') != std::string_view::npos;
    error(line_, last.column,
          fmt::format("{} of 7 columns (a sample is id type x y z radius parent){}", count,
                      commas ? ". Separate the columns by blanks instead of commas?" : ""));
    return;
  }
  if (count > column_count)
    error(line_, surplus_column,
          fmt::format("{} columns instead of 7 (a sample is id type x y z radius parent). Start a "
                      "comment with '#'?",
                      count));

  Row row;
  row.line = line_;
  const auto row_id = integer(fields[id], id);
  const auto row_type = integer(fields[type], type);
  row.point.x_um = length(fields[x], x).value_or(0);
  row.point.y_um = length(fields[y], y).value_or(0);
  row.point.z_um = length(fields[z], z).value_or(0);
  const auto radius_um = length(fields[radius], radius);
  if (radius_um)
    row.point.diameter_um =
        radii_.checked_diameter_um(*radius_um, fields[radius].text, line_, fields[radius].column);
  const auto row_parent = integer(fields[parent], parent);

  if (row_id && *row_id < 0)
    error(line_, fields[id].column, fmt::format("id {} must not be negative", *row_id));
  if (row_type) {
    if (*row_type < 0 || *row_type > std::numeric_limits<int>::max())
      error(line_, fields[type].column,
            fmt::format("type {} is out of range (1 soma, 2 axon, 3 dendrite, 4 apical dendrite, "
                        "5 and more are tags)",
                        *row_type));
    else
      row.type = static_cast<int>(*row_type);
  }
  if (row_parent && *row_parent < -1)
    error(line_, fields[parent].column,
          fmt::format("parent {} is negative. Did you mean -1, the root's?", *row_parent));
  if (!row_id || !row_parent) {
    every_line_has_ids_ = false;
    return;
  }
  row.id = *row_id;
  row.parent = *row_parent;
  row.parent_column = fields[parent].column;
  rows.push_back(row);
}

std::optional<double> Parser::number(const Field& field, Column column) {
  std::string_view text = field.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || code == std::errc::invalid_argument) {
    error(line_, field.column,
          fmt::format("{} '{}' is not a number", column_names[column], shown(field.text)));
    return {};
  }
  if (code == std::errc::result_out_of_range) {
    error(line_, field.column,
          fmt::format("{} '{}' is too large or too small for a number", column_names[column],
                      shown(field.text)));
    return {};
  }
  if (!std::isfinite(value)) {
    error(line_, field.column,
          fmt::format("{} '{}' must be finite", column_names[column], shown(field.text)));
    return {};
  }
  return value;
}

/// Whole numbers may be written as others are ("1.0", "1e0"): table writers do.
std::optional<std::int64_t> Parser::integer(const Field& field, Column column) {
  const auto value = number(field, column);
  if (!value) return {};
  if (*value != std::floor(*value) || std::abs(*value) > largest_integer) {
    error(line_, field.column,
          fmt::format("{} '{}' must be a whole number", column_names[column], shown(field.text)));
    return {};
  }
  return static_cast<std::int64_t>(*value);
}

/// A coordinate or radius in um; nothing after an error.
std::optional<double> Parser::length(const Field& field, Column column) {
  const auto value = number(field, column);
  if (!value) return {};
  const double length_um = *value * measures_.scale;
  if (!(std::abs(length_um) <= largest_length_um)) {
    error(line_, field.column,
          fmt::format("{} '{}' is beyond a metre. Is the file in um, or does it need a scale?",
                      column_names[column], shown(field.text)));
    return {};
  }
  return length_um;
}

/// The row each row's parent is, as an index into rows sorted by id; -1 for roots and for parents
/// that are not there.
std::vector<int> find_parents(const std::vector<Row>& rows, Parser& parser) {
  std::vector<int> parents(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.parent < 0) continue;
    if (row.parent == row.id) {
      parser.error(
          row.line, row.parent_column,
          fmt::format("sample {} is its own parent. Did you mean -1, the root's?", row.id));
      continue;
    }
    // In a file in order the parent is the row before: look there first.
    if (i > 0 && rows[i - 1].id == row.parent) {
      parents[i] = static_cast<int>(i) - 1;
      continue;
    }
    const auto found =
        std::lower_bound(rows.begin(), rows.end(), row.parent,
                         [](const Row& candidate, std::int64_t id_) { return candidate.id < id_; });
    if (found != rows.end() && found->id == row.parent)
      parents[i] = static_cast<int>(found - rows.begin());
    else if (parser.every_line_has_ids())
      parser.error(row.line, row.parent_column,
                   fmt::format("parent {} of sample {} is not in the file.{}", row.parent, row.id,
                               row.parent == 0 ? " Did you mean -1, the root's?" : ""));
  }
  return parents;
}

void check_duplicates(const std::vector<Row>& rows, Parser& parser) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].id == rows[i - 1].id)
      parser.error(
          rows[i].line, 0,
          fmt::format("id {} is used twice (first on line {})", rows[i].id, rows[i - 1].line));
}

void check_roots(const std::vector<Row>& rows, Parser& parser) {
  const Row* root = nullptr;
  for (const Row& row : rows) {
    if (row.parent >= 0) continue;
    // The file's first root is the one the others are compared with.
    if (root == nullptr || row.line < root->line) root = &row;
  }
  if (root == nullptr) {
    parser.error(rows.front().line, rows.front().parent_column,
                 "no root (every sample has a parent). Give the root the parent -1?");
    return;
  }
  for (const Row& row : rows)
    if (row.parent < 0 && &row != root)
      parser.error(row.line, row.parent_column,
                   fmt::format("sample {} is a second root (the first is sample {} on line {}, and "
                               "a cell is one tree). Join it to the tree, or take it away?",
                               row.id, root->id, root->line));
}

/// Row indices depth first from the root, children by id; shorter than rows when there is a cycle.
std::vector<int> depth_first(const std::vector<int>& parents) {
  const int n = static_cast<int>(parents.size());
  std::vector<int> first_child(n, -1), next_sibling(n, -1), order, stack;
  for (int i = n - 1; i >= 0; --i) {
    if (parents[i] < 0) {
      stack.push_back(i);
      continue;
    }
    next_sibling[i] = first_child[parents[i]];
    first_child[parents[i]] = i;
  }
  order.reserve(n);
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    order.push_back(i);
    if (next_sibling[i] >= 0) stack.push_back(next_sibling[i]);
    if (first_child[i] >= 0) stack.push_back(first_child[i]);
  }
  return order;
}

/// Names one cycle among the rows that the root does not reach.
void report_cycle(const std::vector<Row>& rows, const std::vector<int>& parents,
                  const std::vector<int>& reached, Parser& parser) {
  std::vector<char> seen(rows.size(), 0);
  for (const int i : reached) seen[i] = 2;
  for (std::size_t start = 0; start < rows.size(); ++start) {
    if (seen[start] != 0) continue;
    int i = static_cast<int>(start);
    while (i >= 0 && seen[i] == 0) {
      seen[i] = 1;
      i = parents[i];
    }
    if (i >= 0 && seen[i] == 1) {  // the walk met itself: i is on the cycle
      int top = i;
      std::string names = fmt::format("{}", rows[i].id);
      int shown_count = 1;
      for (int j = parents[i]; j != i; j = parents[j]) {
        if (rows[j].line < rows[top].line) top = j;
        if (++shown_count <= 6) names += fmt::format(", {}", rows[j].id);
      }
      parser.error(rows[top].line, rows[top].parent_column,
                   fmt::format("{} samples are each other's ancestors ({}{})", shown_count, names,
                               shown_count > 6 ? ", ..." : ""));
    }
    for (i = static_cast<int>(start); i >= 0 && seen[i] == 1; i = parents[i]) seen[i] = 2;
  }
}

}  // namespace

std::vector<Sample> read_samples(std::string_view text, const std::string& file,
                                 const Measures& measures, Diagnostics& diagnostics) {
  Parser parser(file, measures, diagnostics);
  std::vector<Row> rows = parser.read(text);
  if (parser.gave_up()) return {};
  if (rows.empty()) {
    if (!parser.failed()) diagnostics.error({file, 0, 0}, "no samples (the file holds no neuron)");
    return {};
  }
  if (rows.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    diagnostics.error({file, 0, 0}, "too many samples (more than 2147483647)");
    return {};
  }

  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.id < b.id; });
  check_duplicates(rows, parser);
  const std::vector<int> parents = find_parents(rows, parser);
  if (parser.every_line_has_ids()) check_roots(rows, parser);
  if (parser.failed()) return {};

  std::vector<int> order(rows.size());
  bool in_order = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    order[i] = static_cast<int>(i);
    in_order = in_order && parents[i] < static_cast<int>(i) && (parents[i] >= 0 || i == 0);
  }
  if (!in_order) {
    order = depth_first(parents);
    if (order.size() < rows.size()) {
      report_cycle(rows, parents, order, parser);
      return {};
    }
  }

  std::vector<int> new_index(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_index[order[i]] = static_cast<int>(i);
  std::vector<Sample> samples(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Row& row = rows[order[i]];
    const int up = parents[order[i]];
    samples[i] = {row.type, row.point, up < 0 ? -1 : new_index[up], row.line};
  }
  return samples;
}

}  // namespace hillock::io::swc
