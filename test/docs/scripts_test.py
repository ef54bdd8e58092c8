"""Every program in scripts/ answers --help with its header, and does nothing else."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELP = """[ "${1:-}" != --help ] || """


def programs():
    return [path for path in sorted((ROOT / "scripts").iterdir()) if os.access(path, os.X_OK)]


def header(path):
    """The comment, or the docstring, that a program begins with; and the first line of code after a comment."""
    text = path.read_text()
    if not text.startswith("#!/usr/bin/env bash"):
        return re.search(r'"""(.*?)"""', text, re.S)[1].strip().splitlines(), ""
    lines = text.splitlines()[1:]
    end = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    return [re.sub("^# ?", "", line) for line in lines[:end]], lines[end]


class Scripts(unittest.TestCase):
    def test_help_is_the_header_and_nothing_else_happens(self):
        self.assertGreater(len(programs()), 15)
        for path in programs():
            with self.subTest(script=path.name), tempfile.TemporaryDirectory() as folder:
                lines, code = header(path)
                if code:
                    self.assertTrue(code.startswith(HELP), f"the first line of code answers --help, not: {code}")
                environment = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
                answer = subprocess.run([path, "--help"], cwd=folder, env=environment, capture_output=True, text=True, timeout=30)
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                for line in filter(None, map(str.strip, lines)):
                    self.assertIn(line, answer.stdout)
                self.assertEqual(os.listdir(folder), [])

    def test_each_header_says_how_it_is_called(self):
        for path in programs():
            with self.subTest(script=path.name):
                lines, _ = header(path)
                self.assertTrue(any(re.match(rf"\s+scripts/{path.name}\b", line) for line in lines), "an indented line with scripts/NAME")
                self.assertFalse(lines[0].startswith(" "), "the first line is a sentence")


if __name__ == "__main__":
    unittest.main()
