"""The rules, one function each: a rule yields (path, line, message) for all that breaks it."""

import re
import statistics

RULES = {}
WARNINGS = set()


def rule(function):
    RULES[function.__name__] = function
    return function


def warning(function):
    """A rule whose findings are printed, and do not fail yet."""
    WARNINGS.add(function.__name__)
    return rule(function)


# What a folder may include, besides itself. The longest matching folder counts; a driver is any folder below these two.
INCLUDES = {
    "operator/base": [],
    "operator/net": ["operator/base"],
    "operator/schema": ["operator/base"],
    "operator/kube": ["operator/base", "operator/net", "crds/meta.h"],
    "operator/observe": ["operator/base"],
    "operator/apiserver": ["operator/base", "operator/net", "operator/schema", "crds"],
    "operator/commands": ["operator", "crds", "controllers", "cloud"],
    "operator": ["operator", "crds", "controllers", "cloud"],
    "crds": ["operator/base"],
    "cloud": ["operator/base", "operator/net/transport.h", "operator/net/http.h"],
    "cloud/docker": ["operator/base", "operator/net", "cloud/*.h"],
    "cloud/infrastructure": ["operator/base", "operator/net", "cloud/*.h", "cloud/docker"],
    "cloud/orchestrator": ["operator/base", "operator/net", "cloud/*.h", "cloud/docker"],
    "controllers": ["operator/base", "operator/kube", "crds", "cloud/*.h"],
}
KUBERNETES_DRIVERS = ("kubernetes", "eks", "gke", "aks")
KUBERNETES_CLIENT = ("client.h", "object.h", "kubeconfig.h", "credentials.h", "watch_stream.h")
DRIVERS = ("cloud/infrastructure/", "cloud/orchestrator/")


def unit_of(folder):
    """The row of INCLUDES for a folder: its own or that of a folder above, except that operator/ is only itself."""
    above = folder
    while above and above not in INCLUDES:
        above = above.rpartition("/")[0]
    return "" if above == "operator" != folder else above


def may_include(file, name):
    own = "/".join(file.folder.split("/")[:3]) if file.folder.startswith(DRIVERS) else unit_of(file.folder)
    target = name.rpartition("/")[0]
    if target == own or target.startswith(own + "/") and not name.startswith(DRIVERS):
        return True
    if name.startswith(DRIVERS):
        # Of a driver only its factory, a header that is named for it, is for others: for main and the commands.
        factory = name.split("/")[2] + ".h"
        return target.startswith(own + "/") or (own.startswith("operator") and own in ("operator", "operator/commands")
                                                and name.endswith("/" + factory))
    if own.split("/")[-1] in KUBERNETES_DRIVERS and name in [f"operator/kube/{one}" for one in KUBERNETES_CLIENT]:
        return True
    for allowed in INCLUDES[unit_of(file.folder)]:
        if name == allowed or target == allowed or target.startswith(allowed + "/"):
            return True
        if allowed.endswith("/*.h") and target == allowed[:-4]:
            return True
    return False


@rule
def includes_follow_the_table(tree):
    for file in tree.production:
        for line, name, quoted in file.includes:
            if not quoted:
                continue
            if not unit_of(file.folder):
                yield file.path, line, f"folder {file.folder} is not in the table of includes"
            elif name.split("/")[0] == "test":
                yield file.path, line, f"includes {name}: production code needs no test"
            elif not may_include(file, name):
                yield file.path, line, f"includes {name}, which {unit_of(file.folder)} may not"


@rule
def includes_have_no_cycle(tree):
    edges = {file.path: [name for _, name, quoted in file.includes if quoted and name in tree.paths]
             for file in tree.production if file.suffix == "h"}
    done = set()

    def visit(path, way):
        if path in way:
            yield path, 1, "cycle of includes: " + " → ".join([*way[way.index(path):], path])
        elif path not in done:
            for other in edges.get(path, []):
                yield from visit(other, [*way, path])
            done.add(path)

    for path in sorted(edges):
        yield from visit(path, [])


# Heavy headers, and the only places where each may appear.
HEAVY = {
    r"cpprest/.*": r"operator/net/\w+\.cpp",
    r"boost/(asio|beast).*": r"operator/net/\w+\.cpp",
    # In headers only where values of JSON are the subject; the others take json_fwd.hpp.
    r"nlohmann/json\.hpp": r".*\.cpp|test/.*|operator/(schema|apiserver)/.*|operator/base/(manifest|yaml_scalar)\.h|crds/fields\.h|cloud/(model|workload|docker/values)\.h",
    r"yaml-cpp/.*": r".*\.cpp",
    r"sqlite3\.h": r"operator/apiserver/\w+\.(cpp|h)|test/.*",
    r"spdlog/.*": r"operator/(base|observe)/\w+\.cpp",
    r"prometheus/.*": r"operator/observe/\w+\.cpp",
    r"CLI/.*": r"operator/(options|main|commands/\w+)\.cpp",
    r"simdjson\.h": r"operator/\w+/\w+\.cpp",
}


