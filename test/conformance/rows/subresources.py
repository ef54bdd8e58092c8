"""The status and scale subresources."""

import re

from client import MERGE
from pattern import ABSENT, ANY, Not
from row import GROUP, WIDGETS, definition, row, status, widget

STATUS = f"{WIDGETS}/w/status"
SCALE = f"{WIDGETS}/w/scale"


@row("A status sent with a create or an update of the object is dropped")
def status_is_dropped(t):
    made = t.post(WIDGETS, {**widget(), "status": {"replicas": 3}}).expect(201, {"status": ABSENT})
    t.put(f"{WIDGETS}/w", {**made, "status": {"replicas": 3}}).expect(200, {
        "status": ABSENT, "metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}})
    t.patch(f"{WIDGETS}/w", {"status": {"replicas": 3}}, MERGE).expect(200, {"status": ABSENT})


@row("An update of status keeps spec, labels and generation, whatever the body says of them")
def status_update(t):
    made = t.post(WIDGETS, widget()).expect(201)
    made["metadata"]["labels"] = {"a": "b"}
    t.put(STATUS, {**made, "spec": {"size": 9}, "status": {"replicas": 3}}).expect(200, {
        "spec": {"size": 1}, "status": {"replicas": 3}, "metadata": {
            "generation": 1, "labels": ABSENT, "resourceVersion": Not(made["metadata"]["resourceVersion"])}})
    t.get(f"{WIDGETS}/w").expect(200, {"status": {"replicas": 3}, "spec": {"size": 1}})
    t.get(STATUS).expect(200, {"kind": "Widget", "status": {"replicas": 3}})


@row("A merge patch of status; a stale resourceVersion is 409; the schema holds")
def status_patch(t):
    made = t.post(WIDGETS, widget()).expect(201)
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"}
    t.patch(STATUS, {"status": {"conditions": [condition]}}, MERGE).expect(200, {"status": {"conditions": [condition]}})
    t.patch(STATUS, {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}, "status": {"replicas": 1}},
            MERGE).expect(409, {"reason": "Conflict"})
    t.patch(STATUS, {"status": {"replicas": "many"}}, MERGE).expect(422, {"message": re.compile(r"status\.replicas")})
    t.patch(STATUS, {"status": {"odd": 1}}, MERGE).expect(200, {"status": {"odd": ABSENT}})


@row("Status of nothing is 404; a resource without the subresource has no such path")
def no_status(t):
    t.patch(STATUS, {"status": {}}, MERGE).expect(404, status(
        404, "NotFound", f'widgets.{GROUP} "w" not found', name="w", group=GROUP, kind="widgets"))
    path = t.define(definition("plains", {"type": "object"}))
    t.get(f"{path}/p/status").expect(404)
    t.get(f"{path}/p/scale").expect(404)


@row("GET scale is an autoscaling/v1 Scale made of the fields that the definition names")
def scale(t):
    made = t.post(WIDGETS, widget(spec={"replicas": 2})).expect(201)
    t.get(SCALE).expect(200, {
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {
            "name": "w", "namespace": t.ns, "uid": made["metadata"]["uid"], "creationTimestamp": ANY,
            "resourceVersion": made["metadata"]["resourceVersion"]},
        "spec": {"replicas": 2}, "status": {"replicas": 0, "selector": ABSENT}})
    t.patch(STATUS, {"status": {"replicas": 2, "selector": "a=b"}}, MERGE).expect(200)
    t.get(SCALE).expect(200, {"status": {"replicas": 2, "selector": "a=b"}})


@row("PUT and PATCH scale change spec.replicas and the generation")
def scale_update(t):
    t.post(WIDGETS, widget()).expect(201)
    body = t.get(SCALE).expect(200)
    body["spec"]["replicas"] = 5
    t.put(SCALE, body).expect(200, {"kind": "Scale", "spec": {"replicas": 5}})
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"replicas": 5}, "metadata": {"generation": 2}})
    t.patch(SCALE, {"spec": {"replicas": 0}}, MERGE).expect(200, {"kind": "Scale", "spec": {}})
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"replicas": 0}, "metadata": {"generation": 3}})


@row("A stale or negative scale is refused")
def bad_scale(t):
    t.post(WIDGETS, widget()).expect(201)
    body = t.get(SCALE).expect(200)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200)
    t.put(SCALE, {**body, "spec": {"replicas": 2}}).expect(409, {"reason": "Conflict", "message": re.compile(
        "the object has been modified; please apply your changes")})
    t.patch(SCALE, {"spec": {"replicas": -1}}, MERGE).expect(422, {"reason": "Invalid", "message": re.compile(
        r"spec\.replicas: Invalid value: -1: ")})
    t.get(f"{WIDGETS}/w/scale").expect(200, {"spec": {"replicas": 1}})


@row("A scale is recorded in managedFields under its subresource")
def scale_managers(t):
    t.post(WIDGETS, widget()).expect(201)
    t.patch(SCALE, {"spec": {"replicas": 4}}, MERGE, fieldManager="scaler").expect(200)
    fields = {entry["manager"]: entry for entry in t.get(f"{WIDGETS}/w").json["metadata"]["managedFields"]}
    assert fields["scaler"]["subresource"] == "scale", fields["scaler"]
    assert fields["scaler"]["fieldsV1"] == {"f:spec": {"f:replicas": {}}}, fields["scaler"]


@row("Scale of nothing is 404")
def scale_nothing(t):
    t.get(SCALE).expect(404, {"reason": "NotFound", "message": f'widgets.{GROUP} "w" not found'})
