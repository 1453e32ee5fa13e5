#include "core/expressions/expression_parser.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/errors/diagnostics.hpp"
#include "core/units/quantity.hpp"

namespace hillock {

namespace {

using Operation = Expression::Operation;
using Instruction = Expression::Instruction;

constexpr int deepest_nesting = 64;

constexpr Variable all_variables[] = {Variable::index, Variable::size, Variable::distance,
                                      Variable::x,     Variable::y,    Variable::z,
                                      Variable::diam,  Variable::r};

struct Function {
  std::string_view name;
  Operation operation;
};
constexpr Function functions[] = {
    {"exp", Operation::exp},     {"log", Operation::log}, {"sqrt", Operation::sqrt},
    {"sin", Operation::sin},     {"cos", Operation::cos}, {"tanh", Operation::tanh},
    {"abs", Operation::abs},     {"min", Operation::min}, {"max", Operation::max},
    {"floor", Operation::floor}, {"mod", Operation::mod},
};

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_word(char c) {
  return is_word_start(c) || (c >= '0' && c <= '9');
}

/// Recursive descent, one function a level of precedence, loosest first:
///   choice: any [? choice : choice]           any: all {|| all}
///   all: comparison {&& comparison}           comparison: sum [< <= > >= == != sum]
///   sum: product {+|- product}                product: sign {*|/ sign}
///   sign: -sign | +sign | !sign | power       power: atom [^ sign]
class Parser {
 public:
  Parser(std::string_view text, const std::vector<Variable>& allowed)
      : text_(text), allowed_(allowed) {}

  /// The dimension of the whole text. Throws ExpressionError.
  Dimension parse() {
    const Dimension dimension = choice();
    if (at_ < text_.size()) unexpected();
    return dimension;
  }
  std::vector<Instruction> take_code() { return std::move(code_); }

 private:
  [[noreturn]] static void fail(std::size_t offset, std::string message) {
    throw ExpressionError{offset, std::move(message)};
  }

  [[noreturn]] void unexpected() {
    if (at_ >= text_.size()) fail(at_, "the expression ends too early");
    if (is_word_start(text_[at_])) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      fail(at_, "unexpected '" + std::string(text_.substr(at_, end - at_)) +
                    "' (an operator such as * is missing before it)");
    }
    fail(at_, std::string("unexpected '") + text_[at_] + "' in the expression" +
                  (text_[at_] == '%' ? " (write mod(a, b))" : ""));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool take(std::string_view symbol) {
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    skip_space();
    return true;
  }

  void emit(Operation operation) { code_.push_back({operation, Variable::index, 0}); }

  /// One nesting level for as long as it lives.
  struct Level {
    explicit Level(Parser& p) : parser(p) {
      if (++parser.depth_ > deepest_nesting)
        fail(parser.at_, "the expression is nested too deeply");
    }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& parser;
  };

  static void need_number(const Dimension& dimension, std::size_t offset, std::string_view what) {
    if (!dimension.is_number())
      fail(offset, std::string(what) + " must be a plain number, not " + describe(dimension));
  }

  Dimension choice() {
    const Level level(*this);
    skip_space();
    const std::size_t start = at_;
    const Dimension condition = any();
    if (!take("?")) return condition;
    need_number(condition, start, "what stands before '?'");
    const Dimension yes = choice();
    if (!take(":")) fail(at_, "':' is missing after '?'");
    const std::size_t no_start = at_;
    const Dimension no = choice();
    if (yes != no)
      fail(no_start, "the two sides of ':' differ: " + describe(yes) + " and " + describe(no));
    emit(Operation::choose);
    return yes;
  }

  Dimension any() { return joined("||", Operation::max, &Parser::all); }
  Dimension all() { return joined("&&", Operation::multiply, &Parser::comparison); }

  /// {symbol operand}: of truth values, 1 and 0, what is true of one or of both is the larger one
  /// or the product.
  Dimension joined(std::string_view symbol, Operation operation, Dimension (Parser::*operand)()) {
    skip_space();
    std::size_t start = at_;
    const Dimension left = (this->*operand)();
    if (!text_.substr(at_).starts_with(symbol)) return left;
    need_truth(left, start, symbol);
    while (take(symbol)) {
      start = at_;
      need_truth((this->*operand)(), start, symbol);
      emit(operation);
    }
    return {};
  }

  /// Makes 1 or 0 of what the code has computed last.
  void need_truth(const Dimension& dimension, std::size_t start, std::string_view symbol) {
    need_number(dimension, start, "what '" + std::string(symbol) + "' takes");
    const Operation last = code_.back().operation;
    if (last >= Operation::less && last <= Operation::not_equal) return;
    code_.push_back({Operation::constant, Variable::index, 0});
    emit(Operation::not_equal);
  }

