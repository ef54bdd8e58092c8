"""What operator_test needs: a kube-apiserver, operators with a recording way to it, an engine that records."""

import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from doubles import Engine, Proxy

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("ATOLL", ROOT / "build/release/atoll"))
BEGAN = time.monotonic()
GROUP = "/apis/atoll.dev/v1alpha1/namespaces/default"


class Skipped(Exception):
    pass


def say(text):
    print(f"     {text}", flush=True)


def run(*command, check=True, timeout=120, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def eventually(action, what, seconds, pause=0.2):
    """The first true result of the action; its last error if there is none in time."""
    end = time.monotonic() + seconds
    last = "nothing"
    while time.monotonic() < end:
        try:
            if result := action():
                return result
        except (AssertionError, OSError, KeyError, subprocess.TimeoutExpired) as error:
            last = error
        time.sleep(pause)
    raise AssertionError(f"{what}: not within {seconds} s; the last error: {last}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Process:
    """What a process costs."""

    def __init__(self, pid):
        self.pid = pid

    def resident(self):
        """MB (10^6 bytes) that it holds."""
        return int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    def cpu(self):
        """Seconds of CPU that it has used."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Operator:
    """One `atoll operator`."""

    def __init__(self, world, arguments, token):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="operator-", dir=world.work))
        self.proxy = Proxy(world.address, world.trust, world.folder / "certificates")
        self.port = free_port()
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "test",
                  "clusters": [{"name": "test", "cluster": {
                      "server": f"https://127.0.0.1:{self.proxy.port}",
                      "certificate-authority-data": base64.b64encode(world.trust.encode()).decode()}}],
                  "users": [{"name": "test", "user": {"token": token}}],
                  "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}
        (self.folder / "kubeconfig").write_text(json.dumps(config))
        self.begun = time.monotonic()
        self.host = f"odd_{self.folder.name}"  # an underscore is no part of a Lease's name
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "operator", "--kubeconfig", self.folder / "kubeconfig", "--health-address", "127.0.0.1", "--health-port",
                 str(self.port), *arguments], stdout=log, stderr=log, env={**os.environ, "HOSTNAME": self.host})

    def identity(self, world):
        return next((holder for holder in [world.leader()] if holder.startswith(self.host + "_")), "not " + self.host)

    def signal(self, name):
        self.process.send_signal(getattr(signal, "SIG" + name))

    def wait(self):
        return self.process.wait(15)

    def running(self):
        return self.process.poll() is None

    def fetch(self, page):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{page}", timeout=3) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def page(self, page):
        code, text = self.fetch(page)
        return text if code == 200 else None

    def ready(self):
        return self.fetch("readyz")[0] == 200

    def readyz(self):
        return self.fetch("readyz")[1]

    def metric(self, name):
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.page("metrics") or "", re.M)
        return float(found[1]) if found else None

    def log(self):
        return (self.folder / "log").read_text().splitlines()

    def resident(self):
        return Process(self.process.pid).resident()

    def cpu(self):
        return Process(self.process.pid).cpu()

    def kill(self):
        if self.running():
            self.process.kill()
            self.process.wait()
        self.proxy.listener.close()


class World:
    """A kube-apiserver with our definitions, an engine, and the operators of one test."""

    CLUSTERS = 10

    def __init__(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="atoll-operator-test-", dir="/var/tmp"))
        self.folder, self.operators = self.work / "kube", []
        if not PROGRAM.exists():
            raise Skipped(f"{PROGRAM} is not built")

    def __enter__(self):
        up = subprocess.run([ROOT / "scripts/kubernetes", "up", "--dir", self.folder], capture_output=True, text=True)
        if up.returncode == 77:
            print((up.stdout + up.stderr).strip().splitlines()[-1])
            raise SystemExit(77)
        assert up.returncode == 0, up.stderr
        config = run("kubectl", "config", "view", "--raw", "-o", "json", "--kubeconfig", self.folder / "kubeconfig")
        cluster, user = json.loads(config)["clusters"][0]["cluster"], json.loads(config)["users"][0]["user"]
        self.trust = base64.b64decode(cluster["certificate-authority-data"]).decode()
        host, port = cluster["server"].removeprefix("https://").split(":")
        self.address, self.token, self.server = (host, int(port)), user["token"], cluster["server"]
        self.context = ssl.create_default_context(cadata=self.trust)
        self.engine = Engine(self.work / "engine.sock")
        definitions = self.work / "crds.yaml"
        definitions.write_text(run(PROGRAM, "crds"))
        self.kubectl("apply", "--server-side", "-f", definitions)
        self.kubectl("wait", "--for=condition=Established", "crd", "--all")
        self.kubectl("create", "namespace", "atoll-system")
        return self

    def __exit__(self, *_):
        for operator in self.operators:
            operator.kill()
        run(ROOT / "scripts/kubernetes", "down", "--dir", self.folder, check=False)
        shutil.rmtree(self.work, ignore_errors=True)

    def renew(self):
        """An empty stage for the next test: no operators, no Leases, only the Clusters."""
        for operator in self.operators:
            operator.kill()
        self.operators = []
        self.kubectl("delete", "leases", "--all", "-n", "atoll-system")
        for i in range(self.CLUSTERS):
            self.cluster(f"c{i}")
        self.engine.recorded = []

    def operator(self, *arguments, account=False):
        self.operators.append(Operator(self, arguments, self.account_token() if account else self.token))
        return self.operators[-1]

    def logs(self):
        return "\n".join(f"--- {operator.folder.name}\n" + "\n".join(operator.log()[-12:]) for operator in self.operators)

    def kubernetes(self, *arguments):
        return run(ROOT / "scripts/kubernetes", *arguments, "--dir", self.folder)

    def kubectl(self, *arguments, **options):
        return run("kubectl", "--kubeconfig", self.folder / "kubeconfig", "--cache-dir", self.work / "cache", *arguments, **options)

    def request(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(self.server + path, None if body is None else json.dumps(body).encode(), method=method,
                                         headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        with urllib.request.urlopen(request, context=self.context, timeout=10) as answer:
            return json.load(answer)

    def answers(self):
        return self.request("GET", "/api/v1/namespaces/default") and self.request("GET", "/apis/atoll.dev/v1alpha1/machines")

    def apply(self, plural, manifest):
        manifest = {"apiVersion": "atoll.dev/v1alpha1", **manifest}
        name = manifest["metadata"]["name"]
        return self.request("PATCH", f"{GROUP}/{plural}/{name}?fieldManager=person&force=true", manifest, "application/apply-patch+yaml")

    def cluster(self, name):
        self.apply("clusters", {"kind": "Cluster", "metadata": {"name": name}, "spec": {
            "infrastructure": {"local": {"engine": {"host": f"unix://{self.work}/engine.sock"}}}, "orchestrator": {"swarm": {}}}})

    def paused_stack(self, name, cluster="c0"):
        self.apply("stacks", {"kind": "Stack", "metadata": {"name": name}, "spec": {
            "clusterRef": {"name": cluster}, "paused": True, "services": [{"name": "web", "container": {"image": "nginx:1"}}]}})

    def text(self, plural, name):
        try:
            status = self.request("GET", f"{GROUP}/{plural}s/{name}").get("status", {})
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return ""
            raise
        return json.dumps(status.get("conditions", []))

    def condition(self, plural, name, kind):
        conditions = json.loads(self.text(plural, name) or "[]")
        return next((one["status"] for one in conditions if one["type"] == kind), None)

    @contextlib.contextmanager
    def touching(self):
        """Somebody changes an annotation of each Cluster, without a pause, so that there is always something to do."""
        done = threading.Event()

        def touch():
            for i in range(1_000_000):
                if done.wait(0.05):
                    return
                patch = {"metadata": {"annotations": {"touched": str(i)}}}
                with contextlib.suppress(OSError):
                    self.request("PATCH", f"{GROUP}/clusters/c{i % self.CLUSTERS}", patch, "application/merge-patch+json")

        thread = threading.Thread(target=touch)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def leader(self):
        lease = self.request("GET", "/apis/coordination.k8s.io/v1/namespaces/atoll-system/leases/atoll")
        return lease["spec"].get("holderIdentity", "")

    def serve_definition(self, name, served):
        patch = [{"op": "replace", "path": "/spec/versions/0/served", "value": served}]
        self.kubectl("patch", "crd", name, "--type=json", "-p", json.dumps(patch))

    def compact(self):
        """Makes etcd forget all that is not the present."""
        command = (self.folder / "etcd.command").read_text()
        address = re.search(r"--listen-client-urls=(http\S+)", command)[1]

        def call(path, body):
            request = urllib.request.Request(address + path, json.dumps(body).encode(), method="POST")
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)

        revision = call("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        call("/v3/kv/compaction", {"revision": revision, "physical": True})

    def account_token(self):
        """A token with the rights that `atoll rbac` prints, and no more."""
        rules = run(PROGRAM, "rbac")
        (self.work / "rules.yaml").write_text(rules)
        own = rules.index("own:\n")
        cluster = rules[rules.index("cluster:\n") + len("cluster:\n"):own]
        role = lambda kind, where, text: f"apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: atoll-test{where}}}\nrules:\n{text}---\n"
        manifest = role("ClusterRole", "", cluster) + role("Role", ", namespace: atoll-system", rules[own + len("own:\n"):])
        manifest += "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: atoll-test, namespace: atoll-system}\n---\n"
        manifest += ("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: atoll-test, namespace: atoll-system}\n"
                     "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: atoll-test}\n"
                     "subjects: [{kind: ServiceAccount, name: atoll-test, namespace: atoll-system}]\n")
        (self.work / "account.yaml").write_text(manifest)
        self.kubectl("apply", "-f", self.work / "account.yaml")
        self.bind_account()
        return self.kubectl("create", "token", "atoll-test", "-n", "atoll-system").strip()

    def bind_account(self):
        self.kubectl("create", "clusterrolebinding", "atoll-test", "--clusterrole=atoll-test", "--serviceaccount=atoll-system:atoll-test")


def leases(world):
    items = world.request("GET", "/apis/coordination.k8s.io/v1/namespaces/atoll-system/leases")["items"]
    return [lease["metadata"]["name"] for lease in items]
