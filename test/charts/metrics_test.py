"""What a running program shows at /metrics is what dashboards for controller-runtime ask for: names, types, labels, buckets; no less, no more."""

import csv
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from programs import CLUSTER, LIMIT, Program, eventually, free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "test/data/metrics/controller-runtime.csv"
PREFIXES = ("controller_runtime_", "workqueue_", "rest_client_", "leader_election_", "certwatcher_", "process_", "go_")
RESULTS = {"success", "error", "requeue", "requeue_after"}


class Family:
    def __init__(self, kind):
        self.kind = kind
        self.labels = set()
        self.buckets = set()
        self.values = {}


def families_of(text):
    """The families of a page in Prometheus' text format, by name."""
    families = {}
    family = None
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            family = families.setdefault(name, Family(kind))
        elif line and not line.startswith("#"):
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', line))
            bound = labels.pop("le", None)
            if bound not in (None, "+Inf"):
                family.buckets.add(float(bound))
            family.labels.add(tuple(labels))
            if bound is None:
                family.values[tuple(labels.values())] = float(line.rsplit(" ", 1)[1])
    return families


def pages():
    """The page of `atoll up` and that of an `atoll operator` that leads and serves a webhook, once each has worked on a Cluster."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = f"{folder}/kubeconfig"
        webhook = str(free_port())
        programs = [Program("up", "--data-dir", f"{folder}/data", "--kubeconfig", kubeconfig)]
        try:
            eventually(lambda: os.path.exists(kubeconfig), "a kubeconfig", LIMIT)
            programs.append(Program("operator", "--kubeconfig", kubeconfig, "--health-address", "127.0.0.1", "--namespace", "default",
                                    "--webhook-port", webhook, "--webhook-service", "webhook"))
            subprocess.run(["kubectl", "--kubeconfig", kubeconfig, "apply", "-f", "-"], input=CLUSTER, text=True, timeout=60, check=True,
                           stdout=subprocess.DEVNULL)
            ask_webhook(webhook)
            return [families_of(worked(program)) for program in programs]
        finally:
            for program in reversed(programs):
                program.end()


def ask_webhook(port):
    """One request, which is no review: what it costs is measured all the same."""
    unverified = ssl._create_unverified_context()

    def is_refused():
        try:
            urllib.request.urlopen(f"https://127.0.0.1:{port}/validate", data=b"{}", timeout=10, context=unverified)
        except urllib.error.HTTPError as refused:
            return refused.code == 400
        return False

    eventually(is_refused, "a webhook that refuses what is no review", LIMIT)


def worked(program):
    """The page once a pass of the Cluster is counted."""
    def page():
        text = program.page()
        counted = re.search(r'^workqueue_work_duration_seconds_count\{[^}]*controller="cluster"[^}]*\} [1-9]', text, re.MULTILINE)
        return text if counted else None

    return eventually(page, "a pass of a Cluster", LIMIT, 0.5)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with TABLE.open() as table:
            cls.rows = {row["name"]: row for row in csv.DictReader(table)}
        up, leader = pages()
        cls.pages = {"atoll up": (up, {"always"}), "atoll operator": (leader, {"always", "leader", "webhook"})}

    def test_nothing_is_missing(self):
        for program, (families, presence) in self.pages.items():
            wanted = {name for name, row in self.rows.items() if row["presence"] in presence}
            self.assertEqual(wanted - families.keys(), set(), program)

    def test_nothing_is_unknown(self):
        for program, (families, _) in self.pages.items():
            ours = {name for name in families if name.startswith(PREFIXES)}
            known = {name for name, row in self.rows.items() if row["presence"] != "never"}
            self.assertEqual(ours - known, set(), program)

    def test_types_labels_and_buckets_are_those_of_the_table(self):
        compared = 0
        for program, (families, _) in self.pages.items():
            for name in families.keys() & self.rows.keys():
                row, family = self.rows[name], families[name]
                self.assertEqual(family.kind, row["type"], f"{program}: {name}")
                self.assertEqual({frozenset(labels) for labels in family.labels}, {frozenset(row["labels"].split())}, f"{program}: {name}")
                self.assertEqual(family.buckets, {float(bound) for bound in row["buckets"].split()}, f"{program}: {name}")
                compared += 1
        self.assertGreater(compared, 40)

    def test_results_and_codes_are_there_from_the_start(self):
        for program, (families, _) in self.pages.items():
            results = families["controller_runtime_reconcile_total"].values
            for controller in {key[0] for key in results}:
                self.assertEqual({key[1] for key in results if key[0] == controller}, RESULTS, f"{program}: {controller}")
        codes = self.pages["atoll operator"][0]["controller_runtime_webhook_requests_total"].values
        self.assertLessEqual({"200", "500"}, {key[1] for key in codes})

    def test_nothing_was_measured_without_a_row(self):
        for program, (families, _) in self.pages.items():
            self.assertNotIn("atoll_unknown_metrics_total", families, program)


if __name__ == "__main__":
    unittest.main()
