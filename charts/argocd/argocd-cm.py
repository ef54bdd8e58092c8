#!/usr/bin/env python3
"""Prints health.lua and the actions as a merge patch (YAML) for Argo CD's ConfigMap argocd-cm."""

import pathlib

import yaml

HERE = pathlib.Path(__file__).resolve().parent


def actions():
    definitions = [
        {"name": name, "action.lua": (HERE / f"actions/{name}.lua").read_text()} for name in ("pause", "resume")
    ]
    return yaml.safe_dump({"discovery.lua": (HERE / "actions/discovery.lua").read_text(), "definitions": definitions})


def patch():
    data = {}
    for kind in ("Cluster", "Stack", "ServiceInstance", "Machine"):
        data[f"resource.customizations.health.atoll.dev_{kind}"] = (HERE / "health.lua").read_text()
        if kind != "Machine":
            data[f"resource.customizations.actions.atoll.dev_{kind}"] = actions()
    return {"data": data}


if __name__ == "__main__":
    print(yaml.safe_dump(patch()), end="")
