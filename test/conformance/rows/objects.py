"""Create, read, update and delete, and how each of them fails."""

import re

from pattern import ABSENT, ANY, Has, Not
from row import GROUP, WIDGETS, config_map, row, status, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


@row("A created object has uid, resourceVersion, creationTimestamp, generation 1 and its namespace")
def create(t):
    t.post(WIDGETS, widget(labels={"a": "b"}, annotations={"c": "d"})).expect(201, {
        "apiVersion": f"{GROUP}/v1", "kind": "Widget", "spec": {"size": 1}, "status": ABSENT,
        "metadata": {"name": "w", "namespace": t.ns, "generation": 1, "labels": {"a": "b"}, "annotations": {"c": "d"},
                     "uid": re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
                     "resourceVersion": re.compile(r"^[1-9]\d*$"),
                     "creationTimestamp": re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), "selfLink": ABSENT,
                     "deletionTimestamp": ABSENT}})


@row("Get and list return what was created")
def get_and_list(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.get(f"{WIDGETS}/w").expect(200, made)
    t.get(WIDGETS).expect(200, {"kind": "WidgetList", "apiVersion": f"{GROUP}/v1",
                                "metadata": {"resourceVersion": re.compile(r"^\d+$")}, "items": [made]})


@row("A list over all namespaces has the objects of each")
def list_all(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.get(f"/apis/{GROUP}/v1/widgets").expect(200, {"kind": "WidgetList", "items": Has(made)})


@row("Uid, resourceVersion and creationTimestamp sent with a create: the server's own win")
def create_with_system_fields(t):
    made = t.post(WIDGETS, widget(uid="mine", creationTimestamp="2001-01-01T00:00:00Z", generation=7)).expect(201)
    assert made["metadata"]["uid"] != "mine" and not made["metadata"]["creationTimestamp"].startswith("2001"), made
    assert made["metadata"]["generation"] == 1, made
    t.post(WIDGETS, widget("v", resourceVersion="1")).expect(
        400 if t.get(f"{WIDGETS}/v").status == 200 else 500, {"kind": "Status", "status": "Failure",
                                                              "message": re.compile("resourceVersion")})


@row("Creating a name twice is 409 AlreadyExists")
def already_exists(t):
    t.post(WIDGETS, widget()).expect(201)
    t.post(WIDGETS, widget()).expect(409, status(
        409, "AlreadyExists", f'widgets.{GROUP} "w" already exists', name="w", group=GROUP, kind="widgets"))
    t.post(CONFIG_MAPS, config_map()).expect(201)
    t.post(CONFIG_MAPS, config_map()).expect(409, status(
        409, "AlreadyExists", 'configmaps "c" already exists', name="c", kind="configmaps"))


@row("Getting, updating, patching and deleting nothing is 404 NotFound with a Status")
def not_found(t):
    expected = status(404, "NotFound", f'widgets.{GROUP} "w" not found', name="w", group=GROUP, kind="widgets")
    t.get(f"{WIDGETS}/w").expect(404, expected)
    t.delete(f"{WIDGETS}/w").expect(404, expected)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, "application/merge-patch+json").expect(404, expected)
    t.put(f"{WIDGETS}/w", widget(resourceVersion="1", uid="u")).expect(404, expected)
    t.get(f"{CONFIG_MAPS}/c").expect(404, status(404, "NotFound", 'configmaps "c" not found', name="c",
                                                 kind="configmaps"))


@row("generateName makes a name of its prefix and five characters")
def generate_name(t):
    body = widget(generateName="w-")
    del body["metadata"]["name"]
    wanted = {"metadata": {"generateName": "w-", "name": re.compile(r"^w-[a-z0-9]{5}$")}}
    one, two = t.post(WIDGETS, body).expect(201, wanted), t.post(WIDGETS, body).expect(201, wanted)
    assert one["metadata"]["name"] != two["metadata"]["name"]


@row("A create without a name is refused")
def no_name(t):
    body = widget()
    del body["metadata"]["name"]
    t.post(WIDGETS, body).expect(422, {"reason": "Invalid", "message": re.compile(
        r"metadata\.name: Required value: name or generateName is required"), "details": {
            "causes": Has({"reason": "FieldValueRequired", "field": "metadata.name",
                           "message": "Required value: name or generateName is required"})}})


@row("A name that is no DNS subdomain is refused, naming field, value and rule")
def bad_name(t):
    t.post(WIDGETS, widget("Big_Name")).expect(422, {"reason": "Invalid", "message": re.compile(
        r'^Widget\.conformance\.example\.com "Big_Name" is invalid: metadata\.name: Invalid value: "Big_Name": a lowercase'
        r" RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '\.', and must start and end"
        r" with an alphanumeric character \(e\.g\. 'example\.com', regex used for validation is '"),
        "details": {"name": "Big_Name", "group": GROUP, "kind": "Widget", "causes": [
            {"reason": "FieldValueInvalid", "field": "metadata.name", "message": re.compile("^Invalid value: ")}]}})
    t.post(WIDGETS, widget("n" * 254)).expect(422, {"message": re.compile("must be no more than 253 (characters|bytes)")})
    t.post(WIDGETS, widget("n" * 253)).expect(201)


@row("Label keys and values that break the rules are refused")
def bad_labels(t):
    t.post(WIDGETS, widget(labels={"a": "not a value"})).expect(422, {
        "reason": "Invalid", "message": re.compile(r'metadata\.labels: Invalid value: "not a value": a valid label must be'),
        "details": {"causes": [{"field": "metadata.labels", "reason": "FieldValueInvalid"}]}})
    t.post(WIDGETS, widget(labels={"-a/": "b"})).expect(422, {"message": re.compile(r"metadata\.labels")})


@row("Annotations of more than 256 KiB in all are refused")
def big_annotations(t):
    t.post(WIDGETS, widget(annotations={"a": "x" * 100_000})).expect(201)
    t.post(WIDGETS, widget("v", annotations={"a": "x" * 262_145})).expect(422, {
        "reason": "Invalid", "message": re.compile(r"metadata\.annotations: Too long: may not be more than 262144 bytes")})


@row("A body of another kind, version or namespace than the path is 400")
def wrong_body(t):
    t.post(WIDGETS, config_map("w")).expect(400, {"reason": "BadRequest", "status": "Failure", "message": ANY})
    t.post(WIDGETS, widget(namespace="default")).expect(400, status(
        400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request"))
    t.post(CONFIG_MAPS, config_map(namespace="default")).expect(400, status(
        400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request"))


@row("A body that is no JSON is 400")
def no_json(t):
    t.post(WIDGETS, "{").expect(400, {"kind": "Status", "reason": "BadRequest", "message": ANY})
    t.post(CONFIG_MAPS, "{").expect(400, {"kind": "Status", "reason": "BadRequest", "message": ANY})


@row("YAML is a body, too")
def yaml_body(t):
    text = f"apiVersion: {GROUP}/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  size: 3\n"
    t.call("POST", WIDGETS, text, "application/yaml").expect(201, {"spec": {"size": 3}})
    t.get(f"{WIDGETS}/w", headers={"Accept": "application/yaml"}).expect(
        200, headers={"Content-Type": "application/yaml"})


@row("A media type that nobody reads is 415, one that nobody writes is 406")
def media_types(t):
    t.call("POST", WIDGETS, "x", "text/csv").expect(415, {"reason": "UnsupportedMediaType"})
    t.get(WIDGETS, headers={"Accept": "text/csv"}).expect(406)


@row("An update with the current resourceVersion is stored under a new one")
def update(t):
    made = t.post(WIDGETS, widget()).expect(201)
    made["spec"]["size"] = 2
    new = t.put(f"{WIDGETS}/w", made).expect(200, {"spec": {"size": 2}, "metadata": {
        "uid": made["metadata"]["uid"], "generation": 2,
        "resourceVersion": Not(made["metadata"]["resourceVersion"])}})
    t.get(f"{WIDGETS}/w").expect(200, new)


@row("An update that changes nothing keeps the resourceVersion")
def empty_update(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.put(f"{WIDGETS}/w", made).expect(200, {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}})


@row("An update with a stale resourceVersion is 409 Conflict")
def conflict(t):
    made = t.post(WIDGETS, widget()).expect(201)
    made["spec"]["size"] = 2
    t.put(f"{WIDGETS}/w", made).expect(200)
    made["spec"]["size"] = 3
    t.put(f"{WIDGETS}/w", made).expect(409, status(
        409, "Conflict", f'Operation cannot be fulfilled on widgets.{GROUP} "w": the object has been modified; please '
        "apply your changes to the latest version and try again", name="w", group=GROUP, kind="widgets"))


@row("An update of a custom resource without a resourceVersion is 422; of a ConfigMap it goes through")
def update_without_version(t):
    t.post(WIDGETS, widget()).expect(201)
    t.put(f"{WIDGETS}/w", widget()).expect(422, {"reason": "Invalid", "message": re.compile(
        r"metadata\.resourceVersion: Invalid value: (0x0|0|\"\"): must be specified for an update")})
    t.post(CONFIG_MAPS, config_map()).expect(201)
    t.put(f"{CONFIG_MAPS}/c", config_map(data={"a": "b"})).expect(200, {"data": {"a": "b"}})


@row("An update with another uid is 409 Conflict")
def update_with_other_uid(t):
    made = t.post(CONFIG_MAPS, config_map()).expect(201)
    made["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    t.put(f"{CONFIG_MAPS}/c", made).expect(409, {"reason": "Conflict", "message": re.compile(
        "Precondition failed: UID in precondition: 00000000-0000-0000-0000-000000000000, UID in object meta: "
        + t.get(f"{CONFIG_MAPS}/c").json["metadata"]["uid"])})


@row("An update whose name is not that of the path is 400")
def update_with_other_name(t):
    made = t.post(WIDGETS, widget()).expect(201)
    made["metadata"]["name"] = "v"
    t.put(f"{WIDGETS}/w", made).expect(400, status(
        400, "BadRequest", "the name of the object (v) does not match the name on the URL (w)"))


@row("Generation rises when the spec changes, and not for labels or annotations")
def generation(t):
    made = t.post(WIDGETS, widget()).expect(201, {"metadata": {"generation": 1}})
    made["metadata"]["labels"] = {"a": "b"}
    made = t.put(f"{WIDGETS}/w", made).expect(200, {"metadata": {"generation": 1, "labels": {"a": "b"}}})
    made["spec"]["size"] = 2
    t.put(f"{WIDGETS}/w", made).expect(200, {"metadata": {"generation": 2}})


@row("Deleting returns a Status with the object's uid; then the object is gone")
def delete(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.delete(f"{WIDGETS}/w").expect(200, {"kind": "Status", "apiVersion": "v1", "status": "Success", "details": {
        "name": "w", "group": GROUP, "kind": "widgets", "uid": made["metadata"]["uid"]}})
    t.get(f"{WIDGETS}/w").expect(404)


@row("A method that a resource has not is 405")
def method(t):
    t.delete("/api/v1/namespaces").expect(405, status(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource"))
