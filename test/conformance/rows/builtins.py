"""The built-in kinds that an operator needs."""

import base64
import re

from client import MERGE
from pattern import ABSENT, ANY, Has
from row import GROUP, DEFINITIONS, config_map, definition, row, status

NAMESPACES = "/api/v1/namespaces"
CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"
SECRETS = "/api/v1/namespaces/{ns}/secrets"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"


def secret(name="s", **fields):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **fields}


def encoded(text):
    return base64.b64encode(text.encode()).decode()


@row("A Secret's stringData is stored in data, base64, and never returned; its type defaults to Opaque")
def string_data(t):
    t.post(SECRETS, secret(stringData={"a": "x"}, data={"a": encoded("old"), "b": encoded("y")})).expect(201, {
        "type": "Opaque", "stringData": ABSENT, "data": {"a": encoded("x"), "b": encoded("y")}})
    t.get(f"{SECRETS}/s").expect(200, {"kind": "Secret", "data": {"a": encoded("x")}, "stringData": ABSENT})


@row("A Secret's data must be base64, its keys names, its type is immutable")
def bad_secrets(t):
    t.post(SECRETS, secret(data={"a": "%"})).expect(400, {"reason": "BadRequest", "message": re.compile("base64")})
    t.post(SECRETS, secret(data={"a b": encoded("x")})).expect(422, {"message": re.compile(
        r'data\[a b\]: Invalid value: "a b": a valid config key must consist of')})
    t.post(SECRETS, secret(type="one")).expect(201)
    t.patch(f"{SECRETS}/s", {"type": "two"}, MERGE).expect(422, {"message": re.compile(
        r'type: Invalid value: "two": field is immutable')})


@row("A Secret of type kubernetes.io/tls needs its two keys")
def tls_secret(t):
    t.post(SECRETS, secret(type="kubernetes.io/tls", data={"tls.crt": ""})).expect(422, {"message": re.compile(
        r"data\[tls\.key\]: Required value")})
    t.post(SECRETS, secret(type="kubernetes.io/tls", data={"tls.crt": "", "tls.key": ""})).expect(201)


@row("immutable Secrets and ConfigMaps cannot be changed any more")
def immutable(t):
    t.post(SECRETS, secret(immutable=True, data={"a": encoded("x")})).expect(201)
    t.patch(f"{SECRETS}/s", {"stringData": {"a": "y"}}, MERGE).expect(422, {"message": re.compile(
        "data: Forbidden: field is immutable when `immutable` is set")})
    t.post(CONFIG_MAPS, {**config_map(data={"a": "x"}), "immutable": True}).expect(201)
    t.patch(f"{CONFIG_MAPS}/c", {"immutable": False}, MERGE).expect(422, {"message": re.compile(
        "immutable: Forbidden: field is immutable when `immutable` is set")})


@row("ConfigMaps: data and binaryData, keys are names, no key in both")
def config_maps(t):
    t.post(CONFIG_MAPS, {**config_map(data={"a": "x"}), "binaryData": {"b": encoded("y")}}).expect(201, {
        "data": {"a": "x"}, "binaryData": {"b": encoded("y")}})
    t.post(CONFIG_MAPS, config_map("d", {"a/b": "x"})).expect(422, {"message": re.compile(
        r'data\[a/b\]: Invalid value: "a/b": a valid config key must consist of')})
    t.post(CONFIG_MAPS, {**config_map("e", {"a": "x"}), "binaryData": {"a": encoded("y")}}).expect(422, {
        "message": re.compile("duplicate of key present in binaryData")})
    t.post(CONFIG_MAPS, {**config_map("f"), "data": {"a": 1}}).expect(400, {"message": re.compile(
        "cannot unmarshal number into Go struct field ConfigMap.data of type string")})


@row("A ConfigMap or Secret of more than 1 MiB is refused")
def too_long(t):
    t.post(CONFIG_MAPS, config_map(data={"a": "x" * 1_048_577})).expect(422, {"message": re.compile(
        "Too long: may not be more than 1048576 bytes")})
    t.post(SECRETS, secret(stringData={"a": "x" * 1_048_577})).expect(422, {"message": re.compile("Too long")})


