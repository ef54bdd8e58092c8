"""Definitions of other projects, as they publish them: from their Go modules, by `go mod download`."""

import functools
import json
import pathlib
import shutil
import subprocess

# The versions are pinned; Go checks their hashes against the public log.
MODULES = {
    "flux": (("github.com/fluxcd/kustomize-controller@v1.9.6", "config/crd/bases"),
             ("github.com/fluxcd/source-controller@v1.10.1", "config/crd/bases")),
    "gateway": (("sigs.k8s.io/gateway-api@v1.4.1", "config/crd/standard"),),
}


def _folder(module):
    """Where Go keeps the module's files; None if it cannot be had here."""
    if not shutil.which("go"):
        return None
    version = module.rpartition("@")[2]
    # A module that wants a newer Go is an error, and downloaded all the same.
    done = subprocess.run(["go", "mod", "download", "-json", module], capture_output=True, text=True, check=False, cwd="/",
                          timeout=120)
    cache = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=False, cwd="/").stdout.strip()
    try:
        named = json.loads(done.stdout).get("Dir")
    except ValueError:
        named = None
    path = pathlib.Path(named or f"{cache}/{module.rpartition('@')[0]}@{version}")
    return path if path.is_dir() else None


@functools.lru_cache
def definition_files(project):
    """The files of a project's definitions, sorted; empty if they cannot be had here."""
    files = []
    for module, folder in MODULES[project]:
        found = _folder(module)
        if found is None:
            return ()
        files += sorted((found / folder).glob("*.yaml"))
    return tuple(files)


def available():
    """The features that this machine adds to every server."""
    return frozenset(f"definitions of {project}" for project in MODULES if definition_files(project))
