"""Every reason of a condition and of an Event that the sources can give, and those that the page explains."""

import re

from rules import rule

PAGE = "docs/reference/conditions.md"
# Where the reasons of objects come from. Left out: what only a program that does not start, or a caller of ours, gets to see.
FOLDERS = ("controllers/", "operator/commands/deletion_audit", "cloud/", "crds/", "operator/kube/", "operator/net/", "operator/base/")
EXEMPT = re.compile(
    r"operator/kube/(kubeconfig|credentials|lease|admission_review|reflector|watch_stream|status_error)\.\w+$"
    r"|operator/net/(server|http_codec|sockets|certificates|system_files|cpprest_transport|http_server|h2)\w*\.\w+$"
    r"|operator/base/manifest\.cpp$|controllers/(?:orphans|move_mark|mover|mover_checks|mover_copies)\.cpp$")

WORD = r'"([A-Z][a-z]+(?:[A-Z][a-z]*)*)"'
PAIR = r"(?:\w+(?:\.\w+)* \? )?" + WORD + r'(?:\s*:\s*"([A-Z][A-Za-z]+)")?'
CONDITION = [
    re.compile(r"\b(?:invalid|transient|conflict|Error::waiting)\(\s*" + PAIR),
    re.compile(r"ErrorClass::(?!Unsupported)\w+,\s*" + PAIR),
    re.compile(r"ConditionStatus::\w+,\s*" + PAIR),
    re.compile(r"\breason = " + PAIR),
]
UNSUPPORTED = [re.compile(r"\bunsupported\(\s*" + WORD), re.compile(r"ErrorClass::Unsupported,\s*" + WORD), re.compile(r"kMarksStay = " + WORD)]
EVENT = [re.compile(r"EventType::\w+,\s*" + PAIR), re.compile(r"cloud::Op::\w+:\s*return \{" + WORD)]


def found(patterns, text):
    return {word for pattern in patterns for groups in (match.groups() for match in pattern.finditer(text)) for word in groups if word}


def collect(files):
    """The reasons in {path: text}: a dictionary of three sets."""
    reasons = {"condition": set(), "unsupported": set(), "event": set()}
    for path, text in files.items():
        if EXEMPT.match(path):
            continue
        reasons["condition"] |= found(CONDITION, text)
        reasons["unsupported"] |= found(UNSUPPORTED, text)
        reasons["event"] |= found(EVENT, text)
    return reasons


def explained(page):
    """The reasons in the first column of the page's tables: a dictionary of three sets, and a list of faulty rows."""
    reasons, faults, kind, columns = {"condition": set(), "unsupported": set(), "event": set()}, [], None, 0
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("## "):
            kind = {"## Conditions": None, "## Words behind Unsupported": "unsupported", "## Events": "event"}.get(line, "condition")
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or kind is None or cells[0].startswith("---"):
            continue
        if cells[0] in ("reason", "word"):
            columns = len(cells)
            continue
        if len(cells) != columns or not all(cells):
            faults.append(f"line {number}: {columns} cells are wanted, none of them empty")
        reasons[kind] |= {word.strip() for word in cells[0].split(",")}
    return reasons, faults


@rule
def reasons_are_explained(tree):
    """Both ways: each reason that a source gives is in the page, and each of the page is given by some source."""
    pages = [file.text for file in tree.files if file.path == PAGE]
    sources = {file.path: file.text for file in tree.files if file.path.startswith(FOLDERS) and file.suffix in ("h", "cpp")}
    words, faults = explained("".join(pages))
    for fault in faults:
        yield PAGE, 1, fault
    given = collect(sources)
    for kind in words:
        for path, text in sources.items():
            for word in sorted(collect({path: text})[kind] - words[kind]):
                yield path, 1, f"reason {word} ({kind}) is not explained in {PAGE}"
        for word in sorted(words[kind] - given[kind]):
            yield PAGE, 1, f"no source gives reason {word} ({kind})"
