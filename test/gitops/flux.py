"""What gitops_test needs: an API server with Atoll at work on it, an engine, a repository, and Flux's kustomize-controller."""

import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/kubernetes"), str(ROOT / "test/conformance")]

from foreign import definition_files  # noqa: E402  (siblings' folders, which must be on the path first)
from operators import PROGRAM, eventually, free_port, run  # noqa: E402

OURS = "clusters,stacks,serviceinstances,machines"


def built():
    """The folder with kustomize-controller and kstatus; or the reason why there is none."""
    done = subprocess.run([ROOT / "scripts/kubernetes-binaries", "--gitops"], capture_output=True, text=True)
    if done.returncode == 77:
        return None, (done.stdout + done.stderr).strip().splitlines()[-1]
    if done.returncode:
        raise SystemExit(f"scripts/kubernetes-binaries --gitops: exit code {done.returncode}: {done.stderr}")
    return pathlib.Path(done.stdout.strip()), ""


def kstatus(folder, text):
    """What kstatus says of each object of a stream of JSON documents: [(KIND/NAME, status, message)]."""
    lines = run(folder / "kstatus", input=text).splitlines()
    return [tuple(line.split("\t")) for line in lines]


class Repository:
    """Artifacts as source-controller would serve them: one archive a revision, over HTTP on loopback."""

    def __init__(self):
        self.archives = {}
        archives = self.archives

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = archives.get(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def commit(self, files):
        """The artifact of a GitRepository's status for these files ({path: text})."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, text in sorted(files.items()):
                entry = tarfile.TarInfo(path)
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
        body = packed.getvalue()
        digest = hashlib.sha256(body).hexdigest()
        path = f"/{digest[:12]}.tar.gz"
        self.archives[path] = body
        return {"url": f"http://127.0.0.1:{self.server.server_port}{path}", "path": path[1:], "size": len(body),
                "revision": f"main@sha1:{digest[:40]}", "digest": f"sha256:{digest}",
                "lastUpdateTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class World:
    """One API server with Atoll, an engine of its own with the examples' image, and Flux."""

    def __init__(self, built_folder):
        self.built, self.processes = built_folder, []
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="atoll-gitops-test-", dir="/var/tmp"))
        self.config = self.work / "kubeconfig"
        self.repository = Repository()

    def start(self):
        self.serve()
        socket = run(ROOT / "scripts/engine", "up", self.work / "engine").strip()
        run(ROOT / "scripts/demo-image", socket, "atoll-demo:1")
        self.engine = f"unix://{socket}"
        self.kubectl("apply", "--server-side", *(f"--filename={path}" for path in definition_files("flux")))
        self.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        for kind in OURS.split(","):
            self.spawn(f"states-{kind}", "kubectl", "--kubeconfig", self.config, "get", kind, "-A", "-w", "-o", "json")
        self.flux = self.spawn("flux", self.built / "kustomize-controller", "--watch-all-namespaces", "--enable-leader-election=false",
                               "--no-remote-bases", "--metrics-addr", "127.0.0.1:0", "--health-addr", f"127.0.0.1:{free_port()}",
                               "--events-addr=", "--interval-jitter-percentage=0", "--requeue-dependency=2s")

    def spawn(self, name, *command):
        with open(self.work / f"{name}.json", "w") as out, open(self.work / f"{name}.log", "w") as log:
            process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=log,
                                       env={**os.environ, "KUBECONFIG": str(self.config), "RUNTIME_NAMESPACE": "flux-system",
                                            "TMPDIR": str(self.work), "HOME": str(self.work)})
        self.processes.append(process)
        return process

    def states(self):
        """Every state of our objects that a client could see, in the order of each kind's watch, as a stream of JSON."""
        return "".join((self.work / f"states-{kind}.json").read_text() for kind in OURS.split(","))

    def kubectl(self, *arguments, **options):
        return run("kubectl", "--kubeconfig", self.config, "--cache-dir", self.work / "cache", *arguments, **options)

    def get(self, *arguments):
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def condition(self, what, name, kind="Ready"):
        """(status, reason, message) of a condition, of this generation only."""
        found = self.get(what, name)
        if found.get("status", {}).get("observedGeneration") != found["metadata"]["generation"]:
            return "Unknown", "Behind", ""
        return next(((one["status"], one["reason"], one.get("message", "")) for one in found["status"].get("conditions", [])
                     if one["type"] == kind), ("Unknown", "Missing", ""))

    def push(self, files):
        """A new revision of the repository; what source-controller would write of it. Gives back the revision."""
        self.apply({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                    "metadata": {"name": "shop", "namespace": "default"}, "spec": {"interval": "1h", "url": "https://git.example/shop"}})
        artifact = self.repository.commit(files)
        ready = {"type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored", "observedGeneration": 1,
                 "lastTransitionTime": artifact["lastUpdateTime"]}
        self.kubectl("patch", "gitrepository", "shop", "--subresource=status", "--type=merge", "-p",
                     json.dumps({"status": {"observedGeneration": 1, "artifact": artifact, "conditions": [ready]}}))
        return artifact["revision"]

    def kustomization(self, **more):
        self.apply({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                    "metadata": {"name": "shop", "namespace": "default"},
                    "spec": {"interval": "1h", "retryInterval": "2s", "timeout": "60s", "prune": True, "wait": True, "path": "./",
                             "sourceRef": {"kind": "GitRepository", "name": "shop"}, **more}})

    def apply(self, manifest):
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=json.dumps(manifest))

    def ask(self):
        """Has Flux look at once, as `flux reconcile` does, and waits until it has."""
        word = str(time.monotonic_ns())
        self.kubectl("annotate", "--overwrite", "kustomization", "shop", f"reconcile.fluxcd.io/requestedAt={word}")
        eventually(lambda: self.get("kustomization", "shop")["status"].get("lastHandledReconcileAt") == word, "Flux has looked", 60)

    def healthy(self, revision, seconds=60):
        def done():
            status, reason, _ = self.condition("kustomization", "shop")
            return status == "True" and reason == "ReconciliationSucceeded" and \
                self.get("kustomization", "shop")["status"].get("lastAppliedRevision") == revision

        eventually(done, f"the Kustomization is Ready at {revision}", seconds)

    def logs(self):
        parts = []
        for path in sorted(self.work.glob("*.log")):
            parts.append(f"--- {path.name}\n" + "\n".join(path.read_text().splitlines()[-15:]))
        flux = (self.work / "flux.json").read_text().splitlines() if (self.work / "flux.json").exists() else []
        return "\n".join(parts + ["--- flux"] + flux[-10:])

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.repository.close()
        run(ROOT / "scripts/engine", "down", self.work / "engine", check=False)
        self.unserve()
        shutil.rmtree(self.work, ignore_errors=True)

    def unserve(self):
        pass


class Embedded(World):
    """`atoll up`."""

    def serve(self):
        self.atoll = self.spawn("atoll", PROGRAM, "up", "--data-dir", self.work / "data", "--kubeconfig", self.config, "--port", "0")
        eventually(lambda: self.config.exists() and "ok" in self.kubectl("get", "--raw", "/readyz"), "atoll up is ready", 30)


class Real(World):
    """kube-apiserver, and `atoll operator`."""

    def serve(self):
        self.kube = self.work / "kube"
        shutil.copy(run(ROOT / "scripts/kubernetes", "up", "--dir", self.kube, timeout=600).strip(), self.config)
        definitions = self.work / "crds.yaml"
        definitions.write_text(run(PROGRAM, "crds"))
        self.kubectl("apply", "--server-side", "-f", definitions)
        self.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        self.kubectl("create", "namespace", "atoll-system")
        self.atoll = self.spawn("atoll", PROGRAM, "operator", "--kubeconfig", self.config, "--health-address", "127.0.0.1",
                                "--health-port", str(free_port()))

    def unserve(self):
        run(ROOT / "scripts/kubernetes", "down", "--dir", self.kube, check=False)
