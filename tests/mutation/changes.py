"""Small changes of C++ code: of a sign, an index, a constant, a comparison, a logical operator, a factor, a minimum.

changes_in() finds them, draw() chooses among them by kind and line, Equivalents knows those that change nothing.  Only
lines that compute are changed: neither comments, texts and directives nor what makes a message, neither enumerators
and a member's default in a header nor what only another compiler sees.
"""

import collections
import dataclasses
import random
import re


@dataclasses.dataclass(frozen=True)
class Change:
    path: str  # from the root of the project
    line: int  # from 1 on
    kind: str
    before: str
    after: str

    def described(self):
        return f"{self.path}: {self.before.strip()} → {self.after.strip()}"


def swapped(*pairs):
    """A replacement: each of a pair becomes the other."""
    other = {a: b for a, b in pairs} | {b: a for a, b in pairs}
    return lambda match: other[match[0]]


def other_constant(match):
    """0.5 becomes 1, 0 becomes 1, 1 becomes 2, 10 becomes 100; others are one more, or twice as large."""
    number = match[1]
    if "." in number or "e" in number:
        return {"0.5": "1.0", "0.0": "1.0"}.get(number, repr(2 * float(number)))
    return {"10": "100", "100": "1000"}.get(number, str(int(number) + 1))


ORDER = r"(?<= ){}(?= |$)"
KINDS = {
    "sign": [(r"(?<= )[-+](?= |$|= )", swapped("+-")),
             (r"(?:(?<=[(\[{])|(?<=[,=?:<>*/&|] )|(?<=return ))-(?=[\w(.])", lambda match: "")],
    "index": [(r"(?<=[\w\])])\[([A-Za-z_]\w*)\]", lambda match: f"[{match[1]} + 1]"),
              (ORDER.format("(?:<=?|>=?)"), swapped(("<", "<="), (">", ">="))),
              (r"(?<=[.>])(?:begin|end)\b", swapped(("begin", "end"))),
              (r"\b(?:lower|upper)_bound(?=\()", swapped(("lower_bound", "upper_bound")))],
    "constant": [(r"(?<![\w.'])(\d+(?:\.\d*)?(?:e-?\d+)?)(?=[uUlL]*(?![\w.']))", other_constant)],
    "comparison": [(ORDER.format("(?:<=?|>=?|==|!=)"), swapped("<>", ("<=", ">="), ("==", "!=")))],
    "logical": [(ORDER.format(r"(?:&&|\|\|)") + r"(?! \{)", swapped(("&&", "||")))],
    "factor": [(r"(?<= )[*/](?= |$|= )", swapped("*/"))],
    "extremum": [(r"(?:(?<=::)|(?<=[(\[{!])|(?<=[=,?:+*/<-] )|(?<=return ))(?:min|max)(?=(?:_element)?\([^)])",
                  swapped(("min", "max")))],
}

# What is no code: texts (raw ones, too) and comments.
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                     r"|//[^\n]*|/\*.*?\*/", re.DOTALL)
# From these words on a statement makes a message.
MESSAGE = re.compile(r"\b(?:throw|reject\w*|refuse\w*|fail\w*|(?:add_)?error|warn\w*|format|format_to|print\w*"
                     r"|static_assert|what|describe)\b")
# Lines that name, and compute nothing.
NAMING = re.compile(r"\s*(?:template\b|using\b|friend\b|namespace\b|\w+ = \w+,?$|.*\)(?: const)?(?: noexcept)? = 0;)")
DEFAULT = re.compile(r"\s*[A-Za-z_][\w:<>, ]*[&*]? \w+ = -?[\w.]+(?:, \w+ = -?[\w.]+)*;\s*$")
TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<[^<>;{}()]*>")
# What the build of a mutation run does not compile.
UNSEEN = re.compile(r"__CUDA|AVX512|HILLOCK_LEFT_OUT")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def seen_lines(lines):
    """The lines, with directives blanked, and what lies between those of code that is not compiled."""
    inside = []  # of every #if: is this part unseen?
    continued = False
    for line in lines:
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if directive and directive[1].startswith("if"):
            unseen = bool(UNSEEN.search(directive[2])) and "!" not in directive[2] and directive[1] != "ifndef"
            negated = bool(UNSEEN.search(directive[2])) and not unseen
            inside.append((unseen, negated))
        elif directive and directive[1] in ("else", "elif") and inside:
            inside[-1] = (inside[-1][1], False)
        elif directive and directive[1] == "endif" and inside:
            inside.pop()
        hidden = directive or continued or any(unseen for unseen, _ in inside)
        continued = bool(directive or continued) and line.endswith("\\")
        yield blank(line) if hidden else line


