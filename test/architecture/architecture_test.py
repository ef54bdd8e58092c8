"""Each rule really fails: it is fed trees that break it, and a clean one."""

import unittest

import documentation  # noqa: F401  (registers its rules)
import reasons  # noqa: F401  (registers its rule)
import reference  # noqa: F401  (registers its rule)
from rules import RULES
from tree import Tree, find_blocks, without_comments

LONG_BODY = "    work();\n" * 61
LONGISH_BODY = "    work();\n" * 45

CLEAN = {
    "README.md": "# A project\n",
    "operator/main.cpp": '#include "cloud/infrastructure/local/local.h"\n#include "controllers/stack_reconciler.h"\n\nint main() {\n'
                         "    return std::chrono::steady_clock::now() < limit;\n}\n",
    "operator/base/name.h": "#pragma once\n\nnamespace atoll {\n\n/// A name.\nclass Name {\npublic:\n    /// The text of the name.\n"
                            "    std::string text() const;\n\nprivate:\n    std::string text_;\n};\n\n}  // namespace atoll\n",
    "operator/base/name.cpp": '#include "operator/base/name.h"\n\nnamespace atoll {\n\nstd::string Name::text() const { return text_; }\n\n}\n',
    "operator/base/log_keys.h": '#pragma once\nconstexpr Key machine = "machine";\nconstexpr Key instance = "serviceInstance";\n',
    "test/operator/base/name_test.cpp": '#include "operator/base/name.h"\nTEST(Name, IsItsText) {}\n',
    "operator/net/transport.h": "#pragma once\n",
    "operator/net/loop.cpp": "#include <boost/asio.hpp>\n\nvoid run() { std::thread worker; }\n",
    "test/operator/net/loop_test.cpp": '#include "operator/net/loop.h"\n',
    "operator/net/loop.h": "#pragma once\n",
    "controllers/stack_reconciler.h": '#pragma once\n#include "cloud/model.h"\n#include "operator/kube/queue.h"\n\n'
                                      "struct ServiceInstance;\nTask<void> look(const ServiceInstance& copy);\n",
    "controllers/stack_reconciler.cpp": '#include "controllers/stack_reconciler.h"\n\nTask<void> look(const ServiceInstance& copy) {\n'
                                        "    co_await [](int machine) -> Task<void> { co_return; }(1);\n    // a task of an instance\n}\n",
    "test/controllers/stack_reconciler_test.cpp": "",
    "operator/kube/queue.h": "#pragma once\n",
    "cloud/model.h": "#pragma once\n#include <nlohmann/json.hpp>\n",
    "cloud/infrastructure/local/local.h": '#pragma once\n#include "cloud/model.h"\n',
    "cloud/infrastructure/local/kinds.cpp": "constexpr Kind kKinds[] = {\n" + "    {1, 2},\n" * 500 + "};\n",
    "test/cloud/infrastructure/local/kinds_test.cpp": "",
}

DEFINITION = """
spec:
  group: g
  names: {kind: Machine, singular: machine, shortNames: [m]}
  versions:
  - name: v1
    schema: {openAPIV3Schema: {description: A machine., properties: {spec: {type: object}, status: {type: object}}}}
"""

