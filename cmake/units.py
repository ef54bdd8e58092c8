"""Prints, for each source file given, the number of the translation unit that it may share: a number a line.

Two files may share one if neither uses or declares a name that the other has for itself (in an unnamed namespace, as static or as a
macro). So nobody has to keep such names apart in a folder. The layout that clang-format gives makes the declarations easy to find.
"""

import pathlib
import re
import sys

MOST = 12  # files in a unit: more would leave one core idle while the other finishes
COMMENT_OR_TEXT = re.compile(r'//(?! namespace$)[^\n]*|"(?:\\.|[^"\\\n])*"', re.M)
OWN = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
TYPE = re.compile(r"^(?:template <.*>\s+)?(?:struct|class|enum class|enum|union|concept) (\w+)", re.M)
FUNCTION = re.compile(r"^(?!using |namespace |return )(?:template <.*>\s+)?[\w:][^\n=(;{]*?[\s&*](\w+)\(", re.M)
VARIABLE = re.compile(r"^(?!using |namespace |return )[\w:][^\n=(;]*?[\s&*](\w+)(?:\[\w*\])*\s*[={;]", re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
STATIC = re.compile(r"^static [^\n]*", re.M)
WORD = re.compile(r"(?<![\w.:>])[A-Za-z_]\w*")      # not what is a member or stands in another namespace
CALLED = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*)\(")  # a variable may have the name of a function elsewhere


def uses_what_is_not_its_own(one, other):
    return other["names"] & one["words"] or other["functions"] & one["called"]


def fits(file, unit):
    return unit["files"] < MOST and not uses_what_is_not_its_own(file, unit) and not uses_what_is_not_its_own(unit, file)


def read(path):
    text = COMMENT_OR_TEXT.sub("", pathlib.Path(path).read_text())
    own = "\n".join(OWN.findall(text) + STATIC.findall(text))
    return {"names": set(TYPE.findall(own) + VARIABLE.findall(own) + MACRO.findall(text)), "functions": set(FUNCTION.findall(own)),
            "words": set(WORD.findall(text)), "called": set(CALLED.findall(text))}


def main():
    units = []
    for path in sys.argv[1:]:
        file = read(path)
        number = 0
        while number < len(units) and not fits(file, units[number]):
            number += 1
        if number == len(units):
            units.append({"names": set(), "functions": set(), "words": set(), "called": set(), "files": 0})
        unit = units[number]
        for key in ("names", "functions", "words", "called"):
            unit[key] |= file[key]
        unit["files"] += 1
        print(number)


if __name__ == "__main__":
    main()
