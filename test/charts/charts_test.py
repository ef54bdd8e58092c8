"""What the Helm chart renders, by Helm 3 and Helm 4, without a cluster. Run by scripts/charts, which names the programs:
ATOLL (the binary) and HELM (paths, separated by colons)."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "atoll"
HELMS = [helm for helm in os.environ.get("HELM", "").split(":") if helm]
ATOLL = os.environ.get("ATOLL", str(ROOT / "build/release/atoll"))
IMAGE = "image.repository=localhost/atoll"
KUBERNETES = ["1.29", "1.32", "1.37"]
EVERYTHING = [
    "metrics.serviceMonitor.enabled=true", "metrics.rules.enabled=true", "metrics.dashboards.enabled=true",
    "networkPolicy.enabled=true",
]
SWITCHES = {
    "defaults": [],
    "everything": EVERYTHING,
    "shards": ["shards=8", "replicaCount=3"],
    "bare": ["crds.enabled=false", "rbac.create=false", "rbac.aggregate=false", "metrics.service=false",
             "uninstallGuard.enabled=false", "replicaCount=1", "serviceAccount.create=false", "serviceAccount.name=mine"],
}


def run(*command, check=True):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=check)


def template(helm, *sets, version="1.37", chart=CHART, check=True):
    if not any(one.startswith("image.repository") for one in sets):
        sets = (IMAGE, *sets)  # without it there is nothing to render
    arguments = [argument for one in sets for argument in ("--set", one)]
    return run(helm, "template", "it", str(chart), "--namespace", "ops", "--kube-version", version, *arguments, check=check)


def objects(helm, *sets, version="1.37", chart=CHART):
    return [document for document in yaml.safe_load_all(template(helm, *sets, version=version, chart=chart).stdout) if document]


def of_kind(kind, documents):
    return [document for document in documents if document["kind"] == kind]


def pod_specs(documents):
    for document in documents:
        if document["kind"] == "Pod":
            yield document["spec"]
        if document["kind"] in ("Deployment", "Job"):
            yield document["spec"]["template"]["spec"]


class Files(unittest.TestCase):
    def test_the_definitions_are_those_of_the_tree(self):
        for name in ("cluster", "machine", "service_instance", "stack"):
            self.assertEqual((CHART / f"files/crds/{name}.yaml").read_text(), (ROOT / f"crds/{name}.yaml").read_text(),
                             f"copy crds/{name}.yaml to charts/atoll/files/crds/")

    def test_the_policies_are_those_of_the_tree(self):
        self.assertEqual((CHART / "files/policies/deletion_protection.yaml").read_text(), (ROOT / "crds/deletion_protection.yaml").read_text())

    def test_the_rights_are_those_of_the_code(self):
        self.assertEqual((CHART / "files/rules.yaml").read_text(), run(ATOLL, "rbac").stdout,
                         "write the output of `atoll rbac` to charts/atoll/files/rules.yaml")


class Rendered(unittest.TestCase):
    def each(self):
        for helm in HELMS:
            for version in KUBERNETES:
                for name, sets in SWITCHES.items():
                    with self.subTest(helm=pathlib.Path(helm).name, kubernetes=version, values=name):
                        yield objects(helm, *sets, version=version)

    def test_every_object_has_a_kind_a_name_and_the_recommended_labels(self):
        for documents in self.each():
            self.assertGreater(len(documents), 1)
            for document in documents:
                labels = document["metadata"]["labels"]
                for label in ("name", "instance", "version", "component", "part-of", "managed-by"):
                    self.assertIn(f"app.kubernetes.io/{label}", labels, document["kind"])
                self.assertIn("helm.sh/chart", labels)

    def test_names_are_unique_by_kind(self):
        for documents in self.each():
            keys = [(document["kind"], document["metadata"]["name"]) for document in documents]
            self.assertEqual(len(keys), len(set(keys)), keys)

    def test_selectors_never_hold_a_version(self):
        for documents in self.each():
            for deployment in of_kind("Deployment", documents):
                selector = deployment["spec"]["selector"]["matchLabels"]
                self.assertEqual(sorted(selector), ["app.kubernetes.io/instance", "app.kubernetes.io/name"])

    def test_pods_meet_the_restricted_standard(self):
        for documents in self.each():
            for spec in pod_specs(documents):
                self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                self.assertEqual(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
                self.assertNotIn("hostNetwork", spec)
                self.assertFalse([volume for volume in spec.get("volumes", []) if "hostPath" in volume])
                for container in spec["containers"]:
                    security = container["securityContext"]
                    self.assertFalse(security["allowPrivilegeEscalation"])
                    self.assertTrue(security["readOnlyRootFilesystem"])
                    self.assertEqual(security["capabilities"], {"drop": ["ALL"]})

    def test_nobody_gets_wildcards_or_secrets_by_aggregation(self):
        for documents in self.each():
            for role in of_kind("ClusterRole", documents) + of_kind("Role", documents):
                for rule in role["rules"]:
                    self.assertNotIn("*", rule["apiGroups"] + rule["resources"] + rule["verbs"])
                    if any("aggregate-to" in label for label in role["metadata"]["labels"]):
                        self.assertEqual(rule["apiGroups"], ["atoll.dev"])

    def test_a_disruption_budget_comes_with_more_than_one_replica(self):
        for helm in HELMS:
            self.assertEqual(len(of_kind("PodDisruptionBudget", objects(helm, "replicaCount=2"))), 1)
            self.assertEqual(len(of_kind("PodDisruptionBudget", objects(helm, "replicaCount=1"))), 0)

    def test_definitions_are_kept_unless_told_otherwise(self):
        for helm in HELMS:
            for definition in of_kind("CustomResourceDefinition", objects(helm)):
                self.assertEqual(definition["metadata"]["annotations"]["helm.sh/resource-policy"], "keep")
            for definition in of_kind("CustomResourceDefinition", objects(helm, "crds.keep=false")):
                self.assertNotIn("helm.sh/resource-policy", definition["metadata"].get("annotations") or {})
            self.assertEqual(len(of_kind("CustomResourceDefinition", objects(helm, "crds.enabled=false"))), 0)

    def test_a_digest_wins_over_a_tag(self):
        digest = "sha256:" + "0" * 64
        for helm in HELMS:
            (deployment,) = of_kind("Deployment", objects(helm, f"image.digest={digest}", "image.tag=x"))
            self.assertEqual(deployment["spec"]["template"]["spec"]["containers"][0]["image"], f"localhost/atoll@{digest}")


    def test_without_an_image_nothing_is_rendered_and_the_message_says_how_to_get_one(self):
        for helm in HELMS:
            answer = template(helm, "image.repository=", check=False)
            self.assertNotEqual(answer.returncode, 0)
            self.assertEqual(answer.stdout, "")
            for word in ("image.repository", "scripts/image", "charts/atoll/README.md"):
                self.assertIn(word, answer.stderr)


class Values(unittest.TestCase):
    def test_bad_values_are_refused_with_their_path(self):
        cases = {
            "replicaCount=-1": "replicaCount", "image.digest=abc": "digest", "foo=bar": "foo", "crds.keeep=true": "keeep",
            "logLevel=loud": "logLevel", "fullnameOverride=Not_A_Name": "fullnameOverride",
            "serviceAccount.create=false": "serviceAccount.name", "terminationGracePeriodSeconds=1": "terminationGracePeriodSeconds",
        }
        for helm in HELMS:
            for value, word in cases.items():
                with self.subTest(helm=pathlib.Path(helm).name, value=value):
                    answer = template(helm, value, check=False)
                    self.assertNotEqual(answer.returncode, 0)
                    self.assertIn(word, answer.stderr)

    def test_charts_lint_alone_and_below_an_umbrella(self):
        for helm in HELMS:
            with self.subTest(helm=pathlib.Path(helm).name), tempfile.TemporaryDirectory() as folder:
                self.assertIn("0 chart(s) failed", run(helm, "lint", "--strict", str(CHART)).stdout)
                umbrella = pathlib.Path(folder) / "umbrella"
                (umbrella / "charts").mkdir(parents=True)
                (umbrella / "charts/atoll").symlink_to(CHART)
                (umbrella / "Chart.yaml").write_text(yaml.safe_dump({
                    "apiVersion": "v2", "name": "umbrella", "version": "1.0.0", "dependencies": [
                        {"name": "atoll", "version": "0.1.0", "repository": "", "condition": "atoll.enabled"}]}))
                (umbrella / "values.yaml").write_text(yaml.safe_dump({"global": {"team": "x"}, "atoll": {"enabled": True, "image": {"repository": "localhost/atoll"}}}))
                self.assertEqual(len(of_kind("Deployment", objects(helm, chart=umbrella))), 1)

    def test_long_release_names_give_valid_names(self):
        for helm in HELMS:
            for document in objects(helm, "fullnameOverride=" + "a" * 63):
                self.assertLessEqual(len(document["metadata"]["name"]), 63)


if __name__ == "__main__":
    unittest.main()
