"""The servers that the table runs on: how each is started, and which optional features it has."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Unavailable(Exception):
    """A server cannot be started here; its rows are skipped with this reason."""


def _script(*arguments):
    done = subprocess.run([str(ROOT / "scripts" / arguments[0]), *arguments[1:]], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise Unavailable(done.stderr.strip() or f"{' '.join(arguments)}: exit {done.returncode}")
    return done.stdout.strip()


def built_kubectl():
    """The kubectl of test/kubernetes."""
    return f"{_script('kubernetes-binaries')}/kubectl"


class KubeApiserver:
    """etcd, kube-apiserver and the controllers that collect garbage."""

    features = frozenset({"garbage collection", "service account tokens"})

    @contextlib.contextmanager
    def running(self, kubeconfig):
        if kubeconfig:
            yield kubeconfig
            return
        directory = tempfile.mkdtemp(prefix="conformance-")
        try:
            yield _script("kubernetes", "up", "--dir", directory)
        finally:
            _script("kubernetes", "down", "--dir", directory)
            shutil.rmtree(directory, ignore_errors=True)


class Embedded:
    """`atoll up`: the embedded server, which collects garbage itself and has no Pods, Services or Deployments."""

    features = frozenset({"garbage collection", "service account tokens"})
    program = ROOT / "build" / "release" / "atoll"

    @contextlib.contextmanager
    def running(self, kubeconfig):
        if kubeconfig:
            yield kubeconfig
            return
        program = os.environ.get("ATOLL_BINARY", str(self.program))
        if not os.access(program, os.X_OK):
            raise Unavailable(f"{program} is not built")
        with tempfile.TemporaryDirectory(prefix="conformance-") as directory:
            path = f"{directory}/kubeconfig"
            with open(f"{directory}/log", "w+", encoding="utf-8") as log:
                process = subprocess.Popen([program, "up", "--data-dir", f"{directory}/data", "--kubeconfig", path,
                                            "--port", "0"], stdout=log, stderr=subprocess.STDOUT)
                try:
                    self._wait(process, path, log)
                    yield path
                finally:
                    process.send_signal(signal.SIGTERM)
                    process.wait(timeout=30)

    @staticmethod
    def _wait(process, path, log):
        for _ in range(200):
            if os.path.exists(path) and os.path.getsize(path):
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        process.kill()
        log.seek(0)
        raise Unavailable(f"atoll up wrote no kubeconfig: {log.read()[-1000:]}")


SERVERS = {"embedded": Embedded(), "kube-apiserver": KubeApiserver()}
