// The grammar, construct by construct, seen through the syntax tree.

#include "mechanisms/nmodl/parse/parser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace hillock::nmodl {
namespace {

ast::File parsed(const std::string& text, const ReadInclude& include = {}) {
  Findings findings;
  Parsed result = parse("x.mod", text, include, findings);
  for (const auto& diagnostic : findings.all())
    if (diagnostic.severity == Severity::error) ADD_FAILURE() << to_string(diagnostic);
  return std::move(result.file);
}

/// The expression with every operator in brackets.
std::string text(const ast::Expression& node) {
  static const std::map<ast::Operator, std::string> symbols = {{ast::Operator::add, "+"},
                                                               {ast::Operator::subtract, "-"},
                                                               {ast::Operator::multiply, "*"},
                                                               {ast::Operator::divide, "/"},
                                                               {ast::Operator::power, "^"},
                                                               {ast::Operator::less, "<"},
                                                               {ast::Operator::greater, ">"},
                                                               {ast::Operator::less_equal, "<="},
                                                               {ast::Operator::greater_equal, ">="},
                                                               {ast::Operator::equal, "=="},
                                                               {ast::Operator::not_equal, "!="},
                                                               {ast::Operator::logical_and, "&&"},
                                                               {ast::Operator::logical_or, "||"},
                                                               {ast::Operator::minus, "-"},
                                                               {ast::Operator::logical_not, "!"}};
  switch (node.kind) {
    case ast::ExpressionKind::number: {
      std::string number = std::to_string(node.value);
      number.erase(number.find_last_not_of('0') + 1);
      if (number.back() == '.') number.pop_back();
      return number;
    }
    case ast::ExpressionKind::unary:
      return fmt::format("({}{})", symbols.at(node.op), text(node.operands[0]));
    case ast::ExpressionKind::binary:
      return fmt::format("({}{}{})", text(node.operands[0]), symbols.at(node.op),
                         text(node.operands[1]));
    case ast::ExpressionKind::element:
      return fmt::format("{}[{}]", node.name, text(node.operands[0]));
    case ast::ExpressionKind::call: {
      std::string arguments;
      for (const auto& operand : node.operands) {
        if (!arguments.empty()) arguments += ',';
        arguments += text(operand);
      }
      return fmt::format("{}({})", node.name, arguments);
    }
    default:
      return node.name;
  }
}

std::string grouped(const std::string& expression) {
  const ast::File file = parsed("INITIAL { x = " + expression + " }");
  return text(std::get<ast::Assignment>(file.blocks.at(0).body.at(0).node).value);
}

template <class Node>
const Node& only(const ast::File& file) {
  return std::get<Node>(file.blocks.at(0).body.at(0).node);
}

// What nocmodl of NEURON 8.2.2 writes as C for the same expressions groups in the same way.
TEST(NmodlExpression, GroupsAsNeuronDoes) {
  EXPECT_EQ(grouped("-2^2"), "(-(2^2))");
  EXPECT_EQ(grouped("2^-1"), "(2^(-1))");
  EXPECT_EQ(grouped("2^3^2"), "(2^(3^2))");
  EXPECT_EQ(grouped("2^-a^2"), "(2^(-(a^2)))");
  EXPECT_EQ(grouped("1 - -2*3"), "(1-((-2)*3))");
  EXPECT_EQ(grouped("-x*g"), "((-x)*g)");
  EXPECT_EQ(grouped("a*b^2"), "(a*(b^2))");
  EXPECT_EQ(grouped("a - b - c"), "((a-b)-c)");
  EXPECT_EQ(grouped("a/b/c*d"), "(((a/b)/c)*d)");
  EXPECT_EQ(grouped("!x == g && x < g || 1"), "((((!x)==g)&&(x<g))||1)");
  EXPECT_EQ(grouped("a < b == c"), "((a<b)==c)");
  EXPECT_EQ(grouped("a == b < c"), "(a==(b<c))");
  EXPECT_EQ(grouped("a || b && c"), "(a||(b&&c))");
  EXPECT_EQ(grouped("a + b > c - d"), "((a+b)>(c-d))");
  EXPECT_EQ(grouped("(a + b)*c"), "((a+b)*c)");
  EXPECT_EQ(grouped("--a"), "(-(-a))");
  EXPECT_EQ(grouped("f(a, b + 1)*g()"), "(f(a,(b+1))*g())");
  EXPECT_EQ(grouped("a[i + 1]^2"), "(a[(i+1)]^2)");
}

TEST(NmodlExpression, NumbersKeepTheirUnits) {
  const ast::File file = parsed("INITIAL { x = 2 (1/mV) * .5e-3(mV) + 5. }");
  const auto& value = only<ast::Assignment>(file).value;
  EXPECT_EQ(text(value), "((2*0.0005)+5)");
  EXPECT_EQ(value.operands[0].operands[0].unit, "1/mV");
  EXPECT_EQ(value.operands[0].operands[1].unit, "mV");
  EXPECT_FALSE(value.operands[1].unit);
}

TEST(NmodlExpression, DefinedNamesAreNumbers) {
  const ast::File file =
      parsed("DEFINE N 3\nASSIGNED { a[N] }\nINITIAL { FROM i = 0 TO N-1 { a[i] = N } }");
  EXPECT_EQ(file.declarations.at(0).size, 3);
  EXPECT_EQ(text(only<ast::Loop>(file).last), "(3-1)");
}

TEST(NmodlLexer, LeavesOutCommentsOfEveryKind) {
  const ast::File file = parsed(
      "TITLE  a title : with a colon \n"
      ": to the end { of the line\r\n"
      "? as well\r"
      "COMMENT { anything\n\"at all ENDCOMMENTS ENDCOMMENT\n"
      "UNITSOFF ASSIGNED { a : b\n c ? d\n } UNITSON");
  EXPECT_EQ(file.title, "a title : with a colon");
  ASSERT_EQ(file.declarations.size(), 2u);
  EXPECT_EQ(file.declarations[1].name, "c");
  EXPECT_EQ(file.declarations[1].position, (Position{0, 7, 2}));
}

TEST(NmodlParser, ReadsTheNeuronBlock) {
  const ast::File file = parsed(
      "NEURON { POINT_PROCESS Syn RANGE a, b RANGE c GLOBAL d POINTER p BBCOREPOINTER q\n"
      "THREADSAFE USEION ca READ cai, cao WRITE ica VALENCE 2 USEION x READ ex CHARGE -1\n"
      "USEION na READ ena REPRESENTS CHEBI:29101\n"
      "NONSPECIFIC_CURRENT i ELECTRODE_CURRENT j EXTERNAL t RANDOM r, s }");
  EXPECT_EQ(file.mechanism->text, "Syn");
  EXPECT_EQ(file.form, ast::MechanismForm::point_process);
  EXPECT_EQ(file.range.size(), 3u);
  EXPECT_TRUE(file.threadsafe);
  ASSERT_EQ(file.ions.size(), 3u);
  EXPECT_EQ(file.ions[0].read.size(), 2u);
  EXPECT_EQ(file.ions[0].valence, 2);
  EXPECT_EQ(file.ions[1].valence, -1);
  EXPECT_EQ(file.ions[2].represents, "CHEBI");
  EXPECT_EQ(file.random.size(), 2u);
  EXPECT_EQ(file.electrode_currents.at(0).text, "j");
}

TEST(NmodlParser, ReadsDeclarations) {
  const ast::File file = parsed(
      "PARAMETER { a = -1.5 (mV) <-1e2, 1e2> b c (ms) d = 2 <0, 3> (mS) }\n"
      "CONSTANT { q = 3 (1) }\n"
      "STATE { m h[4] (mM) <1e-3> n FROM 0 TO 1 START .5 }\n"
      "LOCAL u, w[2]\n"
      "INDEPENDENT { t FROM 0 TO 1 WITH 1 (ms) }");
  const auto& list = file.declarations;
  ASSERT_EQ(list.size(), 10u);
  EXPECT_EQ(list[0].value, -1.5);
  EXPECT_EQ(list[0].unit, "mV");
  EXPECT_EQ(list[0].limits->minimum, -100);
  EXPECT_FALSE(list[1].value);
  EXPECT_EQ(list[3].unit, "mS");
  EXPECT_EQ(list[4].section, ast::Declaration::Section::constant);
  EXPECT_EQ(list[6].size, 4);
  EXPECT_EQ(list[7].value, .5);
  EXPECT_EQ(list[9].size, 2);
}

TEST(NmodlParser, ReadsUnits) {
  const ast::File file = parsed(
      "UNITS { (mV) = (millivolt) F = 96485.309 (coul) R = (k-mole) (joule/degC)\n"
      "feet = (foot) -> (inch) }");
  EXPECT_EQ(file.units.at(0).definition, "millivolt");
  EXPECT_EQ(file.unit_constants.at(0).value, 96485.309);
  EXPECT_EQ(file.unit_constants.at(1).definition, "k-mole");
  EXPECT_TRUE(file.unit_constants.at(2).is_conversion);
}

TEST(NmodlParser, ReadsControlFlow) {
  const ast::File file = parsed(
      "INITIAL { if (a > 1) { x = 1 } else if (b) { x = 2 } ELSE { x = 3 } }\n"
      "BREAKPOINT { FROM i = 0 TO 10 BY 2 { x = i } }\n"
      "PROCEDURE p(u (mV), w) (ms) { LOCAL y, z[2] while (y < 3) { y = y + 1 } { LOCAL k k = 1 } "
      "}");
  const auto& choice = only<ast::If>(file);
  EXPECT_EQ(choice.branches.size(), 2u);
  EXPECT_TRUE(choice.otherwise);
  EXPECT_TRUE(std::get<ast::Loop>(file.blocks[1].body[0].node).step);
  EXPECT_EQ(file.blocks[2].arguments.at(0).unit, "mV");
  EXPECT_EQ(file.blocks[2].unit, "ms");
  EXPECT_EQ(file.blocks[2].body.size(), 3u);
}

TEST(NmodlParser, ReadsKinetics) {
  const ast::File file = parsed(
      "KINETIC k SOLVEFOR a, b { ~ a + 2 b[1] <-> c (1, 2*(x + 1))\n ~ a -> (x) ~ b[0] << (-x)\n"
      "CONSERVE a + 3 c = 1 COMPARTMENT i, x*vol[i] {a b} COMPARTMENT 1e10 {c}\n"
      "LONGITUDINAL_DIFFUSION i, D*vol[i] {b} x = f_flux - b_flux }");
  const ast::Block& block = file.blocks.at(0);
  EXPECT_EQ(block.solve_for.size(), 2u);
  const auto& first = std::get<ast::Reaction>(block.body.at(0).node);
  EXPECT_EQ(first.left.at(1).coefficient, 2);
  EXPECT_EQ(first.left.at(1).state.name, "b");
  EXPECT_EQ(text(*first.backward), "(2*(x+1))");
  EXPECT_EQ(std::get<ast::Reaction>(block.body.at(1).node).arrow, ast::Arrow::out);
  EXPECT_EQ(std::get<ast::Reaction>(block.body.at(2).node).arrow, ast::Arrow::into);
  EXPECT_EQ(std::get<ast::Conserve>(block.body.at(3).node).terms.at(1).coefficient, 3);
  EXPECT_EQ(std::get<ast::Compartment>(block.body.at(4).node).index->text, "i");
  EXPECT_FALSE(std::get<ast::Compartment>(block.body.at(5).node).index);
  EXPECT_EQ(std::get<ast::LongitudinalDiffusion>(block.body.at(6).node).states.at(0).text, "b");
}

TEST(NmodlParser, ReadsEquationsAndDerivatives) {
  const ast::File file =
      parsed("LINEAR l { ~ a + 2*b = x ~+ c = 1 ~ b = 3 }\nDERIVATIVE d { m' = -m h[1]' = 2 }");
  EXPECT_TRUE(std::get<ast::Equation>(file.blocks[0].body[1].node).adds_to_previous);
  EXPECT_EQ(file.blocks[0].body.size(), 3u);
  EXPECT_EQ(text(std::get<ast::DerivativeEquation>(file.blocks[1].body[1].node).target), "h[1]");
}

TEST(NmodlParser, ReadsSolveAndTable) {
  const ast::File file = parsed(
      "BREAKPOINT { SOLVE a METHOD cnexp SOLVE b STEADYSTATE sparse SOLVE c IFERROR { x = 1 } }\n"
      "PROCEDURE p(u) { TABLE y, z DEPEND celsius, x FROM -100 TO x + 1 WITH 200 y = u }\n"
      "FUNCTION f(u) { TABLE FROM 0 TO 1 WITH 10 f = u }\nFUNCTION_TABLE g(u (mV), w) (ms)");
  EXPECT_EQ(only<ast::Solve>(file).method->text, "cnexp");
  EXPECT_TRUE(std::get<ast::Solve>(file.blocks[0].body[1].node).steady_state);
  EXPECT_TRUE(std::get<ast::Solve>(file.blocks[0].body[2].node).if_error);
  const auto& table = std::get<ast::Table>(file.blocks[1].body[0].node);
  EXPECT_EQ(table.variables.size(), 2u);
  EXPECT_EQ(table.dependencies.size(), 2u);
  EXPECT_EQ(table.intervals, 200);
  EXPECT_TRUE(std::get<ast::Table>(file.blocks[2].body[0].node).variables.empty());
  EXPECT_EQ(file.blocks[3].kind, ast::BlockKind::function_table);
}

TEST(NmodlParser, ReadsEvents) {
  const ast::File file = parsed(
      "NET_RECEIVE(w (uS), a, b) { INITIAL { a = 0 } if (flag == 0) { net_send(x, 1) }\n"
      "WATCH (v > 2) 3 WATCH (v < 1) 2 + 1 FOR_NETCONS(u, c, d) { c = u } net_event(t) }\n"
      "BEFORE BREAKPOINT { } AFTER SOLVE { } BEFORE STEP { } AFTER INITIAL { } BEFORE INITIAL { }\n"
      "CONSTRUCTOR { } DESTRUCTOR { VERBATIM\n ENDVERBATIM }");
  const auto& body = file.blocks.at(0).body;
  EXPECT_EQ(file.blocks[0].arguments.size(), 3u);
  EXPECT_EQ(text(std::get<ast::Watch>(body.at(3).node).flag), "(2+1)");
  EXPECT_EQ(std::get<ast::ForNetcons>(body.at(4).node).arguments.size(), 3u);
  EXPECT_EQ(file.blocks.at(2).kind, ast::BlockKind::after_solve);
  EXPECT_EQ(file.blocks.size(), 8u);
}

TEST(NmodlParser, ReadsProtectionAndConductanceHints) {
  const ast::File file = parsed(
      "BREAKPOINT { CONDUCTANCE g USEION na MUTEXLOCK PROTECT n = n + 1 MUTEXUNLOCK }\n"
      "DISCRETE d { n = n@1 }");
  EXPECT_EQ(only<ast::Conductance>(file).ion->text, "na");
  EXPECT_TRUE(std::get<ast::Assignment>(file.blocks[0].body[2].node).is_protected);
  EXPECT_EQ(std::get<ast::Assignment>(file.blocks[1].body[0].node).value.steps_back, 1);
}

TEST(NmodlParser, IncludesFilesBesideTheFile) {
  const ReadInclude include = [](const std::filesystem::path& path) -> std::optional<std::string> {
    if (path == "sub/part.inc") return "ASSIGNED { a }\nDEFINE N 4\n";
    return std::nullopt;
  };
  Findings findings;
  const Parsed result =
      parse("sub/x.mod", "INCLUDE \"part.inc\"\nASSIGNED { b[N] }", include, findings);
  EXPECT_FALSE(findings.has_errors());
  EXPECT_EQ(result.file.files, (std::vector<std::string>{"sub/x.mod", "sub/part.inc"}));
  EXPECT_EQ(result.file.declarations.at(0).position.file, 1);
  EXPECT_EQ(result.file.declarations.at(1).size, 4);
}

TEST(NmodlParser, RefusesWhatIsNestedTooDeep) {
  const std::string deep(5000, '(');
  Findings findings;
  parse("x.mod", "INITIAL { x = " + deep, {}, findings);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].message, "brackets, calls and blocks are nested too deeply");
  std::string sum = "INITIAL { x = 1";
  for (int i = 0; i < 2000; ++i) sum += " + 1";
  Findings long_sum;
  parse("x.mod", sum + " }", {}, long_sum);
  ASSERT_EQ(long_sum.all().size(), 1u);
  EXPECT_EQ(long_sum.all()[0].message,
            "the expression has more than 1000 terms in a row; split it over several assignments");
}