  Dimension comparison() {
    Dimension left = sum();
    static constexpr std::pair<std::string_view, Operation> symbols[] = {
        {"<=", Operation::less_equal}, {">=", Operation::greater_equal}, {"==", Operation::equal},
        {"!=", Operation::not_equal},  {"<", Operation::less},           {">", Operation::greater}};
    for (const auto& [symbol, operation] : symbols) {
      skip_space();
      const std::size_t start = at_;
      if (!take(symbol)) continue;
      const Dimension right = sum();
      if (left != right)
        fail(start, "cannot compare " + describe(left) + " with " + describe(right));
      emit(operation);
      return {};
    }
    return left;
  }

  Dimension sum() {
    Dimension left = product();
    while (true) {
      skip_space();
      const std::size_t start = at_;
      const bool plus = take("+");
      if (!plus && !take("-")) return left;
      const Dimension right = product();
      if (left != right)
        fail(start, "cannot " + std::string(plus ? "add " : "subtract ") + describe(right) +
                        (plus ? " to " : " from ") + describe(left));
      emit(plus ? Operation::add : Operation::subtract);
    }
  }

  Dimension product() {
    Dimension left = sign();
    while (true) {
      if (take("*")) {
        left = checked(left * sign());
        emit(Operation::multiply);
      } else if (take("/")) {
        left = checked(left / sign());
        emit(Operation::divide);
      } else {
        return left;
      }
    }
  }

  Dimension sign() {
    const Level level(*this);
    if (take("-")) {
      const Dimension dimension = sign();
      emit(Operation::negate);
      return dimension;
    }
    if (take("+")) return sign();
    if (take("!")) {
      const std::size_t start = at_;
      need_number(sign(), start, "what '!' takes");
      code_.push_back({Operation::constant, Variable::index, 0});
      emit(Operation::equal);
      return {};
    }
    return power_of();
  }

  Dimension power_of() {
    const std::size_t base_start = at_;
    const Dimension base = atom();
    if (!take("^")) return base;
    const std::size_t exponent_start = at_;
    const std::size_t exponent_code = code_.size();
    need_number(sign(), exponent_start, "an exponent");
    const std::vector<Instruction> exponent(
        code_.begin() + static_cast<std::ptrdiff_t>(exponent_code), code_.end());
    emit(Operation::power);
    if (base.is_number()) return base;
    const bool varies = std::any_of(exponent.begin(), exponent.end(), [](const Instruction& step) {
      return step.operation == Operation::variable;
    });
    const double n = varies ? 0.5 : run_postfix(exponent, {});
    if (n != std::floor(n) || std::abs(n) > 9)
      fail(base_start, describe(base) + " can only be raised to a whole number from -9 to 9");
    return checked(power(base, static_cast<int>(n)));
  }

  /// Keeps exponents small, whatever is multiplied with what.
  Dimension checked(const Dimension& dimension) {
    for (const int exponent : dimension.exponents)
      if (std::abs(exponent) > 99) fail(at_, "the expression's unit has too high a power");
    return dimension;
  }

  Dimension atom() {
    skip_space();
    if (at_ >= text_.size()) unexpected();
    if (take("(")) {
      const Dimension dimension = choice();
      if (!take(")")) fail(at_, "')' is missing");
      return dimension;
    }
    std::size_t length = 0;
    if (const auto number = read_number(text_.substr(at_), length)) return literal(*number, length);
    if (is_word_start(text_[at_])) return name();
    unexpected();
  }

  Dimension literal(double number, std::size_t length) {
    const std::size_t start = at_;
    at_ += length;
    if (std::isinf(number)) fail(start, "the number is too large");
    std::size_t unit_start = at_;
    while (unit_start < text_.size() && text_[unit_start] == ' ') ++unit_start;
    Unit unit;
    const bool is_inverse = unit_start > at_ && text_.substr(unit_start, 2) == "1/";  // 0.5 1/ms
    const std::size_t word = unit_start + (is_inverse ? 2 : 0);
    if (word < text_.size() && is_word_start(text_[word])) {
      std::size_t end = unit_start;
      while (end < text_.size() &&
             (is_word(text_[end]) || text_[end] == '^' || text_[end] == '.' || text_[end] == '*' ||
              text_[end] == '/' || (text_[end] == '-' && text_[end - 1] == '^')))
        ++end;
      std::optional<Unit> found;
      std::size_t found_end = unit_start;
      for (; end > unit_start; --end) {
        const bool inside_word =
            end < text_.size() && is_word(text_[end]) && is_word(text_[end - 1]);
        const bool call = end < text_.size() && text_[end] == '(';
        if (inside_word || call) continue;
        found = parse_unit(text_.substr(unit_start, end - unit_start));
        found_end = end;
        if (found) break;
      }
      if (!found) {
        std::size_t word_end = unit_start;
        while (word_end < text_.size() && is_word(text_[word_end])) ++word_end;
        const std::string word(text_.substr(unit_start, word_end - unit_start));
        fail(unit_start, "'" + word + "' is not a unit" +
                             (is_name(word) ? " (write * before '" + word + "')" : ""));
      }
      unit = *found;
      at_ = found_end;
    }
    if (unit.offset != 0)
      fail(start, "degC can only stand alone (in arithmetic, write temperatures in K)");
    code_.push_back({Operation::constant, Variable::index,
                     convert(number, unit, Unit{unit.dimension, 1, 0, 0})});
    return unit.dimension;
  }

