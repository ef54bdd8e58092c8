"""Shows of rows that they can fail: each passes on the server as it is, and fails when its behaviour is switched off."""

import ast
import contextlib
import inspect
import json
import re
import tempfile
import textwrap

from breakages import BREAKAGES
from breaking_proxy import Proxy
from client import Client


@contextlib.contextmanager
def proxied(client, kubectl):
    """A proxy in front of the client's server, and a client and kubeconfig that go through it."""
    proxy = Proxy(client)
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "proxy",
              "clusters": [{"name": "proxy", "cluster": {"server": proxy.url}}],
              "users": [{"name": "proxy", "user": {"token": client.headers["Authorization"].removeprefix("Bearer ")}}],
              "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "proxy"}}]}
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".kubeconfig") as file:
            json.dump(config, file)
            file.flush()
            yield proxy, Client(file.name, kubectl), file.name
    finally:
        proxy.close()


FEWEST_ROWS, FEWEST_SHOWN = 150, 20


def _is_code(node):
    """A status, several, or a choice of them: what says nothing about the body."""
    if isinstance(node, ast.Tuple):
        return all(_is_code(element) for element in node.elts)
    return isinstance(node, ast.IfExp) or (isinstance(node, ast.Constant) and isinstance(node.value, int))


def asserts_more_than_codes(row):
    """Whether the row looks at a body or at what kubectl printed."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(row.run)))):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("expect", "expect_json"):
            named = any(keyword.arg in ("body", "out", "err") for keyword in node.keywords)
            if named or node.func.attr == "expect_json" or not all(_is_code(argument) for argument in node.args):
                return True
    return False


def problems_of_table(rows, features_of_servers):
    """What the table promises of itself, and does not hold."""
    problems = [f"{row.theme}: {row.sentence}: asserts no body" for row in rows if not asserts_more_than_codes(row)]
    for name, features in features_of_servers.items():
        problems += [f"{row.theme}: {row.sentence}: never runs on {name}" for row in rows if set(row.needs) - features]
    if len(rows) < FEWEST_ROWS:
        problems.append(f"expected {FEWEST_ROWS} rows or more, there are {len(rows)}")
    if len(BREAKAGES) < FEWEST_SHOWN:
        problems.append(f"expected {FEWEST_SHOWN} behaviours to switch off or more, there are {len(BREAKAGES)}")
    return problems


def find_row(rows, sentence):
    found = [row for row in rows if f"{row.theme}: {row.sentence}".startswith(sentence)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows begin with {sentence!r}")
    return found[0]


def prove(rows, client, kubectl, run):
    """Runs each row with its behaviour on and off; `run(row, client, kubeconfig)` gives None or why it failed.

    Returns how many were shown, and a line for each that was not.
    """
    shown, problems = 0, []
    with proxied(client, kubectl) as (proxy, through, kubeconfig):
        for breakage in BREAKAGES:
            row = find_row(rows, breakage.sentence)
            proxy.breakage = None
            why = run(row, through, kubeconfig)
            if why:
                problems.append(f"{row.sentence}: fails although nothing is switched off: {why}")
                continue
            proxy.breakage = breakage
            why = run(row, through, kubeconfig)
            proxy.breakage = None
            if not why:
                problems.append(f"{row.sentence}: passes on a server that {breakage.name}")
            elif proxy.faults or re.search("Disconnected|ConnectionReset|TimeoutError|JSONDecodeError", why):
                problems.append(f"{row.sentence}: fails, but not because the server {breakage.name}: {why} {proxy.faults}")
                proxy.faults.clear()
            else:
                shown += 1
                print(f"ok   a server that {breakage.name} fails: {row.theme}: {row.sentence}\n     {why[-200:]}", flush=True)
    return shown, problems
