"""Merge patch, JSON patch and strategic merge patch."""

import re

from client import JSON_PATCH, MERGE, STRATEGIC
from pattern import ABSENT, ANY
from row import GROUP, WIDGETS, config_map, row, status, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


@row("A merge patch sets, keeps and (with null) removes fields; a list is replaced whole")
def merge_patch(t):
    t.post(WIDGETS, widget(spec={"label": "a", "steps": ["a", "b"]}, labels={"a": "b", "c": "d"})).expect(201)
    body = {"metadata": {"labels": {"a": None, "e": "f"}}, "spec": {"size": 2, "label": None, "steps": ["c"]}}
    t.patch(f"{WIDGETS}/w", body, MERGE).expect(200, {
        "metadata": {"labels": {"a": ABSENT, "c": "d", "e": "f"}, "generation": 2},
        "spec": {"size": 2, "label": ABSENT, "steps": ["c"], "color": "green"}})


@row("A merge patch with a stale resourceVersion is 409 Conflict, with the current one it goes through")
def merge_patch_with_version(t):
    made = t.post(WIDGETS, widget()).expect(201)
    version = {"resourceVersion": made["metadata"]["resourceVersion"]}
    t.patch(f"{WIDGETS}/w", {"metadata": version, "spec": {"size": 2}}, MERGE).expect(200, {"spec": {"size": 2}})
    t.patch(f"{WIDGETS}/w", {"metadata": version, "spec": {"size": 3}}, MERGE).expect(409, {
        "reason": "Conflict", "message": re.compile("the object has been modified; please apply your changes")})


@row("A merge patch that changes nothing keeps resourceVersion and generation")
def empty_patch(t):
    made = t.post(WIDGETS, widget()).expect(201)
    for body in ({}, {"spec": {"size": 1}}):
        t.patch(f"{WIDGETS}/w", body, MERGE).expect(200, {"metadata": {
            "resourceVersion": made["metadata"]["resourceVersion"], "generation": 1}})


@row("A patch cannot rename, and cannot set uid or creationTimestamp")
def identity(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {"metadata": {"name": "v"}}, MERGE).expect(400, status(
        400, "BadRequest", "the name of the object (v) does not match the name on the URL (w)"))
    t.patch(f"{WIDGETS}/w", {"metadata": {"uid": "other"}}, MERGE).expect(422, {"message": re.compile(
        'metadata.uid: Invalid value: "other": field is immutable')})
    t.patch(f"{WIDGETS}/w", {"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z"}}, MERGE).expect(200, {
        "metadata": {"creationTimestamp": made["metadata"]["creationTimestamp"]}})


@row("A patch is validated: schema, unknown fields, rules")
def validated(t):
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 99}}, MERGE).expect(422, {"reason": "Invalid", "details": {"causes": [
        {"field": "spec.size", "reason": "FieldValueInvalid", "message": ANY}]}})
    t.patch(f"{WIDGETS}/w", {"spec": {"odd": 1}}, MERGE, fieldValidation="Strict").expect(422, {
        "message": re.compile(r'strict decoding error: unknown field "spec\.odd"')})
    t.patch(f"{WIDGETS}/w", {"spec": {"odd": 1}}, MERGE).expect(200, {"spec": {"odd": ABSENT}}, {
        "Warning": '299 - "unknown field \\"spec.odd\\""'})


@row("A patch that is no JSON is 400")
def malformed(t):
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", "{", MERGE).expect(400, {"reason": "BadRequest", "message": ANY})


@row("A JSON patch adds, replaces, removes, tests, copies and moves")
def json_patch(t):
    t.post(WIDGETS, widget(spec={"steps": ["a", "b"]})).expect(201)
    t.patch(f"{WIDGETS}/w", [
        {"op": "test", "path": "/spec/size", "value": 1}, {"op": "replace", "path": "/spec/size", "value": 2},
        {"op": "add", "path": "/spec/steps/-", "value": "c"}, {"op": "add", "path": "/spec/steps/0", "value": "z"},
        {"op": "remove", "path": "/spec/steps/1"}, {"op": "copy", "from": "/spec/size", "path": "/spec/low"},
        {"op": "add", "path": "/metadata/annotations", "value": {"a/b": "c"}},
        {"op": "move", "from": "/metadata/annotations/a~1b", "path": "/metadata/annotations/d"}], JSON_PATCH).expect(200, {
            "spec": {"size": 2, "low": 2, "steps": ["z", "b", "c"]}, "metadata": {"annotations": {"a/b": ABSENT, "d": "c"}}})


@row("A JSON patch whose test fails changes nothing and is 422; one that is no list is 400")
def json_patch_test(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", [{"op": "replace", "path": "/spec/size", "value": 2},
                             {"op": "test", "path": "/spec/color", "value": "red"}], JSON_PATCH).expect(422, {
                                 "reason": "Invalid", "status": "Failure"})
    t.patch(f"{WIDGETS}/w", [{"op": "remove", "path": "/spec/label"}], JSON_PATCH).expect(422, {"reason": "Invalid"})
    t.patch(f"{WIDGETS}/w", {"op": "remove"}, JSON_PATCH).expect(400, {"reason": "BadRequest"})
    t.get(f"{WIDGETS}/w").expect(200, made)


@row("A strategic merge patch works on built-in kinds, and is 415 on custom resources")
def strategic(t):
    t.post(CONFIG_MAPS, config_map(data={"a": "1", "b": "2"})).expect(201)
    t.patch(f"{CONFIG_MAPS}/c", {"data": {"a": None, "c": "3"}}, STRATEGIC).expect(200, {"data": {
        "a": ABSENT, "b": "2", "c": "3"}})
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, STRATEGIC).expect(415, {
        "reason": "UnsupportedMediaType", "message": re.compile(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch\\+json, application/merge-patch\\+json, application/apply-patch\\+yaml")})


@row("A strategic merge patch merges metadata.finalizers and ownerReferences by value and uid")
def strategic_lists(t):
    owners = []  # that exist: the garbage collector would remove the object of others in mid-row
    for name in ("x", "y"):
        made = t.post(CONFIG_MAPS, config_map(name)).expect(201)
        owners.append({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": made["metadata"]["uid"]})
    t.post(CONFIG_MAPS, config_map(finalizers=["example.com/a"], ownerReferences=owners[:1])).expect(201)
    t.patch(f"{CONFIG_MAPS}/c", {"metadata": {"finalizers": ["example.com/b"], "ownerReferences": owners[1:]}},
            STRATEGIC).expect(200, {"metadata": {"finalizers": ["example.com/b", "example.com/a"],
                                                 "ownerReferences": [owners[1], owners[0]]}})
    t.patch(f"{CONFIG_MAPS}/c", {"metadata": {"ownerReferences": [{"$patch": "delete", "uid": owners[0]["uid"]}]}}, STRATEGIC).expect(
        200, {"metadata": {"ownerReferences": [owners[1]]}})
    t.patch(f"{CONFIG_MAPS}/c", {"metadata": {"$deleteFromPrimitiveList/finalizers": [
        "example.com/a", "example.com/b"]}}, STRATEGIC).expect(200, {"metadata": {"finalizers": ABSENT}})


@row("A patch type that nobody knows is 415")
def unknown_type(t):
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, "application/json").expect(415, {"kind": "Status"})


@row("A merge patch of nothing is 404")
def patch_nothing(t):
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(404, status(
        404, "NotFound", f'widgets.{GROUP} "w" not found', name="w", group=GROUP, kind="widgets"))
