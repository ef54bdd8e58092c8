"""The source tree as the rules see it: files, and enough of C++ to find functions and words."""

import functools
import pathlib
import re
import subprocess

PRODUCTION = ("operator", "crds", "controllers", "cloud")


class File:
    """One file: its path in the tree, its text, and its code without comments and the content of strings."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.folder, _, self.name = path.rpartition("/")
        self.stem, _, self.suffix = self.name.rpartition(".")

    @property
    def is_cpp(self):
        return self.suffix in ("h", "cpp")

    @property
    def is_production(self):
        return self.is_cpp and self.path.split("/")[0] in PRODUCTION

    @functools.cached_property
    def code(self):
        return without_comments(self.text)

    @functools.cached_property
    def includes(self):
        """(line, name, quoted) of each #include."""
        return [(number, found[2], found[1] == '"') for number, line in enumerate(self.text.splitlines(), 1)
                if (found := re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line))]

    @functools.cached_property
    def blocks(self):
        return list(find_blocks(self.code))

    def matches(self, pattern):
        """(line, match) of each match of the expression in the code."""
        for found in re.finditer(pattern, self.code):
            yield line_of(self.code, found.start()), found


class Tree:
    """The files that git knows, or those of a dictionary {path: text}."""

    def __init__(self, files):
        self.files = [File(path, text) for path, text in sorted(files.items())]
        self.paths = {file.path for file in self.files}

    @classmethod
    def of_repository(cls, root):
        names = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout
        files = {}
        for name in names.decode().split("\0"):
            path = pathlib.Path(root, name)
            if name and path.is_file():
                files[name] = path.read_bytes().decode(errors="replace")
        return cls(files)

    @property
    def production(self):
        return [file for file in self.files if file.is_production]

    @property
    def cpp(self):
        return [file for file in self.files if file.is_cpp]


class Block:
    """A brace block of a file: kind is function, type, table, namespace or other; lines are inclusive."""

    def __init__(self, kind, name, first, last):
        self.kind, self.name, self.first, self.last = kind, name, first, last

    @property
    def length(self):
        return self.last - self.first + 1


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def without_comments(text):
    """The code with comments and the content of strings and characters blanked; lines stay where they are."""

    def blank(found):
        token = found[0]
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if token.startswith('R"'):
            return '""' + "\n" * token.count("\n")
        return token[0] + " " * (len(token) - 2) + token[-1]

    return re.sub(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'',
                  blank, text, flags=re.S)


def find_blocks(code):
    """The brace blocks at namespace and type level, outermost first."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda found: re.sub(r"[^\n]", " ", found[0]), code, flags=re.M)
    position, head_start = 0, 0
    while position < len(code):
        character = code[position]
        if character in ";}":
            head_start = position + 1
        elif character == "{":
            head = code[head_start:position]
            kind, name = classify(head)
            if kind in ("namespace", "type"):
                yield Block(kind, name, first_line(code, head_start), line_of(code, end_of_block(code, position)))
                head_start = position + 1
            else:
                end = end_of_block(code, position)
                if kind != "initializer":
                    yield Block(kind, name, first_line(code, head_start), line_of(code, end))
                    head_start = end + 1
                position = end
        position += 1


def first_line(code, start):
    """The line of the first word after `start` that is no access label."""
    return line_of(code, start + re.match(r"(?:\s|(?:public|protected|private)\s*:(?!:))*", code[start:]).end())


def end_of_block(code, start):
    depth = 0
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code) - 1


def classify(head):
    """(kind, name) of the block whose text before the brace is `head`."""
    text = " ".join(re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", head).split())
    if re.search(r"\bnamespace\b[^()]*$", text) or re.fullmatch(r'extern " *"', text):
        return "namespace", text.split()[-1]
    if text.endswith("="):
        return "table", (re.findall(r"\w+", text) or [""])[-1]
    signature = re.search(r"([~\w:]+|operator *[^\s\w(]+|operator *\(\))\s*\(", strip_templates(text))
    type_head = re.search(r"(?:^|>|\s)(?:class|struct|union|enum)\b(?: class| struct)?\s+(?:\[\[\w+\]\]\s*)?([\w:]+)[^()=]*$", text)
    if type_head and not re.search(r"\)\s*(const)?$", text):
        return "type", type_head[1]
    if signature:
        if re.search(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]$", text):
            return "initializer", signature[1]
        return "function", signature[1]
    return "other", text


def strip_templates(text):
    """The text without what a leading template<...> and requires clause say."""
    while text.startswith("template"):
        depth, position = 0, text.find("<")
        for position in range(text.find("<"), len(text)):
            depth += {"<": 1, ">": -1}.get(text[position], 0)
            if depth == 0:
                break
        text = text[position + 1:].lstrip()
    return re.sub(r"^requires\s+\S+(?:<[^{}]*?>)?\s+", "", text)
