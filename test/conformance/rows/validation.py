"""Schemas: defaults, pruning, errors and their texts, rules in CEL."""

import re

from pattern import ABSENT, ANY, Has
from row import DEFINITIONS, GROUP, WIDGETS, definition, row, widget

MERGE = "application/merge-patch+json"


def invalid(cause, field, message, name="w"):
    """The pattern of a 422 with one cause."""
    return {"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422,
            "message": f'Widget.{GROUP} "{name}" is invalid: {field}: {message}',
            "details": {"name": name, "group": GROUP, "kind": "Widget", "causes": [
                {"reason": cause, "message": message, "field": field}]}}


def blocking(cause, field, message, name="w"):
    """The pattern of a 422 with one cause that keeps the server from looking at the rules in CEL."""
    unchecked = ("Invalid value: null: some validation rules were not checked because the object was invalid; correct the "
                 "existing errors to complete validation")
    pattern = invalid(cause, field, message, name)
    pattern["message"] = f'Widget.{GROUP} "{name}" is invalid: [{field}: {message}, <nil>: {unchecked}]'
    pattern["details"]["causes"].append({"reason": "FieldValueInvalid", "message": unchecked, "field": "<nil>"})
    return pattern


@row("Defaults of the schema are stored, also below lists; null is replaced unless the field is nullable")
def defaults(t):
    t.post(WIDGETS, widget(spec={"parts": [{"name": "a"}, {"name": "b", "count": 5}]})).expect(201, {"spec": {
        "color": "green", "replicas": 1, "parts": [{"name": "a", "count": 1}, {"name": "b", "count": 5}]}})
    t.post(WIDGETS, widget("v", spec={"color": None, "note": None})).expect(201, {"spec": {"color": "green", "note": None}})


@row("Unknown fields are pruned, except below x-kubernetes-preserve-unknown-fields")
def pruning(t):
    t.post(WIDGETS, widget(spec={"odd": 1, "parts": [{"name": "a", "odd": 1}], "template": {"odd": {"x": [1]}}})).expect(
        201, {"spec": {"odd": ABSENT, "parts": [{"name": "a", "odd": ABSENT}], "template": {"odd": {"x": [1]}}}})


@row("fieldValidation=Strict refuses unknown and duplicate fields, naming each")
def strict(t):
    t.post(WIDGETS, widget(spec={"odd": 1, "parts": [{"name": "a", "odder": 1}]}), fieldValidation="Strict").expect(400, {
        "reason": "BadRequest", "message": re.compile(
            r'strict decoding error: unknown field "spec\.odd", unknown field "spec\.parts\[0\]\.odder"')})
    twice = f'{{"apiVersion": "{GROUP}/v1", "kind": "Widget", "metadata": {{"name": "w"}}, "spec": {{"size": 1, "size": 2}}}}'
    t.post(WIDGETS, twice, fieldValidation="Strict").expect(400, {
        "message": re.compile(r'strict decoding error: (json: )?duplicate field "(spec\.)?size"')})
    t.get(f"{WIDGETS}/w").expect(404)


@row("fieldValidation=Warn, which is the default, takes them with a Warning header")
def warn(t):
    wanted = {"Warning": '299 - "unknown field \\"spec.odd\\""'}
    t.post(WIDGETS, widget(spec={"odd": 1}), fieldValidation="Warn").expect(201, {"spec": {"odd": ABSENT}}, wanted)
    t.post(WIDGETS, widget("v", spec={"odd": 1})).expect(201, {"spec": {"odd": ABSENT}}, wanted)


@row("fieldValidation=Ignore takes them without a word; another value is refused")
def ignore(t):
    answer = t.post(WIDGETS, widget(spec={"odd": 1}), fieldValidation="Ignore")
    answer.expect(201, {"spec": {"odd": ABSENT}})
    assert "Warning" not in answer.headers, answer.headers["Warning"]
    t.post(WIDGETS, widget("v"), fieldValidation="Maybe").expect(422, {"message": re.compile(
        r'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"')})


