"""Definitions that change, and that have several versions."""

import re

from client import MERGE
from pattern import ABSENT, ANY, Has
from row import DEFINITIONS, GROUP, definition, row

SCHEMA = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "a": {"type": "integer"}}}}}}


def versions(*names):
    """Version entries; the first is stored."""
    return [{"name": name, "served": True, "storage": name == names[0], "schema": SCHEMA} for name in names]


@row("Two versions without conversion: each is served, the stable one is preferred, objects change their apiVersion only")
def two_versions(t):
    body = definition("doubles", {"type": "object"})
    body["spec"]["versions"] = versions("v1", "v1beta1")
    path = t.define(body)
    t.get(f"/apis/{GROUP}").expect(200, {"versions": Has({"version": "v1"}, {"version": "v1beta1"}), "preferredVersion": {
        "version": "v1"}})
    double = {"apiVersion": f"{GROUP}/v1beta1", "kind": "Double", "metadata": {"name": "d"}, "spec": {"a": 1}}
    beta = path.replace("/v1/", "/v1beta1/")
    t.post(beta, double).expect(201, {"apiVersion": f"{GROUP}/v1beta1"})
    t.get(f"{path}/d").expect(200, {"apiVersion": f"{GROUP}/v1", "spec": {"a": 1}})
    t.get(f"{DEFINITIONS}/doubles.{GROUP}").expect(200, {"status": {"storedVersions": ["v1"]}})


@row("A version that is not served is 404")
def not_served(t):
    body = definition("halves", {"type": "object"})
    body["spec"]["names"]["kind"] = "Half"
    body["spec"]["versions"] = versions("v1", "v2")
    body["spec"]["versions"][1]["served"] = False
    path = t.define(body)
    answer = t.get(path.replace("/v1/", "/v2/"))
    assert answer.status == 404 and re.search("404 page not found|could not find the requested resource", answer.text), answer.text
    listed = t.get(f"/apis/{GROUP}").expect(200)["versions"]
    assert "v1" in {one["version"] for one in listed}, listed


@row("A deprecated version answers with a Warning header")
def deprecated(t):
    body = definition("relics", {"type": "object"}, deprecated=True)
    path = t.define(body)
    t.get(path).expect(200, {"kind": "RelicList", "items": []}, {"Warning": f'299 - "{GROUP}/v1 Relic is deprecated"'})


@row("A new schema holds for new requests: a new default, a new field, a new column")
def changed(t):
    body = definition("changers", {"type": "object", "properties": {"a": {"type": "integer"}}})
    path = t.define(body)
    changer = {"apiVersion": f"{GROUP}/v1", "kind": "Changer", "metadata": {"name": "c"}, "spec": {"a": 1, "b": 2}}
    t.post(path, changer).expect(201, {"spec": {"a": 1, "b": ABSENT}})
    version = body["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["b"] = {"type": "integer", "default": 7}
    version["additionalPrinterColumns"] = [{"name": "B", "type": "integer", "jsonPath": ".spec.b"}]
    t.patch(f"{DEFINITIONS}/changers.{GROUP}", {"spec": {"versions": [version]}}, MERGE).expect(200, {
        "metadata": {"generation": 2}})
    t.eventually("the default appears on what is stored", lambda: t.get(f"{path}/c").json["spec"].get("b") == 7)
    table = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    t.get(path, headers=table).expect(200, {"columnDefinitions": [{"name": "Name"}, {"name": "B"}], "rows": [{"cells": ["c", 7]}]})


@row("Group, scope and kind of a definition are immutable")
def immutable(t):
    t.define(definition("statues", {"type": "object"}))
    t.patch(f"{DEFINITIONS}/statues.{GROUP}", {"spec": {"scope": "Cluster"}}, MERGE).expect(422, {"message": re.compile(
        r'spec\.scope: Invalid value: "Cluster": field is immutable')})
    t.patch(f"{DEFINITIONS}/statues.{GROUP}", {"spec": {"group": "other.example.com"}}, MERGE).expect(422, {"reason": "Invalid"})


@row("Without printer columns a Table has Name and Age")
def plain_columns(t):
    path = t.define(definition("simples", {"type": "object"}))
    t.post(path, {"apiVersion": f"{GROUP}/v1", "kind": "Simple", "metadata": {"name": "s"}}).expect(201)
    t.get(path, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).expect(200, {
        "columnDefinitions": [{"name": "Name"}, {"name": "Age"}], "rows": [{"cells": ["s", ANY]}]})


@row("Without a status subresource, status is a part of the object")
def plain_status(t):
    body = definition("moods", {"type": "object"})
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = {
        "type": "object", "x-kubernetes-preserve-unknown-fields": True}
    path = t.define(body)
    t.post(path, {"apiVersion": f"{GROUP}/v1", "kind": "Mood", "metadata": {"name": "m"}, "status": {"a": 1}}).expect(
        201, {"status": {"a": 1}})
    t.patch(f"{path}/m", {"status": {"a": 2}}, MERGE).expect(200, {"status": {"a": 2}, "metadata": {"generation": 2}})


@row("A kind or short name that another definition of the group has is not accepted, and the condition says which")
def name_conflict(t):
    body = definition("impostors", {"type": "object"})
    body["spec"]["names"] = {"plural": "impostors", "kind": "Widget", "listKind": "ImpostorList"}
    t.post(DEFINITIONS, body).expect(201)
    path = f"{DEFINITIONS}/impostors.{GROUP}"
    t.eventually("NamesAccepted is False", lambda: any(
        one["type"] == "NamesAccepted" and one["status"] == "False" for one in t.get(path).json["status"].get("conditions") or []))
    t.get(path).expect(200, {"status": {"conditions": Has({"type": "NamesAccepted", "reason": "KindConflict", "message": ANY})}})
    t.delete(path).expect(200)


@row("Selectable fields of a definition work as field selectors of lists and watches")
def selectable(t):
    body = definition("choices", {"type": "object", "properties": {"color": {"type": "string"}}},
                      selectableFields=[{"jsonPath": ".spec.color"}])
    path = t.define(body)
    for name, color in (("a", "red"), ("b", "blue")):
        t.post(path, {"apiVersion": f"{GROUP}/v1", "kind": "Choice", "metadata": {"name": name}, "spec": {"color": color}}).expect(201)
    t.get(path, fieldSelector="spec.color=blue").expect(200, {"items": [{"metadata": {"name": "b"}}]})
    t.watch(path, fieldSelector="spec.color=red").expect({"type": "ADDED", "object": {"metadata": {"name": "a"}}})