TEST(NmodlParser, RefusesAFileThatIncludesItself) {
  Findings findings;
  const ReadInclude include = [](const auto&) {
    return std::optional<std::string>("INCLUDE \"x\"");
  };
  parse("x.mod", "INCLUDE \"x\"", include, findings);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].message, "too many INCLUDEs inside one another");
}

TEST(NmodlParser, SaysOfAnIncludedFileThatIsNoNmodlNothingButThat) {
  const auto found = [](const std::string& included) {
    Findings findings;
    parse(
        "x.mod", "NEURON { SUFFIX x }\nINCLUDE \"other\"\nASSIGNED { a }",
        [&](const auto&) { return std::optional<std::string>(included); }, findings);
    std::string texts;
    for (const Diagnostic& one : findings.all())
      texts += one.place.file + ":" + std::to_string(one.place.line) + ":" +
               std::to_string(one.place.column) + ": " + one.message + "\n";
    return texts;
  };
  const std::string refused =
      "x.mod:2:9: the file \"other\" that INCLUDE names is not NMODL (no line of it begins a block "
      "such as PARAMETER or FUNCTION)\n";
  EXPECT_EQ(found("root:x:0:0:root:/root:/bin/bash\n"), refused);
  EXPECT_EQ(found("secret = \"not closed\nVERBA TIM"), refused);
  EXPECT_EQ(found(std::string(3, '\0')), refused);
  EXPECT_EQ(found(std::string(largest_file + 1, ' ')),
            "x.mod:2:9: the file \"other\" that INCLUDE names is larger than 4 MiB\n");
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(found(": nothing but a comment\n"), "");
  EXPECT_EQ(found("TITLE x\n"), "");
  EXPECT_EQ(found("PARAMETER { b = 1 }\nWORD"), "other:2:1: 'WORD' begins no block of NMODL\n");
}

}  // namespace
}  // namespace hillock::nmodl
