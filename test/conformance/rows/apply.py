"""Server-side apply and managedFields."""

import re

from client import APPLY, MERGE
from pattern import ABSENT, ANY, Has, Only
from row import GROUP, WIDGETS, config_map, row, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


def configuration(**spec):
    """What an applier sends: a Widget with these fields only."""
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}


def apply(t, body, manager="one", **query):
    return t.patch(f"{WIDGETS}/w", body, APPLY, fieldManager=manager, **query)


def fields_of(made, manager):
    """The field set of a manager, or nothing."""
    for entry in made["metadata"]["managedFields"]:
        if entry["manager"] == manager:
            return entry["fieldsV1"]
    return None


@row("Apply creates what is not there (201) and updates what is (200)")
def create_and_update(t):
    apply(t, configuration(size=1)).expect(201, {"metadata": {"name": "w", "generation": 1, "uid": ANY},
                                                 "spec": {"size": 1, "color": "green"}})
    apply(t, configuration(size=2)).expect(200, {"metadata": {"generation": 2}, "spec": {"size": 2}})


@row("managedFields name manager, operation, version, time and the fields; defaults are nobody's")
def managed_fields(t):
    apply(t, configuration(size=1, tags=["a"], parts=[{"name": "p", "count": 2}], settings={"k": "v"})).expect(201, {
        "metadata": {"managedFields": [Only(
            manager="one", operation="Apply", apiVersion=f"{GROUP}/v1", fieldsType="FieldsV1",
            time=re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), fieldsV1=Only(**{"f:spec": Only(**{
                "f:size": {}, "f:tags": {'v:"a"': {}}, "f:settings": {"f:k": {}},
                "f:parts": {'k:{"name":"p"}': {".": {}, "f:name": {}, "f:count": {}}}})}))]}})


@row("A create or update is recorded for its manager: fieldManager, or the user agent's first word")
def update_managers(t):
    made = t.post(WIDGETS, widget(labels={"a": "b"}), headers={"User-Agent": "tool/1.2 (x)"}).expect(201, {
        "metadata": {"managedFields": [{
            "manager": "tool", "operation": "Update", "apiVersion": f"{GROUP}/v1", "fieldsType": "FieldsV1", "time": ANY,
            "fieldsV1": Only(**{"f:metadata": Only(**{"f:labels": {".": {}, "f:a": {}}}), "f:spec": Only(**{
                ".": {}, "f:size": {}, "f:color": {}, "f:replicas": {}})})}]}})
    made["spec"]["size"] = 2
    made = t.put(f"{WIDGETS}/w", made, fieldManager="two").expect(200)
    assert fields_of(made, "two") == {"f:spec": {"f:size": {}}}, fields_of(made, "two")
    assert "f:size" not in fields_of(made, "tool")["f:spec"], fields_of(made, "tool")


@row("Two appliers own different fields of one object")
def two_managers(t):
    apply(t, configuration(size=1)).expect(201)
    made = apply(t, configuration(label="x"), "two").expect(200, {"spec": {"size": 1, "label": "x"}})
    assert fields_of(made, "one") == {"f:spec": {"f:size": {}}}, fields_of(made, "one")
    assert fields_of(made, "two") == {"f:spec": {"f:label": {}}}, fields_of(made, "two")


@row("Applying another's field with another value is 409, and names the manager and the field")
def conflict(t):
    apply(t, configuration(size=1)).expect(201)
    apply(t, configuration(size=2), "two").expect(409, {
        "kind": "Status", "status": "Failure", "code": 409, "reason": "Conflict",
        "message": 'Apply failed with 1 conflict: conflict with "one": .spec.size', "details": {"causes": [
            {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.size"}]}})
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}})


@row("Several conflicts are all named")
def several_conflicts(t):
    apply(t, configuration(size=1, parts=[{"name": "p", "count": 2}])).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"label": "x"}}, MERGE, fieldManager="tool").expect(200)
    message = re.compile(r'^Apply failed with 3 conflicts: .*conflict(s)? with "one":\n- \.spec\.')
    body = apply(t, configuration(size=2, parts=[{"name": "p", "count": 3}], label="y"), "two").expect(409, {
        "reason": "Conflict", "details": {"causes": Has(
            {"field": ".spec.size", "message": 'conflict with "one"'},
            {"field": '.spec.parts[name="p"].count', "message": 'conflict with "one"'},
            {"field": ".spec.label", "message": re.compile('^conflict with "tool" using conformance\.example\.com/v1')})}})
    assert message.search(body["message"]), f"expected {message.pattern}, got {body['message']!r}"


@row("With force=true the applier takes the field over")
def force(t):
    apply(t, configuration(size=1)).expect(201)
    made = apply(t, configuration(size=2), "two", force="true").expect(200, {"spec": {"size": 2}})
    assert fields_of(made, "two") == {"f:spec": {"f:size": {}}}, fields_of(made, "two")
    assert fields_of(made, "one") in (None, {"f:spec": {}}), fields_of(made, "one")


@row("The same value from two appliers is shared, without a conflict")
def shared(t):
    apply(t, configuration(size=1)).expect(201)
    made = apply(t, configuration(size=1), "two").expect(200)
    assert fields_of(made, "one") == fields_of(made, "two") == {"f:spec": {"f:size": {}}}, made["metadata"]["managedFields"]
    apply(t, configuration(size=1), "two").expect(200)