@row("fieldValidation=Strict holds for built-in kinds, too")
def strict_built_in(t):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "odd": 1}
    t.post("/api/v1/namespaces/{ns}/configmaps", body, fieldValidation="Strict").expect(400, {
        "message": re.compile(r'strict decoding error: unknown field "odd"')})
    t.post("/api/v1/namespaces/{ns}/configmaps", body).expect(201, {"odd": ABSENT}, {
        "Warning": '299 - "unknown field \\"odd\\""'})


@row("A wrong type is refused with the type that was wanted")
def wrong_type(t):
    t.post(WIDGETS, widget(spec={"size": "big"})).expect(422, blocking(
        "FieldValueTypeInvalid", "spec.size",
        'Invalid value: "string": spec.size in body must be of type integer: "string"'))
    t.post(WIDGETS, widget(spec={"enabled": "yes"})).expect(422, blocking(
        "FieldValueTypeInvalid", "spec.enabled",
        'Invalid value: "string": spec.enabled in body must be of type boolean: "string"'))
    t.post(WIDGETS, widget(spec={"size": 1.5})).expect(422, {"reason": "Invalid", "message": re.compile(
        r"spec\.size in body must be of type integer")})


@row("A number out of its limits is refused with the limit")
def limits(t):
    t.post(WIDGETS, widget(spec={"size": 0})).expect(422, invalid(
        "FieldValueInvalid", "spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"))
    t.post(WIDGETS, widget(spec={"size": 11})).expect(422, invalid(
        "FieldValueInvalid", "spec.size", "Invalid value: 11: spec.size in body should be less than or equal to 10"))


@row("A value outside an enum is refused with the values that are allowed")
def enum(t):
    t.post(WIDGETS, widget(spec={"color": "pink"})).expect(422, blocking(
        "FieldValueNotSupported", "spec.color", 'Unsupported value: "pink": supported values: "red", "green", "blue"'))


@row("A string against its pattern or too long is refused")
def strings(t):
    t.post(WIDGETS, widget(spec={"label": "A"})).expect(422, invalid(
        "FieldValueInvalid", "spec.label", "Invalid value: \"A\": spec.label in body should match '^[a-z]+$'"))
    t.post(WIDGETS, widget(spec={"label": "abcdef"})).expect(422, blocking(
        "FieldValueTooLong", "spec.label", "Too long: may not be more than 5 bytes"))


@row("A missing required field is refused with its path")
def required(t):
    body = widget()
    body["spec"] = {}
    t.post(WIDGETS, body).expect(422, blocking("FieldValueRequired", "spec.size", "Required value"))
    t.post(WIDGETS, widget(spec={"parts": [{"count": 2}]})).expect(422, {"details": {"causes": Has(
        {"reason": "FieldValueRequired", "field": "spec.parts[0].name", "message": "Required value"})}})


@row("Lists: too many items, a value twice in a set, a key twice in a map")
def lists(t):
    t.post(WIDGETS, widget(spec={"tags": list("abcde")})).expect(422, blocking(
        "FieldValueTooMany", "spec.tags", "Too many: 5: must have at most 4 items"))
    t.post(WIDGETS, widget(spec={"tags": ["a", "a"]})).expect(422, invalid(
        "FieldValueDuplicate", "spec.tags[1]", 'Duplicate value: "a"'))
    t.post(WIDGETS, widget(spec={"parts": [{"name": "a"}, {"name": "a"}]})).expect(422, invalid(
        "FieldValueDuplicate", "spec.parts[1]", 'Duplicate value: {"name":"a"}'))


@row("Maps of strings: too many properties, a value of another type")
def maps(t):
    t.post(WIDGETS, widget(spec={"settings": dict.fromkeys("abcd", "x")})).expect(422, blocking(
        "FieldValueTooMany", "spec.settings", "Too many: 4: must have at most 3 items"))
    t.post(WIDGETS, widget(spec={"settings": {"a": 1}})).expect(422, blocking(
        "FieldValueTypeInvalid", "spec.settings.a",
        'Invalid value: "integer": spec.settings.a in body must be of type string: "integer"'))


