#include "io/asc/asc_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/asc/asc_tokens.hpp"
#include "io/morphology/cables.hpp"

namespace hillock::io::asc {

namespace {

using Kind = Token::Kind;

/// A token as a message may show it.
std::string shown(const Token& token) {
  if (token.kind == Kind::end) return "the end of the file";
  if (token.kind == Kind::string) return fmt::format("the text \"{}\"", token.text.substr(0, 24));
  return fmt::format("'{}'{}", token.text.substr(0, 24), token.text.size() > 24 ? "..." : "");
}

bool is_soma_name(std::string_view name) {
  return name == "CellBody" || name == "Cell Body" || name == "Soma";
}

bool is_like_soma(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small.find("soma") != std::string::npos || small.find("cell") != std::string::npos;
}

bool is_set(const Token& token) {
  return token.kind == Kind::word &&
         (token.text == "Set" || token.text == "set" || token.text == "SET");
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const Measures& measures,
         Diagnostics& diagnostics)
      : lexer_(text),
        file_(file),
        measures_(measures),
        diameters_(file, "diameter", "diameters", 1, measures),
        diagnostics_(diagnostics) {
    advance();
    advance();
  }

  Objects read() {
    while (now_.kind != Kind::end && read_object()) {
    }
    if (!failed_ && !sets_.empty())
      error(now_, fmt::format("the file ends inside the Set that begins on line {}", sets_.back()));
    if (!failed_) diameters_.report(diagnostics_);
    return std::move(objects_);
  }

 private:
  void advance() {
    now_ = ahead_;
    ahead_ = lexer_.next();
  }
  bool skip_comma() {
    if (now_.kind == Kind::comma) advance();
    return true;
  }
  bool error(const Token& at, std::string message) {
    diagnostics_.error({file_, at.line, at.column}, std::move(message));
    failed_ = true;
    return false;
  }

  bool read_object();
  bool read_contour();
  bool read_tree();
  bool read_tree_item();
  void begin_branch(int parent);
  bool close_branch();
  bool split();
  bool skip_balanced();
  bool skip_item(std::string_view what);
  bool skip_text();
  bool skip_spine();
  bool read_point(models::Point& point, bool has_thickness);

  Lexer lexer_;
  Token now_;
  Token ahead_;
  const std::string& file_;
  const Measures& measures_;
  ThicknessCheck diameters_;
  Diagnostics& diagnostics_;
  Objects objects_;
  std::vector<int> sets_;  ///< lines of the Sets that are open
  bool failed_ = false;

