"""A program at work, for the tests of this folder."""

import os
import pathlib
import re
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/kubernetes"))

from operators import eventually, free_port  # noqa: E402, F401  (a sibling's folder, which must be on the path first)

ATOLL = os.environ.get("ATOLL", str(ROOT / "build/release/atoll"))
LIMIT = 60  # seconds, for what a program at work does
CLUSTER = """
apiVersion: atoll.dev/v1alpha1
kind: Cluster
metadata: {name: nowhere, namespace: default}
spec:
  infrastructure: {local: {engine: {host: "unix:///nonexistent/docker.sock"}}}
  orchestrator: {none: {}}
"""


class Program:
    """A command of the program, with its metrics."""

    def __init__(self, *arguments, log=subprocess.DEVNULL):
        port = free_port()
        self.process = subprocess.Popen([ATOLL, *arguments, "--health-port", str(port)], stdout=subprocess.DEVNULL, stderr=log)
        self.url = f"http://127.0.0.1:{port}/metrics"

    def page(self):
        return urllib.request.urlopen(self.url, timeout=10).read().decode()

    def names(self):
        """Names of the series, `_bucket` and the like included."""
        return {re.split(r"[{ ]", line)[0] for line in self.page().splitlines() if line and not line.startswith("#")}

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=20)
