"""The pages: the index names each, links lead somewhere, and the first Stack is that of the example."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
GENERATED_OR_READ_FROM_A_FOLDER = re.compile(r"docs/(decisions/\d|README\.md)")


def pages():
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"), *(ROOT / "charts").rglob("*.md")]
    return sorted(found)


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Pages(unittest.TestCase):
    def test_links_lead_to_what_is_there(self):
        for page in pages():
            for target in LINK.findall(page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}")

    def test_the_index_names_every_page(self):
        index = ROOT / "docs/README.md"
        named = {os.path.normpath(index.parent / target) for target in LINK.findall(index.read_text())}
        for page in (ROOT / "docs").rglob("*.md"):
            if not GENERATED_OR_READ_FROM_A_FOLDER.match(str(page.relative_to(ROOT))):
                self.assertIn(str(page), named, "is not in docs/README.md")

    def test_the_first_stack_is_that_of_the_example(self):
        """Each line of its yaml blocks stands in the example, in that order within a block."""
        page = (ROOT / "docs/your-first-stack.md").read_text()
        example = "".join(path.read_text() for path in sorted((ROOT / "examples/local-swarm").glob("*.yaml")))
        lines = [re.sub(r"\s+#.*", "", line).rstrip() for line in example.splitlines()]
        for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S):
            at = 0
            for line in block.splitlines():
                wanted = re.sub(r"\s+#.*", "", line).rstrip()
                self.assertIn(wanted, lines[at:], f"not in the example, or not in this order:\n{block}")
                at = lines.index(wanted, at)


class RunPage(unittest.TestCase):
    def test_finds_what_to_run_and_what_is_expected(self):
        page = "# P\n\n```sh\na\nb\n```\n\n```text\nx ... z\n```\n\n```console\n$ no\n```\n\n```sh\nc\n```\n"
        self.assertEqual(script("run-page").blocks_of(page), [(3, "a\nb\n", ["x ... z"]), (16, "c\n", [])])

    def test_says_which_line_is_not_printed(self):
        misses = script("run-page").misses
        self.assertEqual(misses(["x ... z", "", "True  Ready"], "so x and y and z\nTrue Ready"), [])
        self.assertEqual(misses(["x ... z", "False"], "x\nz\nTrue"), ["x ... z", "False"])


if __name__ == "__main__":
    unittest.main()