@row("int-or-string takes both and nothing else; date-time is checked")
def formats(t):
    t.post(WIDGETS, widget("a", spec={"port": 80, "since": "2026-01-02T03:04:05Z"})).expect(201, {"spec": {"port": 80}})
    t.post(WIDGETS, widget("b", spec={"port": "http"})).expect(201, {"spec": {"port": "http"}})
    t.post(WIDGETS, widget(spec={"port": True})).expect(422, blocking(
        "FieldValueTypeInvalid", "spec.port",
        'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"'))
    t.post(WIDGETS, widget(spec={"since": "yesterday"})).expect(422, {"details": {"causes": Has(
        {"field": "spec.since", "message": re.compile("must be of type date-time")})}})


@row("Several faults are all named, in one message")
def several(t):
    t.post(WIDGETS, widget(spec={"size": 0, "color": "pink"})).expect(422, {
        "message": re.compile(rf'^Widget\.{GROUP} "w" is invalid: \[.*spec\..*, .*spec\..*\]$'),
        "details": {"causes": Has({"field": "spec.size"}, {"field": "spec.color"})}})


@row("A CEL rule that is false is refused with its message")
def rule(t):
    t.post(WIDGETS, widget(spec={"size": 6, "color": "red"})).expect(422, invalid(
        "FieldValueInvalid", "spec", "Invalid value: a red widget is at most 5"))
    t.post(WIDGETS, widget(spec={"size": 5, "color": "red"})).expect(201)


@row("messageExpression, reason and fieldPath of a CEL rule are used")
def rule_with_message(t):
    t.post(WIDGETS, widget(spec={"low": 3, "high": 2})).expect(422, {"details": {"causes": [
        {"reason": "FieldValueForbidden", "field": "spec.low", "message": re.compile("low is above high")}]}})


@row("A union rule wants exactly one member")
def union(t):
    for shape in ({}, {"round": {}, "square": {}}):
        t.post(WIDGETS, widget(spec={"shape": shape})).expect(422, {"details": {"causes": [
            {"field": "spec.shape", "message": re.compile("exactly one of round and square")}]}})
    t.post(WIDGETS, widget(spec={"shape": {"round": {}}})).expect(201, {"spec": {"shape": {"round": {}}}})


@row("A rule over oldSelf makes a field immutable; unsetting it is left to the schema")
def immutable(t):
    t.post(WIDGETS, widget(spec={"fixed": "a"})).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"fixed": "b"}}, MERGE).expect(422, invalid(
        "FieldValueInvalid", "spec.fixed", 'Invalid value: "b": fixed is immutable'))
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200, {"spec": {"fixed": "a", "size": 2}})
    t.patch(f"{WIDGETS}/w", {"spec": {"fixed": None}}, MERGE).expect(200, {"spec": {"fixed": ABSENT}})
    t.patch(f"{WIDGETS}/w", {"spec": {"fixed": "b"}}, MERGE).expect(200, {"spec": {"fixed": "b"}})


@row("An invalid update is refused and changes nothing")
def invalid_update(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.put(f"{WIDGETS}/w", {**made, "spec": {"size": 99}}).expect(422, {"reason": "Invalid"})
    t.get(f"{WIDGETS}/w").expect(200, made)


@row("A fault in the old object that the update leaves alone is let through (ratcheting)")
def ratcheting(t):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    body = definition("ratchets", schema)
    ratchets = t.define(body)
    ratchet = {"apiVersion": f"{GROUP}/v1", "kind": "Ratchet", "metadata": {"name": "r"}, "spec": {"a": 1}}
    t.eventually("a ratchet is made", lambda: t.post(ratchets, ratchet).status == 201)
    schema["properties"]["a"]["minimum"] = 10
    t.patch(f"{DEFINITIONS}/ratchets.{GROUP}", {"spec": {"versions": body["spec"]["versions"]}}, MERGE).expect(200)
    t.eventually("the new schema holds", lambda: t.post(ratchets, {**ratchet, "metadata": {"name": "s"}}).status == 422)
    t.patch(f"{ratchets}/r", {"spec": {"a": 2}}, MERGE).expect(422, {"reason": "Invalid"})
    t.patch(f"{ratchets}/r", {"spec": {"b": 3}}, MERGE).expect(200, {"spec": {"a": ANY, "b": 3}})
