"""Alerts and dashboards: every expression parses, asks only for metrics that the program has, and the alerts fire when they should."""

import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import yaml
from programs import CLUSTER, LIMIT, Program, eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "charts/atoll/files"
PROMTOOL = os.environ.get("PROMTOOL", "")
SCRAPED_BY_PROMETHEUS = {"up"}
NOTHING_WHEN_ALL_IS_WELL = {"AtollDown", "AtollRequestsRefused"}


def alerts():
    return yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"]


def dashboard_expressions():
    for path in sorted((FILES / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", []):
                yield path.name, panel["title"], target["expr"]


def plain(expression):
    """A dashboard's expression without Grafana's variables."""
    return expression.replace("$__rate_interval", "5m").replace("$job", ".*")


def names_in(expression):
    """Names of metrics: the words of an expression that are no label, function or keyword."""
    bare = re.sub(r"\{[^}]*\}|\"[^\"]*\"|\[[^\]]*\]|\b(by|on|without|ignoring)\s*\([^)]*\)", "", expression)
    return set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b|\bup\b", bare)) - {"histogram_quantile", "label_values"}


LOOKS = 6  # scrapes of a recording


def recording(operator):
    """What Prometheus would keep of scrapes of an operator at work, one a second: the values of each series, by its name with labels."""
    series = {}
    for look in range(LOOKS):
        for line in operator.page().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values = series.setdefault(name, ["_"] * look)
                values += ["_"] * (look - len(values)) + [value]
        time.sleep(1)
    return series


def as_scraped(name):
    """A series with the labels that a scrape adds."""
    bare, _, labels = name.partition("{")
    return bare + '{job="atoll",instance="10.0.0.1:8081"' + ("," + labels if labels else "}")


@functools.cache
def scrape():
    """A recording of a leading operator that works on a Cluster whose engine is not there."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = f"{folder}/kubeconfig"
        server = Program("up", "--data-dir", f"{folder}/data", "--kubeconfig", kubeconfig)
        operator = None
        try:
            eventually(lambda: os.path.exists(kubeconfig), "a kubeconfig", LIMIT)
            operator = Program("operator", "--kubeconfig", kubeconfig, "--health-address", "127.0.0.1", "--namespace", "default")
            subprocess.run(["kubectl", "--kubeconfig", kubeconfig, "apply", "-f", "-"], input=CLUSTER, text=True, timeout=60, check=True,
                           stdout=subprocess.DEVNULL)
            eventually(lambda: "workqueue_work_duration_seconds_bucket" in operator.names(), "a pass", LIMIT, 0.5)
            return recording(operator)
        finally:
            if operator:
                operator.end()
            server.end()


class Names(unittest.TestCase):
    def test_only_metrics_that_the_program_has_are_asked_for(self):
        known = {name.partition("{")[0] for name in scrape()} | SCRAPED_BY_PROMETHEUS
        for group in alerts():
            for rule in group["rules"]:
                for name in names_in(rule["expr"]):
                    self.assertIn(name, known, rule["alert"])
        for file, title, expression in dashboard_expressions():
            for name in names_in(plain(expression)):
                self.assertIn(name, known, f"{file}: {title}")


class Alerts(unittest.TestCase):
    def test_have_what_people_need(self):
        for group in alerts():
            for rule in group["rules"]:
                self.assertTrue(rule["alert"].startswith("Atoll"))
                self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
                for annotation in ("summary", "description", "runbook_url"):
                    self.assertTrue(rule["annotations"][annotation])
                page = (ROOT / "docs/troubleshooting.md").read_text().lower()
                self.assertIn(f"### {rule['alert'].lower()}", page, "the runbook of docs/troubleshooting.md")


@unittest.skipUnless(PROMTOOL, "no promtool")
class Promtool(unittest.TestCase):
    def promtool(self, command, content, beside=None):
        with tempfile.TemporaryDirectory() as folder:
            if beside:
                (pathlib.Path(folder) / "alerts.yaml").write_text(beside)
            path = pathlib.Path(folder) / "file.yaml"
            path.write_text(yaml.safe_dump(content) if not isinstance(content, str) else content)
            answer = subprocess.run([PROMTOOL, *command, str(path)], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_the_alerts_are_valid(self):
        self.promtool(("check", "rules"), (FILES / "alerts.yaml").read_text())

    def test_the_expressions_of_the_dashboards_are_valid(self):
        rules = [{"record": f"panel:{i}", "expr": plain(expression)} for i, (_, _, expression) in enumerate(dashboard_expressions())]
        self.assertGreater(len(rules), 10)
        self.promtool(("check", "rules"), {"groups": [{"name": "dashboards", "rules": rules}]})

    def test_on_a_recorded_scrape_each_panel_has_data_and_each_alert_something_to_compare(self):
        series = [{"series": as_scraped(name), "values": " ".join(values)} for name, values in scrape().items()]
        series.append({"series": 'up{job="atoll",instance="10.0.0.1:8081"}', "values": f"1x{LOOKS}"})
        expressions = [plain(expression) for _, _, expression in dashboard_expressions()]
        for group in alerts():
            # Without what they compare with: a healthy operator has no answer to them.
            expressions += [re.sub(r"\s[<>]\s[\d.]+\s*$", "", rule["expr"]) for rule in group["rules"] if rule["alert"] not in NOTHING_WHEN_ALL_IS_WELL]
        self.assertGreater(len(expressions), 18)
        checks = [{"expr": f"group({expression})", "eval_time": f"{LOOKS - 1}m", "exp_samples": [{"labels": "{}", "value": 1}]}
                  for expression in expressions]
        self.promtool(("test", "rules"), {"rule_files": [], "evaluation_interval": "1m", "tests": [
            {"interval": "1m", "input_series": series, "promql_expr_test": checks}]})

    def test_the_alerts_fire_and_stay_silent(self):
        def case(series, alert, at, fires):
            expected = [{"exp_labels": fires}] if fires is not None else []
            return {"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series],
                    "alert_rule_test": [{"eval_time": at, "alertname": alert, "exp_alerts": expected}]}
        leader = 'leader_election_master_status{name="atoll",pod="%s"}'
        shard = 'leader_election_master_status{name="atoll-shard-%s",pod="%s"}'
        total = 'controller_runtime_reconcile_total{controller="stack",result="%s"}'
        errors = 'controller_runtime_reconcile_errors_total{controller="stack"}'
        hang = 'workqueue_longest_running_processor_seconds{name="stack",controller="stack"}'
        cases = [
            case([(leader % "a", "1x20"), (leader % "b", "0x20")], "AtollNoLeader", "10m", None),
            case([(leader % "a", "1x20"), (leader % "b", "0x20")], "AtollTwoLeaders", "10m", None),
            case([(leader % "a", "0x20"), (leader % "b", "0x20")], "AtollNoLeader", "10m", {"severity": "critical"}),
            case([(leader % "a", "1x20"), (leader % "b", "1x20")], "AtollTwoLeaders", "10m", {"severity": "critical"}),
            case([(shard % (i, pod), "1x20" if i == pod else "0x20") for i in "01" for pod in "01"], "AtollTwoLeaders", "10m", None),
            case([(shard % (i, pod), "1x20" if i == pod == "0" else "0x20") for i in "01" for pod in "01"], "AtollNoLeader", "10m",
                 {"severity": "critical"}),
            case([], "AtollDown", "10m", {"severity": "critical"}),
            case([(total % "error", "0+10x60"), (total % "success", "0+10x60"), (errors, "0+10x60")], "AtollReconcileErrors", "40m",
                 {"severity": "warning", "controller": "stack"}),
            case([(total % "success", "0+20x60"), (errors, "0+1x60")], "AtollReconcileErrors", "40m", None),
            case([(hang, "700x60")], "AtollReconcileHang", "20m", {"severity": "warning", "name": "stack"}),
            case([(hang, "5x60")], "AtollReconcileHang", "20m", None),
        ]
        # promtool compares annotations too: they are left out of the copy that is tested.
        groups = alerts()
        for group in groups:
            for rule in group["rules"]:
                del rule["annotations"]
        self.promtool(("test", "rules"), {"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": cases},
                      beside=yaml.safe_dump({"groups": groups}))


if __name__ == "__main__":
    unittest.main()
