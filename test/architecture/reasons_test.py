"""Reasons are found in sources and in the page, however they are written; the rule itself is tried in architecture_test.py."""

import pathlib
import unittest

import reasons
from tree import Tree

SOURCE = '''
    co_return Error::waiting("DiskFull",
                             "no room", 5s);
    co_return late ? conflict("Taken", "x") : invalid(empty ? "Missing" : "Broken", "y");
    return Error(ErrorClass::Quota, "QuotaReached", text);
    conditions.set("Progressing", ConditionStatus::False, "Over", "");
    return unsupported("NoDisks", "z");
    pass.event(kube::EventType::Warning, "Lost", "w");
'''
PAGE = "## At work\n\n| reason | kinds | meaning |\n|---|---|---|\n| DiskFull, Taken | all | no room |\n| Broken | | empty |\n" \
       "## Words behind Unsupported\n\n| word | meaning |\n|---|---|\n| NoDisks | no |\n## Events\n\n| reason | meaning |\n|---|---|\n| Lost | gone |\n"


class Reasons(unittest.TestCase):
    def test_the_tree_has_many(self):
        files = Tree.of_repository(pathlib.Path(__file__).resolve().parents[2]).files
        given = reasons.collect({file.path: file.text for file in files if file.path.startswith(reasons.FOLDERS)})
        self.assertGreater(len(given["condition"]), 60, "the patterns of reasons.py find too little")
        self.assertGreater(len(given["unsupported"]), 8)
        self.assertGreater(len(given["event"]), 6)

    def test_reasons_are_found_however_they_are_given(self):
        given = reasons.collect({"cloud/disk.cpp": SOURCE})
        self.assertEqual(given["condition"], {"DiskFull", "Taken", "Missing", "Broken", "QuotaReached", "Over"})
        self.assertEqual(given["unsupported"], {"NoDisks"})
        self.assertEqual(given["event"], {"Lost"})

    def test_rows_are_read_and_empty_cells_are_faults(self):
        explained, faults = reasons.explained(PAGE)
        self.assertEqual(explained, {"condition": {"DiskFull", "Taken", "Broken"}, "unsupported": {"NoDisks"}, "event": {"Lost"}})
        self.assertEqual(len(faults), 1)


if __name__ == "__main__":
    unittest.main()