@row("A Namespace is Active, has the label of its name and the kubernetes finalizer")
def namespace(t):
    t.get(f"{NAMESPACES}/{{ns}}").expect(200, {
        "kind": "Namespace", "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        "metadata": {"namespace": ABSENT, "generation": ABSENT, "labels": {"kubernetes.io/metadata.name": t.ns}}})
    t.get(NAMESPACES).expect(200, {"kind": "NamespaceList", "items": Has(
        {"metadata": {"name": "default"}}, {"metadata": {"name": "kube-system"}}, {"metadata": {"name": t.ns}})})


@row("A Namespace's name is a DNS label")
def namespace_name(t):
    for name in ("a.b", "n" * 64):
        t.post(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).expect(422, {
            "reason": "Invalid", "message": re.compile(r"^Namespace .* is invalid: \[?metadata\.name: ")})


@row("Creating something in a namespace that is not there is 404")
def no_namespace(t):
    expected = status(404, "NotFound", 'namespaces "not-there" not found', name="not-there", kind="namespaces")
    t.post("/api/v1/namespaces/not-there/configmaps", config_map()).expect(404, expected)
    t.post(f"/apis/{GROUP}/v1/namespaces/not-there/widgets", {
        "apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}}).expect(404, expected)


@row("Creating something in a namespace that is being deleted is 403, with the cause NamespaceTerminating")
def terminating(t):
    t.post(CONFIG_MAPS, config_map(finalizers=["example.com/a"])).expect(201)
    t.delete(f"{NAMESPACES}/{{ns}}").expect(200, {"kind": "Namespace", "status": {"phase": "Terminating"},
                                                  "metadata": {"deletionTimestamp": ANY}})
    message = (f'configmaps "d" is forbidden: unable to create new content in namespace {t.ns} because it is being '
               "terminated")
    t.eventually("creation is refused", lambda: t.post(CONFIG_MAPS, config_map("d"), dryRun="All").status == 403)
    t.post(CONFIG_MAPS, config_map("d")).expect(403, {"reason": "Forbidden", "message": message, "details": {"causes": [
        {"reason": "NamespaceTerminating", "message": f"namespace {t.ns} is being terminated", "field": "metadata.namespace"}]}})
    t.patch(f"{CONFIG_MAPS}/c", {"metadata": {"finalizers": None}}, MERGE).expect(200)


@row("The namespaces default and kube-system cannot be deleted")
def protected(t):
    t.delete(f"{NAMESPACES}/default").expect(403, {"message": 'namespaces "default" is forbidden: this namespace may not be '
                                                              "deleted"})


@row("A Lease keeps microseconds, and a stale renewal is 409")
def lease(t):
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}, "spec": {
        "holderIdentity": "a", "leaseDurationSeconds": 15, "leaseTransitions": 0,
        "acquireTime": "2026-01-02T03:04:05.123456Z", "renewTime": "2026-01-02T03:04:05.123456Z"}}
    made = t.post(LEASES, body).expect(201, {"kind": "Lease", "spec": body["spec"]})
    made["spec"]["renewTime"] = "2026-01-02T03:04:06.000000Z"
    t.put(f"{LEASES}/l", made).expect(200, {"spec": {"renewTime": "2026-01-02T03:04:06.000000Z"}})
    t.put(f"{LEASES}/l", made).expect(409, {"reason": "Conflict"})
    t.patch(f"{LEASES}/l", {"spec": {"leaseDurationSeconds": 0}}, MERGE).expect(422, {"message": re.compile(
        r"spec\.leaseDurationSeconds: Invalid value: 0: must be greater than 0")})


@row("An Event of the core group is one of events.k8s.io, too")
def events(t):
    t.post("/api/v1/namespaces/{ns}/events", {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Normal", "reason": "Made",
        "message": "made it", "count": 1, "firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:04:05Z",
        "source": {"component": "tester"}, "involvedObject": {
            "kind": "Widget", "apiVersion": f"{GROUP}/v1", "name": "w", "namespace": t.ns}}).expect(201)
    t.get("/apis/events.k8s.io/v1/namespaces/{ns}/events/e").expect(200, {
        "kind": "Event", "apiVersion": "events.k8s.io/v1", "type": "Normal", "reason": "Made", "note": "made it",
        "regarding": {"kind": "Widget", "name": "w"}, "deprecatedCount": 1, "deprecatedSource": {"component": "tester"}})


@row("An Event of events.k8s.io is one of the core group, too, with its series")
def new_events(t):
    t.post("/apis/events.k8s.io/v1/namespaces/{ns}/events", {
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Warning", "reason": "Lost",
        "action": "Looking", "note": "lost it", "eventTime": "2026-01-02T03:04:05.000001Z", "reportingController": "a.b/c",
        "reportingInstance": "i", "series": {"count": 2, "lastObservedTime": "2026-01-02T03:04:06.000001Z"},
        "regarding": {"kind": "Widget", "apiVersion": f"{GROUP}/v1", "name": "w", "namespace": t.ns}}).expect(201)
    t.get("/api/v1/namespaces/{ns}/events/e").expect(200, {
        "kind": "Event", "apiVersion": "v1", "message": "lost it", "involvedObject": {"name": "w"}, "action": "Looking",
        "reportingComponent": "a.b/c", "series": {"count": 2}, "eventTime": "2026-01-02T03:04:05.000001Z"})


@row("Events are found by involvedObject fields, reason and type")
def event_fields(t):
    for name, kind in (("a", "Normal"), ("b", "Warning")):
        t.post("/api/v1/namespaces/{ns}/events", {
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "type": kind, "reason": "R", "message": "m",
            "involvedObject": {"kind": "Widget", "name": name, "namespace": t.ns, "uid": f"uid-{name}"}}).expect(201)
    for selector in ("involvedObject.name=b", "involvedObject.uid=uid-b", "type=Warning,reason=R",
                     f"involvedObject.kind=Widget,involvedObject.namespace={t.ns},involvedObject.name=b"):
        t.get("/api/v1/namespaces/{ns}/events", fieldSelector=selector).expect(200, {"items": [{"metadata": {"name": "b"}}]})


@row("An Event whose involvedObject is in another namespace is refused")
def event_namespace(t):
    t.post("/api/v1/namespaces/{ns}/events", {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Normal", "reason": "R",
        "involvedObject": {"kind": "Widget", "name": "w", "namespace": "elsewhere"}}).expect(422, {"message": re.compile(
            r"involvedObject\.namespace: Invalid value: \"elsewhere\": does not match event\.namespace")})


@row("A CustomResourceDefinition becomes Established and NamesAccepted, with its names and stored versions in status")
def established(t):
    made = definition("gadgets", {"type": "object"})
    made["spec"]["names"] = {"plural": "gadgets", "kind": "Gadget"}
    t.define(made)
    t.get(f"{DEFINITIONS}/gadgets.{GROUP}").expect(200, {
        "spec": {"conversion": {"strategy": "None"}, "names": {
            "plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}},
        "status": {"storedVersions": ["v1"], "acceptedNames": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget",
                                                               "listKind": "GadgetList"},
                   "conditions": Has({"type": "NamesAccepted", "status": "True", "reason": "NoConflicts"},
                                     {"type": "Established", "status": "True", "reason": "InitialNamesAccepted"})}})


@row("A CustomResourceDefinition's name is PLURAL.GROUP, its schema structural, one version stored")
def bad_definitions(t):
    body = definition("gizmos", {"type": "object"})
    body["metadata"]["name"] = "other"
    t.post(DEFINITIONS, body).expect(422, {"message": re.compile(
        rf'metadata\.name: Invalid value: "other": must be spec\.names\.plural\+"\."\+spec\.group')})
    t.post(DEFINITIONS, definition("gizmos", {"properties": {"a": {"type": "string"}}})).expect(422, {
        "message": re.compile(r"spec\.(validation|versions\[0\]\.schema)\.openAPIV3Schema\.properties\[spec\]\.type: Required value: must not "
                              "be empty for specified object fields")})
    t.post(DEFINITIONS, definition("gizmos", {"type": "object"}, storage=False)).expect(422, {"message": re.compile(
        "must have exactly one version marked as storage version")})
    t.get(f"{DEFINITIONS}/gizmos.{GROUP}").expect(404)


@row("A CustomResourceDefinition with a rule that does not compile is refused, naming the rule")
def bad_rule(t):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [
        {"rule": "self.a < self.b", "message": "m"}]}
    t.post(DEFINITIONS, definition("gizmos", schema)).expect(422, {"reason": "Invalid", "message": re.compile(
        r"x-kubernetes-validations\[0\]\.rule: Invalid value: .*self\.a .*undefined field 'b'", re.S)})


@row("Deleting a CustomResourceDefinition ends its resources; made again, it is empty")
def remove_definition(t):
    body = definition("relics", {"type": "object"})
    path = t.define(body)
    relic = {"apiVersion": f"{GROUP}/v1", "kind": "Relic", "metadata": {"name": "r"}}
    t.eventually("a relic is made", lambda: t.post(path, relic).status in (201, 409))
    t.delete(f"{DEFINITIONS}/relics.{GROUP}").expect(200)
    t.eventually("it is gone", lambda: t.get(f"{DEFINITIONS}/relics.{GROUP}").status == 404, 20)
    t.eventually("its path is gone", lambda: t.get(path).status == 404, 20)
    t.define(body)
    t.get(path).expect(200, {"items": []})


@row("A cluster-scoped custom resource has no namespace")
def cluster_scoped(t):
    path = t.define(definition("planets", {"type": "object"}, scope="Cluster"))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Planet", "metadata": {"name": "p"}}
    t.eventually("a planet is made", lambda: t.post(path, body).status in (201, 409))
    t.get(f"{path}/p").expect(200, {"kind": "Planet", "metadata": {"namespace": ABSENT}})
    t.get(f"/apis/{GROUP}/v1/namespaces/default/planets/p").expect(404)
