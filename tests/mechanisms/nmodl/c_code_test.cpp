// C code that becomes NMODL, and C code that does not.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/check.hpp"

namespace hillock::nmodl {
namespace {

/// In the words of C, every operation in brackets.
std::string text_of(const ast::Expression& e) {
  constexpr const char* operators[] = {"+",  "-",  "*",  "/",  "^", "<", ">",
                                       "<=", ">=", "==", "!=", "&", "|"};
  const auto operand = [&](std::size_t i) { return text_of(e.operands[i]); };
  switch (e.kind) {
    case ast::ExpressionKind::number:
      return fmt::format("{}", e.value);
    case ast::ExpressionKind::element:
      return fmt::format("{}[{}]", e.name, operand(0));
    case ast::ExpressionKind::unary:
      return fmt::format("({}{})", e.op == ast::Operator::minus ? "-" : "!", operand(0));
    case ast::ExpressionKind::binary:
      return fmt::format("({}{}{})", operand(0), operators[static_cast<int>(e.op)], operand(1));
    case ast::ExpressionKind::call: {
      std::string arguments;
      for (const auto& argument : e.operands)
        arguments += (arguments.empty() ? "" : ",") + text_of(argument);
      return e.name + "(" + arguments + ")";
    }
    default:
      return e.name;
  }
}

std::string text_of(const ast::Statements& list);

struct TextOf {
  std::string operator()(const ast::Locals& node) const {
    std::string names;
    for (const auto& one : node.names)
      names += " " + one.name + (one.size > 0 ? fmt::format("[{}]", one.size) : "");
    return "LOCAL" + names + ";";
  }
  std::string operator()(const ast::Assignment& node) const {
    return text_of(node.target) + "=" + text_of(node.value) + ";";
  }
  std::string operator()(const ast::Call& node) const { return text_of(node.call) + ";"; }
  std::string operator()(const ast::If& node) const {
    std::string text;
    for (const auto& branch : node.branches)
      text += "if" + text_of(branch.condition) + "{" + text_of(branch.body) + "}";
    return text + (node.otherwise ? "else{" + text_of(*node.otherwise) + "}" : "");
  }
  std::string operator()(const ast::While& node) const {
    return "while" + text_of(node.condition) + "{" + text_of(node.body) + "}";
  }
  std::string operator()(const ast::Loop& node) const {
    return "FROM " + node.index.text + "{" + text_of(node.body) + "}";
  }
  std::string operator()(const ast::Scope& node) const { return text_of(node.body); }
  std::string operator()(const auto&) const { return "?;"; }
};

std::string text_of(const ast::Statements& list) {
  std::string text;
  for (const auto& s : list) text += std::visit(TextOf{}, s.node);
  return text;
}

constexpr const char* head =
    "NEURON { POINT_PROCESS x RANGE a, b, c NONSPECIFIC_CURRENT il USEION ca READ cai WRITE ica "
    "POINTER far }\n"
    "PARAMETER { a b }\nASSIGNED { c[4] il far cai ica v }\nLOCAL top\n"
    "FUNCTION two(p) { two = 2*p }\nPROCEDURE put(p) { c[0] = p }\n";

/// What a block of all of this is read as: a FUNCTION f(y) with a LOCAL x, `code` in the middle.
std::string in_function(const std::string& code, const std::string& behind = "") {
  const Checked checked = check_text(
      "x.mod",
      fmt::format("{}BREAKPOINT {{ il = f(v) }}\nFUNCTION f(y) {{ LOCAL x\n x = 1\nVERBATIM\n"
                  "{}\nENDVERBATIM\n{}}}",
                  head, code, behind));
  std::string errors;
  for (const auto& one : checked.diagnostics)
    if (one.severity == Severity::error) {
      const auto reason = one.message.find("is refused: ");
      errors += reason == std::string::npos ? one.message : one.message.substr(reason + 12);
      errors += ";";
    }
  if (!checked.module) return errors;
  std::string text = text_of(checked.module->syntax.blocks.back().body);
  const std::string begins = "x=1;";
  const auto found = text.find(begins);
  return text.substr(0, found) + "|" + text.substr(found + begins.size());
}

TEST(NmodlCCode, StatementsAreThoseOfNmodl) {
  EXPECT_EQ(in_function("_lx = a + 2.5e-1*_ly; /* that */ b = _lx; // this"),
            "LOCAL x;|x=(a+(0.25*y));b=x;");
  EXPECT_EQ(in_function("a += b; a -= 1.; a *= 2; a /= b; a++; --a;"),
            "LOCAL x;|a=(a+b);a=(a-1);a=(a*2);a=(a/b);a=(a+1);a=(a-1);");
  EXPECT_EQ(in_function("a = b = 0;"), "LOCAL x;|b=0;a=b;");
  EXPECT_EQ(in_function("if (a > b && !b) _lf = 1; else { if (a == -b) _lf = two(a); }"),
            "LOCAL x;|if((a>b)&(!b)){f=1;}else{if(a==(-b)){f=two(a);}}");
  EXPECT_EQ(in_function("a = b > 0 ? 1. : (b < 0 ? 2. : 3.);"),
            "LOCAL x;|if(b>0){a=1;}else{if(b<0){a=2;}else{a=3;}}");
  EXPECT_EQ(in_function("if ((a = 1/b) < 2 && b) { a = 2; }"),
            "LOCAL x;|a=(1/b);if((a<2)&b){a=2;}");
  EXPECT_EQ(in_function("double d = a, e[3]; e[1] = d; a = e[1];"),
            "LOCAL d e[3];LOCAL x;|d=a;e[1]=d;a=e[1];");
  EXPECT_EQ(in_function("put(a); put(_threadargscomma_ t); a = two(_threadargscomma_ exp(b));"),
            "LOCAL x;|put(a);put(t);a=two(exp(b));");
  EXPECT_EQ(in_function("top"), "it ends too early;");
  EXPECT_EQ(in_function("_ltop = far; far = cai; cai = _ion_cai; a = _ion_cai; ica = M_PI;"),
            "LOCAL x;|top=far;far=cai;a=cai;ica=3.141592653589793;");
}

TEST(NmodlCCode, IntsAreCut) {
  const auto cut = [](const std::string& of) {
    return fmt::format("(fmin(ceil({0}),0)+fmax(floor({0}),0))", of);
  };
  EXPECT_EQ(in_function("int k = a; k = 2.7; k = -2.7;"),
            "LOCAL k;LOCAL x;|k=" + cut("a") + ";k=2;k=-2;");
  EXPECT_EQ(in_function("a = 1/2; b = 1./2;"), "LOCAL x;|a=" + cut("(1/2)") + ";b=(1/2);");
  EXPECT_EQ(
      in_function("int i = 7, j = 2; a = i/j; a = (double)i/j; a = i%j;"),
      "LOCAL i j;LOCAL x;|i=7;j=2;a=" + cut("(i/j)") + ";a=(i/j);a=(i-(" + cut("(i/j)") + "*j));");
  EXPECT_EQ(in_function("c[(int)a] = (int)(a > b); c[2] = (int)floor(a + .5);"),
            "LOCAL x;|c[" + cut("a") + "]=(a>b);c[2]=" + cut("floor((a+0.5))") + ";");
  EXPECT_EQ(in_function("int i = scop_random();"), "an int is made of what a function gives;");
  EXPECT_EQ(in_function("int s = a; s = s*1103515245 + 12345;"),
            "a product of ints that may be too large for an int;");
}

TEST(NmodlCCode, LoopsAsFarAsTheyGo) {
  EXPECT_EQ(in_function("int i; for (i = 0; i < 4; i++) c[i] = i;"),
            "LOCAL i;LOCAL x;|i=0;while(i<4){c[i]=i;i=(i+1);}");
  EXPECT_EQ(in_function("while (a < 3) { if (b > a) break; a++; }"),
            "LOCAL leaves_1_;LOCAL x;|leaves_1_=0;while((leaves_1_==0)&(a<3)){if(b>a){leaves_1_=1;}"
            "if(leaves_1_==0){a=(a+1);}}");
  EXPECT_EQ(in_function("for (; a < 3; a++) { if (b > a) continue; b = a; }"),
            "LOCAL leaves_1_;LOCAL x;|while(a<3){leaves_1_=0;if(b>a){leaves_1_=1;}"
            "if(leaves_1_==0){b=a;}a=(a+1);}");
  EXPECT_EQ(in_function("do a++; while (a < 3);"),
            "LOCAL begun_1_;LOCAL x;|begun_1_=0;while((begun_1_==0)|(a<3)){begun_1_=1;a=(a+1);}");
  EXPECT_EQ(in_function("switch ((int)1) { case 0: a = 1; break; case 1: case 2: a = 2; break; "
                        "default: a = 3; }"),
            "LOCAL x;|if(1==0){a=1;}else{if((1==1)|(1==2)){a=2;}else{a=3;}}");
}

TEST(NmodlCCode, ReturnsLeaveTheBlock) {
  EXPECT_EQ(in_function("return a;"), "LOCAL x;|f=a;");
  EXPECT_EQ(in_function("return 0;"), "LOCAL x;|f=0;");
  const std::string begins = "LOCAL returns_from_c_;LOCAL x;returns_from_c_=0;|";
  EXPECT_EQ(in_function("if (a) return 1;", "f = 2"),
            begins + "if" + "a{f=1;returns_from_c_=1;}if(returns_from_c_==0){f=2;}");
  EXPECT_EQ(in_function("while (a > 1) { if (b) return b > 2 ? a : b; a = a/2; } _lf = 4;"),
            begins +
                "while((returns_from_c_==0)&(a>1)){ifb{if(b>2){f=a;}else{f=b;}returns_from_c_=1;}"
                "if(returns_from_c_==0){a=(a/2);}}if(returns_from_c_==0){f=4;}");
}

TEST(NmodlCCode, WhatDoesNothingIsLeftOut) {
  EXPECT_EQ(
      in_function(
          "extern double exprand(double), q; double other(int); static const char n[] = \"//\";"
          "printf(\"%g %s\", (float)a, secname(s)); fprintf(stderr, \"\\\"\"); ;"),
      "LOCAL x;|");
  EXPECT_EQ(in_function("if (cvode_active_) { hoc_execerror(\"no\", 0); }"), "LOCAL x;|");
  EXPECT_EQ(in_function("assert(a > 0 && fabs(b) < 3);"), "LOCAL x;|");
  EXPECT_EQ(in_function("assert(a++);"), "'++' is not taken;");
  EXPECT_EQ(in_function("printf(\"%g\", a++);"), "'++' is not taken;");
  EXPECT_EQ(in_function("fprintf(f, \"%g\", a);"), "'fprintf()' is not taken;");
}

TEST(NmodlCCode, OtherCodeIsRefused) {
  for (const auto& [code, reason] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a = &b;", "'&' is not taken;"},
           {"a = *b;", "'*' is not taken;"},
           {"a = b->c;", "'->' is not taken;"},
           {"a = b & 1;", "'&' is not taken;"},
           {"a = b << 1;", "'<<' is not taken;"},
           {"a = (b = 1) + 1;", "an assignment within an expression;"},
           {"a = 1 + (b ? 1 : 2);", "a choice within an expression;"},
           {"a = 07;", "'07' is not taken;"},
           {"a = 1.f;", "'1.f' is not taken;"},
           {"a = 3000000000;", "'3000000000' is not taken;"},
           {"a = 'x';", "a text;"},
           {"a = abs(b);", "'abs()' is not taken;"},
           {"a = put(b);", "a PROCEDURE has no value;"},
           {"a;", "a value alone;"},
           {"x = 1;", "'x' is declared nowhere;"},
           {"_la = 1;", "'_la' is declared nowhere;"},
           {"top = 1;", "'top' is declared nowhere;"},
           {"c[a] = 1;", "an index that is no int;"},
           {"_args[0] = 1;", "'_args' of that number is not taken;"},
           {"float q;", "'float' declares what is no double and no int;"},
           {"static double q;", "'static' declares what is no double and no int;"},
           {"double* q;", "'*' is not taken;"},
           {"double a;", "'a' is declared, and means something else around;"},
           {"extern double a;", "'a' is declared anew;"},
           {"int n[k];", "an array of a size that is no number;"},
           {"break;", "'break' is not taken;"},
           {"switch ((int)a) { case 0: b = 1; default: b = 2; }",
            "a case that goes on into the next;"},
           {"#if 1\na = 1;\n#endif", "'#if' is not taken;"},
           {"a = \u00e9;", "'\u00e9' is not taken;"},
           {"goto there;", "'there' is not taken;"},
           {"if (a) {", "it ends within brackets or #if;"},
           {"a = \"b\";", "a text;"},
           {"a = b", "it ends too early;"},
           {"/* open", "a comment does not end;"},
           {"a = \"open;", "a text does not end on its line;"},
           {"return;", "it returns no value;"}})
    EXPECT_TRUE(in_function(code).starts_with(reason) ||
                in_function(code).find(reason) != std::string::npos)
        << code << ": " << in_function(code);
  EXPECT_EQ(in_function("a = " + std::string(1000, '(') + std::string(1000, ')')),
            "it is nested too deeply;");
}

bool is_taken(const std::string& text) {
  return check_text("x.mod", head + text).module.has_value();
}

TEST(NmodlCCode, WhatNobodyCallsMayBeAnything) {
  EXPECT_TRUE(
      is_taken("PROCEDURE p() {\nVERBATIM\nvoid** at = (void**)&a; *at = 0;\nENDVERBATIM\n}"));
  EXPECT_TRUE(is_taken("DESTRUCTOR {\nVERBATIM\nfree(at);\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("INITIAL { p() }\nPROCEDURE p() {\nVERBATIM\n*at = 0;\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("PROCEDURE p() {\nVERBATIM\n#if 0\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("PROCEDURE p() {\nVERBATIM\n#define b 2\nENDVERBATIM\n}"));
  EXPECT_TRUE(
      is_taken("VERBATIM\n#ifdef ABC\n#define CAST (Rand*)\n#endif\ndouble g(void* r);\n"
               "static int n = 1;\nint h(int k) { return k + 1; }\nENDVERBATIM\n"));
  EXPECT_FALSE(is_taken(
      "VERBATIM\n#define u 3\nENDVERBATIM\nINITIAL {\nVERBATIM\ndouble u; u = 1;\nENDVERBATIM\n}"));
  EXPECT_FALSE(
      is_taken("VERBATIM\nint h(int k) { return k; }\nENDVERBATIM\nINITIAL {\nVERBATIM\na = "
               "h(1);\nENDVERBATIM\n}"));
}

TEST(NmodlCCode, EachBlockHasItsOwn) {
  EXPECT_TRUE(is_taken(
      "NET_RECEIVE (w, y) {\nVERBATIM\na = _args[0]; _args[1] = t; if (_lflag == 1) return;\n"
      "ENDVERBATIM\n b = w }"));
  EXPECT_FALSE(is_taken("NET_RECEIVE (w) {\nVERBATIM\na = _args[1];\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("NET_RECEIVE (w) {\nVERBATIM\na = _lw;\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("NET_RECEIVE (w) { INITIAL {\nVERBATIM\nreturn;\nENDVERBATIM\n} }"));
  EXPECT_TRUE(is_taken("INITIAL { FROM k = 0 TO 3 {\nVERBATIM\nc[_lk] = _lk/2;\nENDVERBATIM\n} }"));
  EXPECT_FALSE(is_taken("INITIAL { FROM k = 0 TO 3 {\nVERBATIM\nbreak;\nENDVERBATIM\n} }"));
  EXPECT_TRUE(is_taken("INITIAL { a = 1\nVERBATIM\nreturn;\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("INITIAL {\nVERBATIM\nreturn;\nENDVERBATIM\n a = 1 }"));
  EXPECT_FALSE(is_taken("BREAKPOINT { a = 1\nVERBATIM\nreturn 0;\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken(
      "STATE { s }\nBREAKPOINT { SOLVE d METHOD cnexp }\nDERIVATIVE d { s' = -s\nVERBATIM\na = 1;"
      "\nENDVERBATIM\n}"));
  EXPECT_TRUE(
      is_taken("STATE { s }\nBREAKPOINT { SOLVE d METHOD cnexp }\nDERIVATIVE d { s' = "
               "-s\nVERBATIM\nreturn 0;"
               "\nENDVERBATIM\n}"));
  EXPECT_TRUE(
      is_taken("INITIAL { p() }\nPROCEDURE p() {\nVERBATIM\ndouble q = a;\nENDVERBATIM\n b = "
               "1\nVERBATIM\nb = q;"
               "\nENDVERBATIM\n}"));
  EXPECT_FALSE(is_taken("INITIAL { LOCAL a\nVERBATIM\na = 1;\nENDVERBATIM\n}"));
}

}  // namespace
}  // namespace hillock::nmodl
