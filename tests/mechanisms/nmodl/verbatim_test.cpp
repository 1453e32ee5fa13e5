// What C code does, beside what it says of itself.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mechanisms/nmodl/analyse/verbatim.hpp"

namespace hillock::nmodl {
namespace {

TEST(DoingCode, IsWithoutCommentsBlanksAndIncludes) {
  EXPECT_EQ(doing_code("#include <math.h>\n  /* of\n two lines */ a = b ; // c\n"), "a=b;");
  EXPECT_EQ(doing_code("static const char id[] = \"$Id: x /* y $\";\n"), "");
}

TEST(DoingCode, LeavesTextsAsTheyAre) {
  EXPECT_EQ(doing_code(R"(f("a // b", "/*") ;)"), R"(f("a // b","/*");)");
  EXPECT_EQ(doing_code(R"(f("") ; /* "c" */ g("");)"), R"(f("");g("");)");
  EXPECT_EQ(doing_code(R"(a = '"' ;)"), R"(a='"';)");  // no text begins here that ends
}

TEST(TakenFromIons, IsAllThatCodeMayDo) {
  EXPECT_EQ(taken_from_ions("cai=_ion_cai;ki=_ion_ki;"), (std::vector<std::string>{"cai", "ki"}));
  EXPECT_TRUE(taken_from_ions("cai=_ion_cai;x=1;").empty());
}

}  // namespace
}  // namespace hillock::nmodl
