"""dryRun=All: every check, the answer as it would be, and nothing stored."""

import re

from client import APPLY, MERGE
from pattern import ABSENT, ANY
from row import WIDGETS, config_map, row, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


@row("A dry create answers 201 with defaults and a uid, and stores nothing")
def create(t):
    t.post(WIDGETS, widget(), dryRun="All").expect(201, {"spec": {"color": "green"}, "metadata": {
        "uid": ANY, "creationTimestamp": ANY, "resourceVersion": ABSENT}})
    t.get(f"{WIDGETS}/w").expect(404)
    t.post(CONFIG_MAPS, config_map(), dryRun="All").expect(201, {"kind": "ConfigMap"})
    t.get(f"{CONFIG_MAPS}/c").expect(404)


@row("A dry create is validated, and finds what exists")
def validated(t):
    t.post(WIDGETS, widget(spec={"size": 0}), dryRun="All").expect(422, {"reason": "Invalid"})
    t.post(WIDGETS, widget()).expect(201)
    t.post(WIDGETS, widget(), dryRun="All").expect(409, {"reason": "AlreadyExists"})


@row("A dry update, patch and apply answer with the result and change nothing")
def update(t):
    made = t.post(WIDGETS, widget()).expect(201)
    same_version = {"resourceVersion": made["metadata"]["resourceVersion"]}
    t.put(f"{WIDGETS}/w", {**made, "spec": {"size": 2}}, dryRun="All").expect(200, {"spec": {"size": 2}})
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 3}}, MERGE, dryRun="All").expect(200, {
        "spec": {"size": 3}, "metadata": {"generation": 2, **same_version}})
    t.patch(f"{WIDGETS}/w", widget(spec={"size": 4}), APPLY, fieldManager="one", force="true", dryRun="All").expect(200, {
        "spec": {"size": 4}})
    t.patch(f"{WIDGETS}/w/status", {"status": {"replicas": 4}}, MERGE, dryRun="All").expect(200, {"status": {"replicas": 4}})
    t.patch(f"{WIDGETS}/w/scale", {"spec": {"replicas": 4}}, MERGE, dryRun="All").expect(200, {"spec": {"replicas": 4}})
    t.get(f"{WIDGETS}/w").expect(200, made)


@row("A dry delete answers and deletes nothing, nor sets a deletionTimestamp")
def delete(t):
    made = [t.post(WIDGETS, widget("a")).expect(201), t.post(WIDGETS, widget("b", finalizers=["example.com/a"])).expect(201)]
    for name in "ab":
        t.delete(f"{WIDGETS}/{name}", dryRun="All").expect(200)
    t.delete(f"{WIDGETS}/a", {"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}).expect(200)
    t.delete(WIDGETS, dryRun="All").expect(200)
    t.get(WIDGETS).expect(200, {"items": made})


@row("Another value of dryRun is refused")
def bad_value(t):
    t.post(WIDGETS, widget(), dryRun="Some").expect(422, {"message": re.compile(
        r'dryRun(\[0\])?: Unsupported value: \[?"Some"\]?: supported values: "All"')})
    t.get(f"{WIDGETS}/w").expect(404)


@row("A dry run is seen by no watch")
def watched(t):
    start = t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"]
    t.post(WIDGETS, widget("dry"), dryRun="All").expect(201)
    t.post(WIDGETS, widget("wet")).expect(201)
    t.watch(WIDGETS, resourceVersion=start).expect({"type": "ADDED", "object": {"metadata": {"name": "wet"}}})
