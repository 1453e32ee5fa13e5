#!/usr/bin/env python3
"""What a mutation run changes, and what it leaves alone."""

import sys

import changes

CODE = """#include "core/index.hpp"
// a + b < 1
#if defined(__CUDACC__)
const double device = a + b;
#else
const double host = a + b;
#endif
template <class T = 1>
double middle(const std::array<double, 3>& values, int i) {
  const std::string text = "1 + 2" + name;
  if (i < 1'000 && values[i] == -0.5) throw Error("beyond" + std::to_string(i + 1));
  for (const auto& [key, value] : std::max(a, b)) sum *= value;
  fail(fmt::format("a", i + 1),
       i - 1);
  return lower_bound(x.begin(), x.end());
}
"""
EXPECTED = [
    (6, "sign", "const double host = a - b;"),
    (11, "sign", "if (i < 1'000 && values[i] == 0.5) throw"),
    (11, "index", "if (i <= 1'000 && values[i] == -0.5) throw"),
    (11, "index", "if (i < 1'000 && values[i + 1] == -0.5) throw"),
    (11, "constant", "if (i < 1'000 && values[i] == -1.0) throw"),
    (11, "comparison", "if (i > 1'000 && values[i] == -0.5) throw"),
    (11, "comparison", "if (i < 1'000 && values[i] != -0.5) throw"),
    (11, "logical", "if (i < 1'000 || values[i] == -0.5) throw"),
    (12, "factor", "for (const auto& [key, value] : std::max(a, b)) sum /= value;"),
    (12, "extremum", "for (const auto& [key, value] : std::min(a, b)) sum *= value;"),
    (15, "index", "return lower_bound(x.end(), x.end());"),
    (15, "index", "return lower_bound(x.begin(), x.begin());"),
    (15, "index", "return upper_bound(x.begin(), x.end());"),
]


def check(holds, what):
    if not holds:
        sys.exit(what)


found = list(changes.changes_in("core/index.cpp", CODE))
check(sorted((c.line, c.kind, c.after.strip().split(" throw")[0]) for c in found)
      == sorted((line, kind, text.split(" throw")[0]) for line, kind, text in EXPECTED),
      "\n".join(map(str, found)))
lines = CODE.split("\n")
for change in found:
    now = changes.applied(CODE, change).split("\n")
    check([i + 1 for i, line in enumerate(now) if line != lines[i]] == [change.line], f"more than a line: {change}")

drawn = list(changes.draw(found, 5))
check(drawn == list(changes.draw(found, 5)), "one seed draws two sets")
check(len({c.line for c in drawn}) == len(drawn) == len({c.line for c in found}), "a line is drawn twice, or never")
without = [change for change in drawn if change.line != 6]
check(list(changes.draw([c for c in found if c.line != 6], 5))[:2] == without[:2], "a line moves what else is drawn")
check(any(list(changes.draw(found, seed)) != drawn for seed in range(20)), "the seed is not heard")
check(list(changes.changes_in("core/index.hpp", "  double sum = 0, other = 1;  ///< a + b")) == [], "a default is a computation")
check(list(changes.changes_in("core/index.hpp", "Slot&& Slot::free() && {")) == [], "a qualifier is an operator")
check(list(changes.changes_in("core/index.hpp", "virtual int of(int) const = 0;")) == [], "= 0 is a number")
check(list(changes.changes_in("core/index.hpp", "  weight = 4,")) == [], "an enumerator is a computation")

known = changes.Equivalents(f"# a comment\n{found[0].described()}: as b is 0\n")
check(known.reason(found[0]) == "as b is 0" and known.reason(found[1]) is None, "equivalents are found by their text")
try:
    changes.applied(CODE.replace("a + b", "b + a"), found[0])
except ValueError:
    pass
else:
    sys.exit("a change is made in a line that is another one")
print(f"{len(found)} changes, and no other")
