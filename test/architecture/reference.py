"""docs/reference has the fields of the definitions as they are: the pages that scripts/crds-reference writes."""

import importlib.machinery
import importlib.util
import pathlib
import sys

import yaml

from rules import rule

ROOT = pathlib.Path(__file__).resolve().parents[2]


def writer():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("crds_reference", str(ROOT / "scripts/crds-reference"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@rule
def reference_is_that_of_the_definitions(tree):
    texts = {file.path: file.text for file in tree.files}
    script = writer()
    for kind in script.KINDS:
        source = f"crds/{kind}.yaml"
        if source in texts and texts.get(f"docs/reference/{kind}.md") != script.page_of(yaml.safe_load(texts[source]), kind):
            yield source, 1, f"docs/reference/{kind}.md is another: run scripts/crds-reference"