@rule
def heavy_headers_stay_where_they_belong(tree):
    for file in tree.cpp:
        for line, name, _ in file.includes:
            for header, places in HEAVY.items():
                if re.fullmatch(header, name) and not re.fullmatch(places, file.path):
                    yield file.path, line, f"heavy header {name} belongs in {places}"


MAX_FILE = 400
MAX_FUNCTION = 60
USUAL_FUNCTION = 40
USUAL_SHARE = 0.98


@rule
def files_are_short(tree):
    for file in tree.files:
        if file.is_cpp or file.suffix == "py":
            tables = sum(block.length for block in file.blocks if block.kind == "table") if file.is_cpp else 0
            length = len(file.text.splitlines()) - tables
            if length > MAX_FILE:
                yield file.path, 1, f"{length} lines without its tables, the limit is {MAX_FILE}"


@rule
def functions_are_short(tree):
    lengths = []
    for file in tree.production:
        for block in file.blocks:
            if block.kind == "function":
                lengths.append((block.length, file.path, block.first, block.name))
                if block.length > MAX_FUNCTION:
                    yield file.path, block.first, f"{block.name} has {block.length} lines, the limit is {MAX_FUNCTION}"
    longer = sorted(one for one in lengths if one[0] > USUAL_FUNCTION)
    if len(longer) > (1 - USUAL_SHARE) * len(lengths):
        middle = statistics.median(one[0] for one in lengths)
        for length, path, line, name in longer:
            yield path, line, (f"{name} has {length} lines; {len(longer)} of {len(lengths)} functions (median {middle:g}) "
                               f"are longer than {USUAL_FUNCTION}, more than {1 - USUAL_SHARE:.0%}")


# Synonyms that would blur the vocabulary, and the word to use. Names of types and vendors are exempt.
SYNONYMS = {"instance": "machine", "instances": "machines", "node": "machine", "nodes": "machines", "vm": "machine",
            "vms": "machines", "task": "workload", "tasks": "workloads", "app": "workload", "apps": "workloads",
            "sync": "observe", "refresh": "observe"}
EXEMPT = re.compile(r"service_?instances?|Task|instance_?type", re.I)
OUR_INSTANCE = {"instance", "instances"}  # in controllers/ short for our own kind ServiceInstance
EMPTY_WORDS = {"handle", "process", "manage", "manager", "helper", "info"}


def words_of(identifier):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", identifier)]


def bound_by_the_vocabulary(file):
    return file.is_cpp and (file.folder == "controllers" or file.folder == "cloud" and file.suffix == "h")


@rule
def one_word_for_each_thing(tree):
    for file in tree.files:
        if not bound_by_the_vocabulary(file):
            continue
        for line, found in file.matches(r"\b[A-Za-z_]\w*\b"):
            for word in words_of(EXEMPT.sub("", found[0])):
                if word in OUR_INSTANCE and file.folder == "controllers":
                    continue
                if word in SYNONYMS:
                    yield file.path, line, f"{found[0]}: say {SYNONYMS[word]}, not {word}"
                elif word in EMPTY_WORDS:
                    yield file.path, line, f"{found[0]}: {word} says nothing"


@rule
def log_keys_use_the_vocabulary(tree):
    for file in tree.files:
        if file.name == "log_keys.h":
            for number, line in enumerate(file.text.splitlines(), 1):
                for key in re.findall(r'"(\w+)"', line):
                    if set(words_of(EXEMPT.sub("", key))) & set(SYNONYMS):
                        yield file.path, number, f'log key "{key}" is a synonym'


@rule
def tasks_are_awaited_at_once(tree):
    for file in tree.production:
        if file.path in ("operator/base/task.h", "operator/base/root_task.h"):
            continue
        for line, found in file.matches(r"(?<![\w:<])(?:base::|atoll::|atoll::base::)?Task<[^;(){}]*>\s+(\w+)\s*(=(?!=)|;|\{)"):
            yield file.path, line, f"{found[1]} is a Task that is kept: await it at once, or give it to the Spawner"


