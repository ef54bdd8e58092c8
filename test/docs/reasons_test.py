"""docs/reference/conditions.md explains every reason that the sources can give, and no other."""

import unittest

import reasons

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
    def test_the_page_has_every_reason_of_the_sources_and_no_other(self):
        given = reasons.collect(reasons.sources())
        explained, faults = reasons.explained(reasons.PAGE.read_text())
        self.assertEqual(faults, [])
        for kind, words in given.items():
            self.assertGreater(len(words), 5, f"{kind}: the patterns of reasons.py find almost nothing")
            self.assertEqual(sorted(words - explained[kind]), [], f"{kind}: not in docs/reference/conditions.md")
            self.assertEqual(sorted(explained[kind] - words), [], f"{kind}: in docs/reference/conditions.md, but no source gives it")

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