# Files that break a rule, each alone added to the clean tree.
BROKEN = {
    "includes_follow_the_table": [
        {"operator/base/a.h": '#pragma once\n#include "operator/net/transport.h"\n'},
        {"controllers/a.h": '#pragma once\n#include "cloud/infrastructure/local/local.h"\n'},
        {"cloud/a.h": '#pragma once\n#include "operator/kube/queue.h"\n'},
        {"cloud/orchestrator/swarm/a.h": '#pragma once\n#include "crds/stack.h"\n'},
        {"cloud/orchestrator/swarm/a.h": '#pragma once\n#include "cloud/infrastructure/local/local.h"\n'},
        {"operator/main.cpp": '#include "cloud/infrastructure/local/kinds.h"\n'},
        {"operator/other/a.h": '#pragma once\n#include "operator/base/name.h"\n'},
        {"operator/base/a.cpp": '#include "test/fakes/clock.h"\n'},
    ],
    "includes_have_no_cycle": [{"crds/a.h": '#pragma once\n#include "crds/b.h"\n', "crds/b.h": '#pragma once\n#include "crds/a.h"\n'}],
    "heavy_headers_stay_where_they_belong": [
        {"operator/kube/a.cpp": "#include <boost/asio.hpp>\n"},
        {"operator/net/a.h": "#pragma once\n#include <cpprest/http_client.h>\n"},
        {"operator/kube/a.h": "#pragma once\n#include <nlohmann/json.hpp>\n"},
    ],
    "files_are_short": [{"crds/a.cpp": "int a;\n" * 401}, {"test/a.py": "a = 1\n" * 401}],
    "functions_are_short": [{"crds/a.cpp": "void work_hard() {\n" + LONG_BODY + "}\n"},
                            {"crds/a.cpp": "void work() {\n" + LONGISH_BODY + "}\n"}],
    "one_word_for_each_thing": [{"controllers/a.cpp": "int node_count;\n"}, {"cloud/a.h": "#pragma once\nclass VmList;\n"},
                                {"controllers/a.h": "#pragma once\nclass PlanManager;\n"}],
    "log_keys_use_the_vocabulary": [{"operator/base/log_keys.h": '#pragma once\nconstexpr Key node = "nodeName";\n'}],
    "tasks_are_awaited_at_once": [{"controllers/a.cpp": "void f() {\n    Task<int> later = g();\n}\n"},
                                  {"operator/kube/a.h": "#pragma once\nclass A {\n    Task<void> task_;\n};\n"}],
    "coroutine_lambdas_capture_nothing": [
        {"controllers/a.cpp": "void f() {\n    start([&]() -> Task<void> { return g(); });\n}\n"},
        {"controllers/a.cpp": "void f() {\n    start([this] { co_await g(); });\n}\n"}],
    "nothing_happens_behind_your_back": [
        {"controllers/a.cpp": f"void f() {{ {call}; }}\n"} for call in (
            "auto t = std::chrono::system_clock::now()", "std::this_thread::sleep_for(1s)", "std::thread t(f)", "std::random_device r",
            'getenv("HOME")', "sleep(1)", "time(nullptr)", 'system("ls")', "::socket(AF_INET, 0, 0)")],
    "folders_have_meaning": [{"operator/utils/a.h": "#pragma once\n"}],
    "the_top_holds_what_people_look_for": [{"NOTES.txt": "remember\n"}],
    "names_are_snake_case": [{"crds/MyFile.h": "#pragma once\n"}],
    "every_source_has_a_test": [{"crds/a.cpp": "int a;\n"}],
    "every_test_has_a_source": [{"test/crds/a_test.cpp": "int a;\n"}],
    "headers_have_a_guard": [{"crds/a.h": "int a;\n"}],
    "waivers_say_why": [{"controllers/a.cpp": "int a;  // NOLINT(bugprone-x): because\n"}, {"operator/base/a.cpp": "int a;  // NOLINT\n"},
                        {"operator/base/a.cpp": "int a;  // NOLINT(bugprone-x)\n"}],
    "public_headers_are_documented": [
        {"operator/base/a.h": "#pragma once\n\nclass A {\n    int a;\n};\n"},
        {"operator/net/a.h": "#pragma once\n\nnamespace atoll {\n\n/// A.\nclass A {\npublic:\n    A();\n\n    int count(int from);\n};\n\n}\n"},
        {"cloud/a.h": "#pragma once\n\nint count(int from);\n"},
    ],
    "the_repository_speaks_of_itself_only": [
        {"docs/a.md": text + "\n"} for text in (
            "as issue 12 says", "see /wo" + "rk/main", "in ../shared", "pull ghcr.io/x/y", "// TODO later", "see style.md", "a previous session")],
    "reference_is_that_of_the_definitions": [{"crds/machine.yaml": DEFINITION}],
    "reasons_are_explained": [
        {"cloud/a.cpp": 'return invalid("Unheard", "x");\n'},
        {"operator/kube/a.cpp": 'pass.event(EventType::Normal, "Unheard", "x");\n'},
        {"docs/reference/conditions.md": "## At work\n\n| reason | meaning |\n|---|---|\n| Unheard | x |\n"}],
    "texts_are_clean": [{"docs/a.md": "a\r\n"}, {"docs/a.md": "a"}],
}


class Rules(unittest.TestCase):
    def test_every_rule_has_a_tree_that_breaks_it(self):
        self.assertEqual(sorted(RULES), sorted(BROKEN))

    def test_the_clean_tree_breaks_none(self):
        for name, rule in RULES.items():
            self.assertEqual(list(rule(Tree(CLEAN))), [], name)

    def test_each_rule_fails_on_its_trees(self):
        for name, trees in BROKEN.items():
            for files in trees:
                with self.subTest(rule=name, files=list(files.items())):
                    found = list(RULES[name](Tree({**CLEAN, **files})))
                    self.assertTrue(found)
                    self.assertTrue({path for path, _, _ in found} & {*files, *(path.rpartition("/")[0] for path in files)})


class Cpp(unittest.TestCase):
    def functions(self, code):
        return [(block.name, block.length) for block in find_blocks(without_comments(code)) if block.kind == "function"]

    def test_functions_are_found_with_their_lines(self):
        self.assertEqual(self.functions("namespace a {\nint f(int x) {\n    if (x) {\n    }\n    return 1;\n}\n}\n"), [("f", 5)])
        self.assertEqual(self.functions("class A : public B {\npublic:\n    A(int x) : a_{x}, b_{1} {\n        go();\n    }\n};\n"), [("A", 3)])
        self.assertEqual(self.functions("template <typename T>\nauto f(T t) -> int\n{\n}\n"), [("f", 4)])
        self.assertEqual(self.functions('TEST(A, B) {\n    f("{");  // {\n}\n'), [("TEST", 3)])
        self.assertEqual(self.functions("struct A {\n    bool operator==(const A&) const { return true; }\n};\n"), [("operator==", 1)])

    def test_tables_types_and_raw_strings_are_no_functions(self):
        self.assertEqual(self.functions("constexpr Row kRows[] = {\n    {f(1)},\n};\nenum class E { A, B };\nint a{3};\n"), [])
        self.assertEqual(self.functions('const char* text = R"(\nvoid f() {\n)";\n'), [])


if __name__ == "__main__":
    unittest.main()
