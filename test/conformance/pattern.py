"""What a row expects of a JSON value: a pattern, and why a value does not match it."""

import re


class _Any:
    def __repr__(self):
        return "ANY"


class _Absent:
    def __repr__(self):
        return "ABSENT"


ANY = _Any()
ABSENT = _Absent()


class Has:
    """A list that has, for each pattern, at least one matching element."""

    def __init__(self, *patterns):
        self.patterns = patterns

    def __repr__(self):
        return f"Has{self.patterns!r}"


class Not:
    """A value that does not match the pattern."""

    def __init__(self, pattern):
        self.pattern = pattern

    def __repr__(self):
        return f"Not({self.pattern!r})"


class Only:
    """A dictionary with these keys and no other."""

    def __init__(self, **fields):
        self.fields = fields

    def __repr__(self):
        return f"Only({self.fields!r})"


def shown(value):
    """The value as a failed row prints it: long ones are cut."""
    text = repr(value)
    return text if len(text) <= 1000 else text[:1000] + "…"


def mismatch(pattern, value, path="$"):
    """Nothing if the value matches, else one line: where, what was expected, what was there.

    A dictionary matches when its keys do (others are free), a list element by element, a compiled expression
    by search, a type by isinstance, anything else by equality.
    """
    if pattern is ANY:
        return None if value is not None else f"{path}: expected a value, got null"
    if isinstance(pattern, Not):
        return None if mismatch(pattern.pattern, value, path) else f"{path}: expected {pattern!r}, got {shown(value)}"
    if isinstance(pattern, Has):
        return _mismatch_has(pattern, value, path)
    if isinstance(pattern, Only):
        extra = sorted(set(value) - set(pattern.fields)) if isinstance(value, dict) else []
        if extra:
            return f"{path}: expected no {', '.join(extra)}, got {shown(value)}"
        return mismatch(pattern.fields, value, path)
    if isinstance(pattern, dict):
        return _mismatch_dictionary(pattern, value, path)
    if isinstance(pattern, list):
        return _mismatch_list(pattern, value, path)
    if isinstance(pattern, re.Pattern):
        matches = isinstance(value, str) and pattern.search(value)
        return None if matches else f"{path}: expected a match of {pattern.pattern!r}, got {shown(value)}"
    if isinstance(pattern, type):
        return None if isinstance(value, pattern) else f"{path}: expected a {pattern.__name__}, got {shown(value)}"
    same = type(pattern) is type(value) and pattern == value
    return None if same else f"{path}: expected {pattern!r}, got {shown(value)}"


def _mismatch_has(pattern, value, path):
    if not isinstance(value, list):
        return f"{path}: expected a list, got {shown(value)}"
    for wanted in pattern.patterns:
        if all(mismatch(wanted, element) for element in value):
            return f"{path}: expected an element {wanted!r}, got {shown(value)}"
    return None


def _mismatch_dictionary(pattern, value, path):
    if not isinstance(value, dict):
        return f"{path}: expected {pattern!r}, got {shown(value)}"
    for key, wanted in pattern.items():
        where = f"{path}.{key}"
        if wanted is ABSENT:
            if key in value:
                return f"{where}: expected no such field, got {value[key]!r}"
        elif key not in value:
            return f"{where}: expected {wanted!r}, got no such field in {shown(value)}"
        else:
            why = mismatch(wanted, value[key], where)
            if why:
                return why
    return None


def _mismatch_list(pattern, value, path):
    if not isinstance(value, list) or len(value) != len(pattern):
        return f"{path}: expected {len(pattern)} elements {pattern!r}, got {shown(value)}"
    for index, (wanted, element) in enumerate(zip(pattern, value)):
        why = mismatch(wanted, element, f"{path}[{index}]")
        if why:
            return why
    return None