def code_of(text):
    """The text with blanks for all that is no code."""
    code = NO_CODE.sub(lambda match: blank(match[0]), text)
    return list(seen_lines(code.split("\n")))


def statement_before(code, number, column):
    """What of a statement lies before a place."""
    text = code[number][:column]
    while number > 0 and ";" not in text:
        number -= 1
        if not code[number].strip() or re.search(r"[;{}:]\s*$", code[number]):
            break
        text = code[number] + " " + text
    return text.rpartition(";")[2]


def sites_in(line, pattern, is_header):
    if NAMING.match(line) or is_header and DEFAULT.match(line):
        return
    arguments = [match.span() for match in TEMPLATE_ARGUMENTS.finditer(line)]
    for match in re.finditer(pattern, line):
        if not any(begin <= match.start() < end for begin, end in arguments):
            yield match


def changes_in(path, text):
    """All changes of one file, by line."""
    lines, code = text.split("\n"), code_of(text)
    for number, line in enumerate(code):
        for kind, rules in KINDS.items():
            for pattern, replacement in rules:
                for match in sites_in(line, pattern, path.endswith(".hpp")):
                    if MESSAGE.search(statement_before(code, number, match.start())):
                        continue
                    before = lines[number]
                    if '"' in (before[:match.start()].rstrip()[-1:], before[match.end():].lstrip()[:1]):
                        continue  # a text is joined, or compared
                    after = before[:match.start()] + replacement(match) + before[match.end():]
                    yield Change(path, number + 1, kind, before, after)


def draw(changes, seed):
    """Changes in the order in which they are drawn: each kind in turn, a line that has it, one of its places.  A line
    is drawn once.  What is drawn depends on its text alone, so that a change elsewhere leaves the rest as it is."""
    lines = {}
    for change in changes:
        lines.setdefault((change.path, change.line), []).append(change)
    seen = collections.Counter()
    by_kind = {}
    for (path, _), of_line in sorted(lines.items()):
        text = (path, of_line[0].before.strip())
        seen[text] += 1
        for kind in {change.kind for change in of_line}:
            chance = random.Random("\n".join(map(str, (seed, kind, *text, seen[text]))))
            rank = chance.random()
            choice = chance.choice([change for change in of_line if change.kind == kind])
            by_kind.setdefault(kind, []).append((rank, choice))
    turns = [iter(sorted(by_kind[kind], key=lambda ranked: ranked[0])) for kind in sorted(by_kind)]
    drawn = set()
    while turns:
        for turn in list(turns):
            choice = next((c for _, c in turn if (c.path, c.line) not in drawn), None)
            if choice is None:
                turns.remove(turn)
            else:
                drawn.add((choice.path, choice.line))
                yield choice


def applied(text, change):
    """The text with a change; it must be there."""
    lines = text.split("\n")
    if lines[change.line - 1] != change.before:
        raise ValueError(f"{change.path}:{change.line} is not: {change.before}")
    lines[change.line - 1] = change.after
    return "\n".join(lines)


class Equivalents:
    """Changes that change nothing, one a line: `path: line → changed line: reason`.  Found by their text, wherever in
    the file it stands."""

    def __init__(self, text):
        self.entries = [line for line in text.splitlines() if line and not line.startswith("#")]

    def reason(self, change):
        start = change.described() + ": "
        return next((entry[len(start):] for entry in self.entries if entry.startswith(start)), None)