@rule
def coroutine_lambdas_capture_nothing(tree):
    for file in tree.production:
        for line, found in file.matches(r"\[([^\[\]]*)\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable\s*)?(->[^{};]*)?\{"):
            before = file.code[:found.start()].rstrip()[-1:]
            if before and re.match(r"[\w\])]", before) or not found[1].strip():
                continue
            body = file.code[found.end():]
            depth, end = 1, 0
            for end, character in enumerate(body):
                depth += {"{": 1, "}": -1}.get(character, 0)
                if depth == 0:
                    break
            if re.search(r"\bco_(await|return|yield)\b", body[:end]) or "Task<" in (found[2] or ""):
                yield file.path, line, f"a coroutine lambda captures [{found[1]}]: the captures die before it does"


# What only the bindings may call, and the files that are bindings.
OUTSIDE = {
    r"\b(?:system_clock|steady_clock|high_resolution_clock)::now\b": "reads the clock",
    r"\bstd::time\s*\(|(?<![\w.>:])time\s*\(\s*(?:nullptr|NULL|0)\s*\)|\bclock_gettime\b|\bgettimeofday\b": "reads the clock",
    r"\bthis_thread::sleep_\w+|(?<![\w.>:])(?:u|nano)?sleep\s*\(": "sleeps",
    r"\bstd::(?:jthread|async)\b|\bstd::thread\b(?!::id)|\bpthread_create\b": "starts a thread",
    r"\brandom_device\b|(?<![\w.>:])s?rand\s*\(|\bgetrandom\b|\bRAND_bytes\b": "asks for randomness",
    r"\b(?:secure_)?getenv\b|\bsetenv\b|\benviron\b": "reads the environment",
    r"(?<![\w>])::(?:socket|connect|bind|listen)\s*\(": "opens a socket",
    r"(?<![\w.>:])(?:system|popen|fork|execv\w*)\s*\(": "starts a process",
}
BINDINGS = re.compile(r"operator/(main\.cpp|base/(random|system_\w+)\.cpp|net/\w+\.cpp|commands/\w+\.cpp|apiserver/worker_thread\.cpp)")


@rule
def nothing_happens_behind_your_back(tree):
    for file in tree.production:
        if not BINDINGS.fullmatch(file.path):
            for pattern, what in OUTSIDE.items():
                for line, found in file.matches(pattern):
                    yield file.path, line, f"{found[0].strip(' (')} {what}: only a binding may"


VAGUE_FOLDERS = {"util", "utils", "common", "helper", "helpers", "misc", "internal", "experimental", "shared", "lib"}


@rule
def folders_have_meaning(tree):
    for path in sorted({file.folder for file in tree.files}):
        for part in path.split("/"):
            if part.lower() in VAGUE_FOLDERS:
                yield path, 1, f"a folder named {part} says nothing"


TOP = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Dockerfile", "CMakeLists.txt", "CMakePresets.json",
       ".gitignore", ".clang-format", ".clang-tidy", ".dockerignore"}


@rule
def the_top_holds_what_people_look_for(tree):
    for file in tree.files:
        if not file.folder and file.path not in TOP:
            yield file.path, 1, "does not belong at the top of the tree"


@rule
def names_are_snake_case(tree):
    for file in tree.cpp:
        if not re.fullmatch(r"[a-z0-9_]+", file.stem):
            yield file.path, 1, "file names are snake_case"


@warning
def every_source_has_a_test(tree):
    for file in tree.production:
        if file.suffix == "cpp" and file.name != "main.cpp" and f"test/{file.folder}/{file.stem}_test.cpp" not in tree.paths:
            yield file.path, 1, f"has no test/{file.folder}/{file.stem}_test.cpp"


@warning
def every_test_has_a_source(tree):
    for file in tree.cpp:
        if not file.stem.endswith("_test") or not re.match(r"test/(operator|crds|controllers|cloud)\b", file.folder):
            continue
        source = file.folder.removeprefix("test/") + "/" + file.stem.removesuffix("_test")
        if f"{source}.cpp" not in tree.paths and f"{source}.h" not in tree.paths:
            yield file.path, 1, f"has no {source}.cpp or .h"


@rule
def headers_have_a_guard(tree):
    for file in tree.cpp:
        if file.suffix == "h" and not re.search(r"^#pragma once$", file.text, re.M):
            yield file.path, 1, "has no #pragma once"


@rule
def waivers_say_why(tree):
    for file in tree.cpp:
        for number, line in enumerate(file.text.splitlines(), 1):
            if "NOLINT" in line:
                if file.path.split("/")[0] in ("controllers", "cloud"):
                    yield file.path, number, "no lint waivers in controllers/ and cloud/"
                elif not re.search(r"NOLINT(NEXTLINE|BEGIN|END)?\([\w.,* -]+\)(: \S|$)", line) or (
                        "NOLINTEND" not in line and not re.search(r"\): \S", line)):
                    yield file.path, number, "a waiver names its check and says why: NOLINT(check): why"
