"""Rules about what people read: documentation of headers, and the words of the repository."""

import re

from rules import rule, warning

# operator/base/task.h is left out: what is not documented there is what the language asks of a coroutine's promise.
INTERFACES = re.compile(r"operator/(base/(?!task\.h)|net/|kube/)\w+\.h|cloud/\w+\.h")
# Declarations whose meaning needs no words: what the language defines, and names that say all.
SPECIAL = re.compile(r"=\s*(default|delete)\s*;|^\s*(friend|using|static_assert|template|extern|typedef|requires)\b|operator\s*(==|<=>|!=)"
                     r"|^\s*(explicit\s+)?~?[A-Z]\w*\s*\(|\boverride\b|\bpromise_type\b|\bawait_\w+\b"
                     r"|\b(to_string|name|empty|size|begin|end|ok|c_str)\s*\(|\)\s*(const\s*)?(&+\s*)?(noexcept\s*)?\{ return [^;]*; \}")


def declarations(file):
    """(line, text, documented) of each public type and function at namespace or type level of a header."""
    lines, code = file.text.splitlines(), file.code.splitlines()
    scopes, depth, previous = [], 0, ""
    for number, (line, text) in enumerate(zip(lines, code), 1):
        stripped = text.strip()
        access = re.match(r"(public|protected|private)\s*:", stripped)
        if access and scopes:
            scopes[-1][2] = access[1]
        open_to_all = all(visibility == "public" for _, _, visibility in scopes)
        inside = scopes[-1][0] if scopes else 0
        if stripped and depth == inside and open_to_all and not re.search(r"\b(detail|impl)\b", " ".join(s[1] for s in scopes)):
            yield number, stripped, documented(lines, number), previous
        opened = re.match(r"(?:template\s*<.*>\s*)?(namespace|class|struct|enum class|enum)\b\s*(?:\[\[\w+\]\]\s*)?([\w:]*)[^;]*\{", stripped)
        depth += text.count("{") - text.count("}")
        if opened and depth > inside:
            kind = opened[1]
            visibility = "private" if kind == "class" else "enumerators" if kind.startswith("enum") else "public"
            scopes.append([depth, f"{kind} {opened[2]}", visibility])
        while scopes and depth < scopes[-1][0]:
            scopes.pop()
        if stripped:
            previous = stripped


def documented(lines, number):
    """Whether a comment stands on the line, above it, or above the group of lines that it belongs to."""
    if "//" in lines[number - 1]:
        return True
    for line in reversed(lines[:number - 1]):
        text = line.strip()
        if text.startswith("//") or "//" in text:
            return True
        if not text or text.endswith(("{", "}", ":")) or re.match(r"#|using\b", text):
            return text.startswith("template") or False
    return False


@warning
def public_headers_are_documented(tree):
    for file in tree.production:
        if not INTERFACES.fullmatch(file.path):
            continue
        for line, text, has_comment, previous in declarations(file):
            complete = not previous or previous.endswith((";", "{", "}", ":")) or previous.startswith(("#", "template"))
            a_type = re.match(r"(class|struct|enum class|enum)\s+\w+[^;]*$", text)
            a_function = re.match(r"(?!return\b)(?:[\w:&*~\[\]\s]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)+?\b(\w+)\s*\(", text)
            if complete and (a_type or a_function) and not has_comment and not SPECIAL.search(text):
                yield file.path, line, f"`{text[:60]}` has no comment above it"


WORDS = {
    r"\b(?:issue|ticket)s? #?\d+|(?<![\w&])#\d{1,5}\b(?![-\w])": "a number of an issue",
    r"(?<![\w.~$}])/(?:work|root|home/\w+)/": "a path of one machine",
    r"\.\./shared\b|\b(?:design|style|asks|real-servers|cpp-stack|ux-placement|gcp-azure|aws-vmware)\.md\b": "a paper that is not here",
    r"\b(?:sub-?agents?|language models?|chat ?bots?|prompts? engineering|co-?pilot)\b": "a word on how it was made",
    r"\b(?:this|last|previous|earlier|next|another|parallel) session\b": "a word on how it was made",
    r"\b(?:ghcr|quay|gcr|registry-1|index|registry)\.(?:io|docker\.io|k8s\.io|npmjs\.org)\b|\bproxy\.golang\.org\b|\bpypi\.org\b|"
    r"\bregistry\.(?:npmjs\.org|terraform\.io)\b|\bhub\.docker\.com\b": "the host of a registry",
    r"\b(?:TODO|FIXME|XXX|HACK)\b": "work that is left: do it, or say in docs/STATUS.md what is missing",
}
EXEMPT_FILES = re.compile(r"test/architecture/|test/data/|test/corpora/|LICENSE$|.*\.(sum|mod)$")


@rule
def the_repository_speaks_of_itself_only(tree):
    for file in tree.files:
        if EXEMPT_FILES.match(file.path):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            for pattern, what in WORDS.items():
                found = re.search(pattern, line)
                if found:
                    yield file.path, number, f"{found[0]!r}: {what}"


@rule
def texts_are_clean(tree):
    for file in tree.files:
        if "\r" in file.text and file.suffix in ("h", "cpp", "md", "py", "txt", "json"):
            yield file.path, 1, "has carriage returns"
        if file.text and not file.text.endswith("\n") and file.suffix in ("h", "cpp", "md", "py", "txt"):
            yield file.path, len(file.text.splitlines()), "does not end with a newline"
