"""Holds the source tree to the rules of rules.py and documentation.py. Usage: python3 test/architecture [RULE]..."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import documentation  # noqa: E402,F401  (registers its rules)
import reasons  # noqa: E402,F401  (registers its rule)
import reference  # noqa: E402,F401  (registers its rule)
from rules import RULES, WARNINGS  # noqa: E402
from tree import Tree  # noqa: E402

SHOWN = 40


def main(chosen):
    tree = Tree.of_repository(HERE.parents[1])
    failed = 0
    for name in chosen or RULES:
        findings = list(RULES[name](tree))
        fails = bool(findings) and name not in WARNINGS
        failed += fails
        for path, line, message in findings[:SHOWN]:
            print(f"{path}:{line}: {'' if fails else 'warning: '}{message} [{name}]")
        if len(findings) > SHOWN:
            print(f"and {len(findings) - SHOWN} more [{name}]")
    print(f"{len(chosen or RULES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