  // The tree that is read.
  Token tree_;               ///< its first parenthesis
  std::size_t first_ = 0;    ///< its first branch
  int branch_ = -1;          ///< the one that points go to
  bool ended_ = false;       ///< by a split or a word such as Normal
  std::vector<int> splits_;  ///< the branches whose splits are open
};

bool Reader::read_object() {
  skip_comma();
  if (now_.kind == Kind::end) return true;
  if (now_.kind == Kind::close) {
    if (sets_.empty()) return error(now_, "')' closes nothing");
    sets_.pop_back();
    advance();
    return true;
  }
  if (now_.kind != Kind::open)
    return error(now_, fmt::format("{} stands where a contour or a tree begins with '(' (is this a "
                                   "Neurolucida file?)",
                                   shown(now_)));
  if (ahead_.kind == Kind::string) return read_contour();
  if (ahead_.kind == Kind::open) return skip_text() || read_tree();
  if (is_set(ahead_)) {
    sets_.push_back(now_.line);
    advance();
    advance();
    if (now_.kind != Kind::string)
      return error(now_, fmt::format("a Set has a name in quotes, not {}", shown(now_)));
    advance();
    return true;
  }
  if (ahead_.kind == Kind::word) return skip_item("item");
  return error(ahead_, ahead_.kind == Kind::number
                           ? "a point stands outside of contours and trees"
                           : fmt::format("{} begins neither a contour nor a tree", shown(ahead_)));
}

/// Skips everything up to the parenthesis that closes the one here; false when none does.
bool Reader::skip_balanced() {
  int depth = 0;
  do {
    if (now_.kind == Kind::open) ++depth;
    if (now_.kind == Kind::close) --depth;
    if (now_.kind == Kind::end) return false;
    advance();
  } while (depth > 0);
  return true;
}

bool Reader::skip_item(std::string_view what) {
  const int line = now_.line;
  return skip_balanced() ||
         error(now_, fmt::format("the file ends inside the {} that begins on line {} (a ')' is "
                                 "missing)",
                                 what, line));
}

/// "( properties point "text" )", which begins as a tree does; false, and nothing read, for others.
bool Reader::skip_text() {
  const Lexer lexer = lexer_;
  const Token now = now_, ahead = ahead_;
  advance();
  bool good = true;
  while (good && now_.kind == Kind::open && ahead_.kind == Kind::word) good = skip_balanced();
  good = good && now_.kind == Kind::open && ahead_.kind == Kind::number && skip_balanced();
  if (good && now_.kind == Kind::string && ahead_.kind == Kind::close) {
    advance();
    advance();
    return true;
  }
  lexer_ = lexer;
  now_ = now;
  ahead_ = ahead;
  return false;
}

bool Reader::skip_spine() {
  const int line = now_.line;
  while (now_.kind != Kind::close_spine) {
    if (now_.kind == Kind::end)
      return error(now_,
                   fmt::format("the file ends inside the spine that begins on line {} (a '>' is "
                               "missing)",
                               line));
    advance();
  }
  advance();
  return true;
}

/// "( x y z diameter )", with commas if it likes; z and diameter may be left out, and a word and
/// numbers in parentheses (a Bezier curve's) may follow.
bool Reader::read_point(models::Point& point, bool has_thickness) {
  advance();
  std::array<Token, 4> values;
  std::size_t count = 0;
  while (now_.kind == Kind::number) {
    if (count == values.size())
      return error(now_, "a point has x, y, z and a diameter, and no fifth number");
    const bool is_length = count < 3;
    if (!(std::abs(now_.number * measures_.scale) <= largest_length_um))
      return error(now_,
                   fmt::format("{} '{}' is beyond a metre. Is the file in um, or does it need "
                               "a scale?",
                               is_length ? "coordinate" : "diameter", now_.text));
    values[count++] = now_;
    advance();
    skip_comma();
  }
  if (count < 2)
    return error(now_, fmt::format("{} stands in the place of a point's y", shown(now_)));
  const auto value = [&](std::size_t i) { return values[i].number * measures_.scale; };
  point = {value(0), value(1), value(2), 0};
  if (has_thickness)
    point.diameter_um = count == 4 ? diameters_.checked_diameter_um(
                                         value(3), values[3].text, values[3].line, values[3].column)
                                   : diameters_.checked_diameter_um(
                                         0, "that is not given", values[0].line, values[0].column);
  if (now_.kind == Kind::word) advance();
  skip_comma();
  if (now_.kind == Kind::open && !skip_item("point")) return false;
  if (now_.kind != Kind::close)
    return error(now_, fmt::format("{} stands where a point ends with ')'", shown(now_)));
  advance();
  return true;
}

bool Reader::read_contour() {
  const Token begin = now_;
  advance();
  const std::string name(now_.text);
  Contour contour;
  contour.line = begin.line;
  advance();
  while (skip_comma() && now_.kind != Kind::close) {
    if (now_.kind == Kind::end)
      return error(now_, fmt::format("the file ends inside the contour \"{}\" that begins on line "
                                     "{} (a ')' is missing)",
                                     name, begin.line));
    if (now_.kind != Kind::open)
      return error(now_, fmt::format("{} stands in the contour \"{}\" that begins on line {}",
                                     shown(now_), name, begin.line));
    if (ahead_.kind == Kind::number) {
      contour.points.emplace_back();
      if (!read_point(contour.points.back(), false)) return false;
    } else if (!skip_item("item")) {
      return false;
    }
  }
  advance();
  if (!is_soma_name(name)) {
    if (is_like_soma(name)) objects_.unread_soma = name;
    return true;
  }
  if (contour.points.size() < 3)
    diagnostics_.warning({file_, begin.line, begin.column},
                         "a soma's contour of less than three points is left out");
  else
    objects_.soma.push_back(std::move(contour));
  return true;
}

void Reader::begin_branch(int parent) {
  branch_ = static_cast<int>(objects_.branches.size());
  ended_ = false;
  TreeBranch branch;
  if (parent >= 0) branch.type = objects_.branches[parent].type;
  branch.parent = parent;
  branch.line = now_.line;
  objects_.branches.push_back(std::move(branch));
}

bool Reader::close_branch() {
  if (objects_.branches[branch_].points.empty())
    return error(
        now_, fmt::format("a branch of the tree that begins on line {} has no point", tree_.line));
  return true;
}

/// "( branch | branch )"
bool Reader::split() {
  if (ended_)
    return error(now_, fmt::format("a branch that has ended or split goes on (the tree begins on "
                                   "line {})",
                                   tree_.line));
  if (!close_branch()) return false;
  splits_.push_back(branch_);
  advance();
  begin_branch(splits_.back());
  return true;
}

bool Reader::read_tree() {
  tree_ = now_;
  first_ = objects_.branches.size();
  splits_.clear();
  advance();
  begin_branch(-1);
  while (true) {
    skip_comma();
    if (now_.kind == Kind::close) {
      if (splits_.empty()) break;
      if (!close_branch()) return false;
      branch_ = splits_.back();
      splits_.pop_back();
      ended_ = true;
      advance();
    } else if (!read_tree_item()) {
      return false;
    }
  }
  if (objects_.branches.size() == first_ + 1 && objects_.branches.back().points.empty()) {
    diagnostics_.warning({file_, tree_.line, tree_.column}, "a tree without points is left out");
    objects_.branches.pop_back();
  } else if (!close_branch()) {
    return false;
  }
  advance();
  return true;
}

bool Reader::read_tree_item() {
  TreeBranch& branch = objects_.branches[branch_];
  switch (now_.kind) {
    case Kind::open:
      if (ahead_.kind == Kind::open) return split();
      if (ahead_.kind == Kind::number) {
        if (ended_)
          return error(now_, fmt::format("a point stands behind the end of its branch (the tree "
                                         "begins on line {})",
                                         tree_.line));
        branch.points.emplace_back();
        if (branch.points.size() == 1) branch.line = now_.line;
        return read_point(branch.points.back(), true);
      }
      if (ahead_.kind != Kind::word) break;
      if (branch.parent < 0 && branch.points.empty()) {
        if (ahead_.text == "Axon") branch.type = axon_type;
        if (ahead_.text == "Dendrite") branch.type = dendrite_type;
        if (ahead_.text == "Apical") branch.type = apical_type;
      }
      return skip_item("item");
    case Kind::open_spine:
      return skip_spine();
    case Kind::word:  // Normal, Incomplete, High, Low, Midpoint, Generated, ...
      ended_ = true;
      advance();
      return true;
    case Kind::bar:
      if (splits_.empty()) return error(now_, "'|' stands outside of a split");
      if (!close_branch()) return false;
      advance();
      begin_branch(splits_.back());
      return true;
    case Kind::end:
      return error(now_, fmt::format("the file ends inside the tree that begins on line {} (a ')' "
                                     "is missing)",
                                     tree_.line));
    default:
      break;
  }
  const Token& odd = now_.kind == Kind::open ? ahead_ : now_;
  return error(odd,
               fmt::format("{} stands in the tree that begins on line {}", shown(odd), tree_.line));
}

}  // namespace

Objects read_objects(std::string_view text, const std::string& file, const Measures& measures,
                     Diagnostics& diagnostics) {
  return Reader(text, file, measures, diagnostics).read();
}

}  // namespace hillock::io::asc
