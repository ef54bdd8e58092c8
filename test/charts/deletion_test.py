"""Who asked for a deletion is told in an Event and in the log: by the embedded server itself, and by the webhook for any other."""

import json
import os
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

from programs import CLUSTER, LIMIT, Program, eventually, free_port

def review(cluster, **more):
    meta = cluster["metadata"]
    request = {"uid": "u", "operation": "DELETE", "kind": {"group": "atoll.dev", "version": "v1alpha1", "kind": "Cluster"}, "name": meta["name"],
               "namespace": meta["namespace"], "userInfo": {"username": "jane", "groups": ["secret-group"]}, "oldObject": cluster, **more}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()


class Deletion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kubeconfig = f"{self.folder}/kubeconfig"
        self.start("up", "--data-dir", f"{self.folder}/data", "--kubeconfig", self.kubeconfig)
        eventually(lambda: os.path.exists(self.kubeconfig), "a kubeconfig", LIMIT)
        self.kubectl("apply", "-f", "-", input=CLUSTER.replace("spec:", "spec:\n  paused: true"))

    def start(self, command, *arguments):
        with open(f"{self.folder}/{command}.log", "w") as log:
            program = Program(command, *arguments, log=log)
        self.addCleanup(program.end)

    def kubectl(self, *arguments, input=None, check=True):
        return subprocess.run(["kubectl", "--kubeconfig", self.kubeconfig, *arguments], input=input, text=True, timeout=60, check=check,
                              capture_output=True).stdout

    def events(self):
        items = json.loads(self.kubectl("get", "events", "-o", "json", "--field-selector", "reason=DeletionRequested"))["items"]
        return sorted(item["message"] for item in items)

    def audit_lines(self, command):
        with open(f"{self.folder}/{command}.log") as log:
            lines = [json.loads(line) for line in log if line.startswith("{")]
        return [(line["kind"], line["name"], line["user"]) for line in lines if line["msg"] == "Admitting a deletion"]

    def test_the_embedded_server_names_the_user_once(self):
        self.kubectl("delete", "cluster", "nowhere", "--dry-run=server")
        self.kubectl("delete", "cluster", "nowhere", "--as", "john", check=False)
        self.kubectl("delete", "cluster", "nowhere", "--wait=false")
        self.kubectl("delete", "cluster", "nowhere", "--wait=false", "--ignore-not-found")
        self.assertEqual(eventually(self.events, "an Event", LIMIT), ['user "admin" asked for the deletion'], "who was refused did not ask")
        self.assertEqual(self.audit_lines("up"), [("Cluster", "nowhere", "admin")])

    def test_the_webhook_names_the_user_and_no_group(self):
        port = free_port()
        self.start("operator", "--kubeconfig", self.kubeconfig, "--health-address", "127.0.0.1", "--namespace", "default", "--webhook-port",
                   str(port), "--webhook-service", "webhook")
        cluster = json.loads(self.kubectl("get", "cluster", "nowhere", "-o", "json"))
        unverified = ssl._create_unverified_context()

        def ask(body):
            return json.load(urllib.request.urlopen(f"https://127.0.0.1:{port}/validate", data=body, timeout=10, context=unverified))

        for body in (review(cluster, dryRun=True), review(cluster)):
            self.assertTrue(eventually(lambda body=body: ask(body), "an answer", LIMIT)["response"]["allowed"])
        self.assertEqual(eventually(self.events, "an Event", LIMIT), ['user "jane" asked for the deletion'])
        self.assertEqual(self.audit_lines("operator"), [("Cluster", "nowhere", "jane")])
        self.assertNotIn("secret-group", self.kubectl("get", "events", "-o", "json"))


if __name__ == "__main__":
    unittest.main()
