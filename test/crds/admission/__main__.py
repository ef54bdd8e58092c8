"""Sends bad input to an API server that has our definitions, and looks at its answers.

    python3 test/crds/admission --kubeconfig FILE

Every case of cases.yaml must be refused with its message, by kubectl as people use it. Ends with "N passed, N failed".
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
# Paused: whoever watches the server must do nothing for them.
SOUND = {
    "Cluster": {"spec": {"paused": True, "infrastructure": {"local": {}}, "orchestrator": {"swarm": {}}}},
    "Stack": {"spec": {"paused": True, "clusterRef": {"name": "c"}, "services": [
        {"name": "web", "container": {"image": "web", "ports": [{"name": "http", "containerPort": 80}]}}]}},
    "ServiceInstance": {"spec": {"paused": True, "stackRef": {"name": "s"}, "service": "web"}},
}


def merged(value, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), change)
    return result


class Server:
    def __init__(self, kubeconfig, namespace):
        self.kubectl = ["kubectl", "--kubeconfig", kubeconfig, "-n", namespace]

    def run(self, *arguments, text=None):
        done = subprocess.run([*self.kubectl, *arguments], input=text, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr


def answer_to(server, case, number):
    body = {"apiVersion": "atoll.dev/v1alpha1", "kind": case["kind"], "metadata": {"name": f"case-{number}"}}
    body.update(json.loads(json.dumps(SOUND[case["kind"]])))
    if "change" in case:
        code, text = server.run("create", "-f", "-", text=json.dumps(body))
        if code:
            return code, "the sound object was refused: " + text
        answer = server.run("patch", case["kind"], body["metadata"]["name"], "--type=merge", "-p", json.dumps(case["change"]))
        server.run("delete", case["kind"], body["metadata"]["name"], "--wait=false")
        return answer
    body = merged(body, case.get("patch", {}))
    if "service" in case:
        body["spec"]["services"][0] = merged(body["spec"]["services"][0], case["service"])
    return server.run("create", "--dry-run=server", "-f", "-", text=json.dumps(body))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--namespace", default="default")
    options = parser.parse_args()
    server = Server(options.kubeconfig, options.namespace)
    cases = yaml.safe_load((HERE / "cases.yaml").read_text())
    failed = 0
    for number, case in enumerate(cases):
        code, text = answer_to(server, case, number)
        if code and re.search(case["message"], text, re.DOTALL):
            continue
        failed += 1
        print(f"FAILED {case['why']}\n  wanted: {case['message']}\n  got ({code}): {text.strip()}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