@row("A field that its only applier leaves out is removed, one that another owns stays")
def removal(t):
    apply(t, configuration(size=1, label="x", low=1, parts=[{"name": "a"}, {"name": "b"}])).expect(201)
    apply(t, configuration(low=1), "two").expect(200)
    apply(t, configuration(size=1, parts=[{"name": "b"}])).expect(200, {"spec": {
        "label": ABSENT, "low": 1, "parts": [{"name": "b", "count": 1}]}})


@row("A default comes back when its applier leaves the field out")
def default_again(t):
    apply(t, configuration(size=1, color="red")).expect(201, {"spec": {"color": "red"}})
    apply(t, configuration(size=1)).expect(200, {"spec": {"color": "green"}})


@row("Maps, sets and keyed lists merge between appliers; a plain list is one field")
def lists(t):
    apply(t, configuration(size=1, tags=["a"], parts=[{"name": "a"}], settings={"a": "1"}, steps=["a"])).expect(201)
    apply(t, configuration(tags=["b"], parts=[{"name": "b", "count": 2}], settings={"b": "2"}), "two").expect(200, {"spec": {
        "tags": ["a", "b"], "parts": [{"name": "a", "count": 1}, {"name": "b", "count": 2}],
        "settings": {"a": "1", "b": "2"}, "steps": ["a"]}})
    apply(t, configuration(steps=["b"]), "two").expect(409, {"message": re.compile(r'conflict with "one": \.spec\.steps')})


@row("Applying the same again writes nothing")
def idempotent(t):
    made = apply(t, configuration(size=1)).expect(201)
    apply(t, configuration(size=1)).expect(200, {"metadata": {
        "resourceVersion": made["metadata"]["resourceVersion"], "managedFields": made["metadata"]["managedFields"]}})


@row("An applied value that somebody updated is a conflict with that manager")
def update_takes_over(t):
    apply(t, configuration(size=1)).expect(201)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE, fieldManager="tool").expect(200)
    apply(t, configuration(size=1)).expect(409, {"message": re.compile(
        r'^Apply failed with 1 conflict: conflict with "tool" using conformance\.example\.com/v1( at .*)?: \.spec\.size$')})


@row("Apply without fieldManager is 422; force without apply, too")
def manager_required(t):
    t.patch(f"{WIDGETS}/w", configuration(size=1), APPLY).expect(422, {"message": re.compile(
        "fieldManager: Required value: is required for apply patch")})
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {}, MERGE, force="true").expect(422, {"message": re.compile(
        "force: Forbidden: may not be specified for non-apply patch")})


@row("Apply of a body with managedFields, or of another name, is 400")
def bad_bodies(t):
    body = configuration(size=1)
    body["metadata"]["managedFields"] = [{"manager": "one", "operation": "Apply", "apiVersion": f"{GROUP}/v1",
                                          "fieldsType": "FieldsV1", "fieldsV1": {}}]
    apply(t, body).expect(400, {"message": re.compile("metadata.managedFields must be nil")})
    body = configuration(size=1)
    body["metadata"]["name"] = "v"
    apply(t, body).expect(400, {"message": re.compile(
        r"the name of the object \(v\) does not match the name on the URL \(w\)")})


@row("Apply sends YAML, too, and is validated by the schema")
def yaml_and_validation(t):
    text = f"apiVersion: {GROUP}/v1\nkind: Widget\nmetadata: {{name: w}}\nspec:\n  size: 3\n"
    apply(t, text).expect(201, {"spec": {"size": 3}})
    apply(t, configuration(size=99)).expect(422, {"reason": "Invalid"})
    apply(t, configuration(size="x")).expect((422, 500), {"kind": "Status", "message": re.compile(r"spec\.size")})


@row("Apply of an unknown field is refused, whatever fieldValidation says")
def unknown_fields(t):
    for mode in ("Strict", "Warn", "Ignore"):
        apply(t, configuration(size=1, odd=1), fieldValidation=mode).expect((400, 500), {
            "kind": "Status", "status": "Failure", "message": re.compile(r"\.spec\.odd: field not declared in schema")})
    t.get(f"{WIDGETS}/w").expect(404)


@row("Apply works on ConfigMaps")
def config_maps(t):
    body = config_map(data={"a": "1"})
    t.patch(f"{CONFIG_MAPS}/c", body, APPLY, fieldManager="one").expect(201, {"metadata": {"managedFields": [{
        "manager": "one", "operation": "Apply", "fieldsV1": {"f:data": {"f:a": {}}}}]}})
    body["data"] = {"b": "2"}
    t.patch(f"{CONFIG_MAPS}/c", body, APPLY, fieldManager="one").expect(200, {"data": {"a": ABSENT, "b": "2"}})


@row("An applied status is recorded under the subresource, and spec is left alone")
def status_apply(t):
    apply(t, configuration(size=1)).expect(201)
    made = t.patch(f"{WIDGETS}/w/status", {**configuration(), "status": {"replicas": 2}}, APPLY, fieldManager="two").expect(
        200, {"spec": {"size": 1}, "status": {"replicas": 2}, "metadata": {"managedFields": Has(
            {"manager": "two", "subresource": "status", "operation": "Apply"})}})
    assert fields_of(made, "two") == {"f:status": {"f:replicas": {}}}, fields_of(made, "two")


@row("An empty managedFields list resets them")
def reset(t):
    apply(t, configuration(size=1)).expect(201)
    made = t.patch(f"{WIDGETS}/w", {"metadata": {"managedFields": [{}]}}, MERGE, fieldManager="tool").expect(200)
    managers = [entry["manager"] for entry in made["metadata"].get("managedFields", [])]
    assert "one" not in managers, managers