  static bool is_name(std::string_view word) {
    if (word == "pi") return true;
    for (const auto variable : all_variables)
      if (name_of(variable) == word) return true;
    for (const auto& function : functions)
      if (function.name == word) return true;
    return false;
  }

  Dimension name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return call(word, start);
    for (const auto variable : all_variables) {
      if (name_of(variable) != word) continue;
      if (std::find(allowed_.begin(), allowed_.end(), variable) == allowed_.end())
        fail(start, "'" + word + "' cannot be used here (" + list_allowed() + ")");
      code_.push_back({Operation::variable, variable, 0});
      return is_length(variable) ? units::um.dimension : Dimension{};
    }
    if (word == "pi") {
      code_.push_back({Operation::constant, Variable::index, std::numbers::pi});
      return {};
    }
    std::vector<std::string> names;
    for (const auto variable : allowed_) names.emplace_back(name_of(variable));
    for (const auto& function : functions) {
      if (function.name == word) fail(start, "'(' is missing after " + word);
      names.emplace_back(function.name);
    }
    if (parse_unit(word))
      fail(start, "unexpected unit '" + word +
                      "' (a unit follows a number, without spaces inside, as in 0.12 S/cm2)");
    fail(start,
         "unknown name '" + word + "' (" + list_allowed() + ")." + did_you_mean(word, names));
  }

  std::string list_allowed() const {
    if (allowed_.empty()) return "no variables here";
    std::string text = "variables here:";
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      text += i ? ", " : " ";
      text += name_of(allowed_[i]);
    }
    return text;
  }

  Dimension call(const std::string& word, std::size_t start) {
    const auto* function = std::find_if(std::begin(functions), std::end(functions),
                                        [&](const Function& f) { return f.name == word; });
    if (function == std::end(functions)) {
      std::vector<std::string> names;
      for (const auto& f : functions) names.emplace_back(f.name);
      fail(start, "unknown function '" + word +
                      "' (functions: exp log sqrt sin cos tanh abs min max"
                      " floor mod)." +
                      did_you_mean(word, names));
    }
    take("(");
    const std::size_t argument_start = at_;
    Dimension dimension = choice();
    const Operation operation = function->operation;
    if (operation == Operation::min || operation == Operation::max) {
      int count = 1;
      while (take(",")) {
        const std::size_t next_start = at_;
        const Dimension next = choice();
        if (next != dimension)
          fail(next_start, word + " of " + describe(dimension) + " and " + describe(next));
        emit(operation);
        ++count;
      }
      if (count < 2) fail(start, word + " needs at least two values, separated by commas");
    }
    if (operation == Operation::mod) {
      if (!take(",")) fail(start, "mod needs two values, separated by a comma");
      const std::size_t divisor_start = at_;
      const Dimension divisor = choice();
      if (divisor != dimension)
        fail(divisor_start, "mod of " + describe(dimension) + " and " + describe(divisor));
      emit(operation);
    }
    if (!take(")")) {
      if (at_ < text_.size() && text_[at_] == ',')
        fail(at_, word + (operation == Operation::mod ? " takes two values" : " takes one value"));
      fail(at_, "')' is missing");
    }
    if (operation == Operation::min || operation == Operation::max || operation == Operation::mod)
      return dimension;
    if (operation != Operation::abs && operation != Operation::sqrt)
      need_number(dimension, argument_start, "the value of " + word);
    if (operation == Operation::sqrt)
      for (int& exponent : dimension.exponents) {
        if (exponent % 2 != 0) fail(argument_start, "the square root of this value has no unit");
        exponent /= 2;
      }
    emit(operation);
    return dimension;
  }

  std::string_view text_;
  const std::vector<Variable>& allowed_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Instruction> code_;
};

}  // namespace

ParsedExpression parse_expression(std::string_view text, const std::vector<Variable>& allowed) {
  Parser parser(text, allowed);
  ParsedExpression result;
  result.dimension = parser.parse();
  result.code = parser.take_code();
  return result;
}

}  // namespace hillock
