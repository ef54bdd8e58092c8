"""Definitions of other projects, as they publish them: from their Go modules, by `go mod download`. Used by test/gitops too."""

import functools
import json
import pathlib
import re
import shutil
import subprocess

FLUX = pathlib.Path(__file__).resolve().parents[1] / "gitops" / "go.mod"


def _of_flux(name, newer=None):
    """A controller of Flux, at the version whose API test/gitops is built with, or a newer one."""
    path, version = re.search(rf"^\s*(\S+/{name})/api (v\S+)", FLUX.read_text(), re.MULTILINE).groups()
    return f"{path}@{newer or version}"


# The versions are pinned; Go checks their hashes against the public log.
MODULES = {
    # source-controller's kinds have categories since 1.10, whose Go code wants a newer Go than 1.26.
    "flux": ((_of_flux("kustomize-controller"), "config/crd/bases"), (_of_flux("source-controller", "v1.10.1"), "config/crd/bases")),
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
