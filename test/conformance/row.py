"""A row: one sentence about the Kubernetes API, and the requests that show it."""

import contextlib
import itertools
import json
import os
import pathlib
import queue
import re
import subprocess
import tempfile
import threading
import time

from client import JSON, Mismatch
from pattern import mismatch

ROWS = []
GROUP = "conformance.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/{{ns}}/widgets"


class Row:
    def __init__(self, sentence, needs, run):
        self.sentence, self.needs, self.run = sentence, needs, run
        self.theme = run.__module__.split(".")[-1]


def row(sentence, needs=()):
    """Registers the function below as a row. `needs`: features without which a server skips it."""

    def register(run):
        ROWS.append(Row(sentence, (needs,) if isinstance(needs, str) else tuple(needs), run))
        return run

    return register


class Output:
    """What a kubectl command printed, and its exit code."""

    def __init__(self, command, done):
        self.command, self.code, self.out, self.err = command, done.returncode, done.stdout, done.stderr

    def expect(self, out=None, err=None, code=0):
        """Texts must be equal, compiled expressions must be found; returns standard output."""
        shown = f"`{self.command}`: exit {self.code}, out {self.out[:1500]!r}, err {self.err[:1500]!r}"
        if code is not None and self.code != code:
            raise Mismatch(f"expected exit {code}, got {shown}")
        for wanted, text in ((out, self.out), (err, self.err)):
            for one in wanted if isinstance(wanted, (list, tuple)) else [wanted]:
                if one is not None and not _found(one, text):
                    raise Mismatch(f"expected {getattr(one, 'pattern', one)!r}, got {shown}")
        return self.out

    def expect_json(self, pattern):
        self.expect()
        why = mismatch(pattern, json.loads(self.out))
        if why:
            raise Mismatch(f"`{self.command}`: {why}")
        return json.loads(self.out)


class Running:
    """A kubectl that goes on, and the lines that it prints."""

    def __init__(self, command, process):
        self.command, self.process, self.lines = command, process, queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def line(self, timeout=30):
        """The next line; "" at the end of the output, None if none comes in time."""
        try:
            return self.lines.get(timeout=timeout)
        except queue.Empty:
            return None

    def expect(self, *patterns):
        """The next lines match these expressions, one each."""
        for pattern in patterns:
            line = self.line()
            if line is None or not re.search(pattern, line):
                raise Mismatch(f"`{self.command}`: expected a line with {pattern!r}, got {line!r}")

    def ended(self, timeout=60):
        """Its exit code, once it has ended."""
        return self.process.wait(timeout)

    def stop(self):
        self.process.kill()
        self.process.wait()


def _found(wanted, text):
    return wanted.search(text) if isinstance(wanted, re.Pattern) else wanted == text


class Server:
    """The server under test, for one row: a namespace of its own, HTTP and kubectl."""

    run = os.urandom(3).hex()
    numbers = itertools.count(1)

    def __init__(self, client, kubectl, kubeconfig, cache):
        self.client, self.kubectl_program, self.kubeconfig, self.cache = client, kubectl, kubeconfig, cache
        self.number = next(self.numbers)
        self.ns = f"row-{self.run}-{self.number}"
        self.made = False
        self.watches, self.defined, self.started = [], [], []

    def path(self, path):
        """The path with {ns} replaced by the row's namespace, which is made on first use."""
        if "{ns}" in path:
            self.namespace()
        return path.replace("{ns}", self.ns)

    def namespace(self):
        if not self.made:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.ns}}
            self.client.call("POST", "/api/v1/namespaces", body).expect(201)
            self.made = True
        return self.ns

    def call(self, method, path, body=None, content_type=JSON, headers=None, **query):
        return self.client.call(method, self.path(path), body, content_type, headers, query)

    def get(self, path, headers=None, **query):
        return self.call("GET", path, headers=headers, **query)

    def post(self, path, body, headers=None, **query):
        return self.call("POST", path, body, headers=headers, **query)

    def put(self, path, body, headers=None, **query):
        return self.call("PUT", path, body, headers=headers, **query)

    def patch(self, path, body, content_type, headers=None, **query):
        return self.call("PATCH", path, body, content_type, headers, **query)

    def delete(self, path, body=None, headers=None, **query):
        return self.call("DELETE", path, body, headers=headers, **query)

    def define(self, body):
        """Creates a CustomResourceDefinition and waits until its resources are served; returns their path."""
        made = self.post(DEFINITIONS, body).expect(201)
        self.defined.append(f"{DEFINITIONS}/{made['metadata']['name']}")
        namespaced = "/namespaces/{ns}" if body["spec"]["scope"] == "Namespaced" else ""
        path = f"/apis/{body['spec']['group']}/v1{namespaced}/{body['spec']['names']['plural']}"
        self.eventually(f"{path} is served", lambda: self.get(path).status == 200)
        return path

    def watch(self, path, **query):
        watch = self.client.watch(self.path(path), **query)
        self.watches.append(watch)
        return watch

    def command(self, arguments):
        self.namespace()
        return [self.kubectl_program, "--cache-dir", self.cache, "-n", self.ns, *arguments]

    def environment(self):
        return {**os.environ, "KUBECONFIG": self.kubeconfig}

    @contextlib.contextmanager
    def folder(self, files):
        """A folder with these files, for as long as the block runs."""
        with tempfile.TemporaryDirectory() as path:
            for name, text in files.items():
                pathlib.Path(path, name).write_text(text, encoding="utf-8")
            yield path

    def kubectl(self, *arguments, stdin=None, editor="false"):
        """Runs kubectl in the row's namespace. A dictionary as input is written as JSON."""
        text = json.dumps(stdin) if isinstance(stdin, dict) else stdin
        done = subprocess.run(self.command(arguments), env={**self.environment(), "EDITOR": editor}, input=text, text=True,
                              capture_output=True, timeout=60, check=False)
        return Output("kubectl " + " ".join(arguments), done)

    def start_kubectl(self, *arguments):
        """Starts kubectl with its output in a pipe; it ends with the row at the latest."""
        process = subprocess.Popen(self.command(arguments), env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.started.append(Running("kubectl " + " ".join(arguments), process))
        return self.started[-1]

    def eventually(self, what, check, timeout=10):
        """Waits until check() gives something true, and returns that."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = check()
            if found:
                return found
            time.sleep(0.05)
        raise Mismatch(f"expected within {timeout} s: {what}")

    def close(self):
        for watch in self.watches:
            watch.close()
        for running in self.started:
            running.stop()
        for path in self.defined:
            self.delete(path)


def widget(name="w", spec=None, **metadata):
    """A Widget of the test's own CustomResourceDefinition."""
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name, **metadata},
            "spec": {"size": 1, **(spec or {})}}


def config_map(name="c", data=None, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data or {}}


def status(code, reason, message, **details):
    """The pattern of a Status that reports a failure."""
    pattern = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
               "reason": reason, "message": message}
    return {**pattern, "details": details} if details else pattern


def definition(plural, schema, scope="Namespaced", **version):
    """A CustomResourceDefinition of one version, v1, whose spec has this schema."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": scope, "names": {"plural": plural, "kind": plural[:-1].capitalize()},
                     "versions": [{"name": "v1", "served": True, "storage": True, **version, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}}}]}}
