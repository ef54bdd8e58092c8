"""How clients find out what a server can do."""

import re

from pattern import ABSENT, ANY, Has
from row import GROUP, row

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

# Of a path that nothing serves Kubernetes says one or the other, by who would serve it.
UNSERVED = "404 page not found|could not find the requested resource"


@row("/version names a release that kubectl 1.32 accepts")
def version(t):
    t.get("/version").expect(200, {"major": "1", "minor": re.compile(r"^\d+"), "gitVersion": re.compile(r"^v1\.\d+"),
                                   "platform": ANY, "goVersion": ANY, "gitCommit": ANY, "buildDate": ANY})


@row("/healthz, /livez and /readyz answer ok in plain text")
def health(t):
    for path in ("/healthz", "/livez", "/readyz"):
        answer = t.get(path)
        if answer.expect(200, headers={"Content-Type": re.compile("^text/plain")}) != "ok":
            answer.expect(200, "ok")


@row("/api lists the versions of the core group")
def core_versions(t):
    t.get("/api").expect(200, {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": ANY})


@row("/api/v1 lists namespaces, secrets, configmaps and events with their verbs and short names")
def core_resources(t):
    verbs = Has("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
    t.get("/api/v1").expect(200, {
        "kind": "APIResourceList", "groupVersion": "v1", "resources": Has(
            {"name": "namespaces", "singularName": "namespace", "namespaced": False, "kind": "Namespace",
             "shortNames": ["ns"], "verbs": Has("create", "delete", "get", "list", "patch", "update", "watch")},
            {"name": "secrets", "singularName": "secret", "namespaced": True, "kind": "Secret", "verbs": verbs},
            {"name": "configmaps", "namespaced": True, "kind": "ConfigMap", "shortNames": ["cm"], "verbs": verbs},
            {"name": "events", "namespaced": True, "kind": "Event", "shortNames": ["ev"], "verbs": verbs},
            {"name": "namespaces/finalize", "kind": "Namespace", "verbs": ["update"]},
            {"name": "namespaces/status", "kind": "Namespace", "verbs": Has("get", "patch", "update")})})


@row("/apis lists every group with its preferred version")
def groups(t):
    def version(group, version_name):
        both = {"groupVersion": f"{group}/{version_name}", "version": version_name}
        return {"name": group, "versions": Has(both), "preferredVersion": both}

    t.get("/apis").expect(200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": Has(
        version("apiextensions.k8s.io", "v1"), version("coordination.k8s.io", "v1"), version("events.k8s.io", "v1"),
        version("authorization.k8s.io", "v1"), version("rbac.authorization.k8s.io", "v1"), version(GROUP, "v1"))})


@row("/apis/GROUP describes one group; an unknown group is 404")
def group(t):
    both = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
    t.get(f"/apis/{GROUP}").expect(200, {"kind": "APIGroup", "apiVersion": "v1", "name": GROUP, "versions": [both],
                                         "preferredVersion": both})
    t.get("/apis/nothing.example.com").expect(404)


@row("/apis/GROUP/VERSION lists a custom resource with its names, categories and subresources")
def custom_resources(t):
    t.get(f"/apis/{GROUP}/v1").expect(200, {"kind": "APIResourceList", "groupVersion": f"{GROUP}/v1", "resources": Has(
        {"name": "widgets", "singularName": "widget", "namespaced": True, "kind": "Widget", "shortNames": ["wd"],
         "categories": ["conformance"], "storageVersionHash": ANY,
         "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]},
        {"name": "widgets/status", "singularName": "", "namespaced": True, "kind": "Widget",
         "verbs": ["get", "patch", "update"]},
        {"name": "widgets/scale", "namespaced": True, "kind": "Scale", "group": "autoscaling", "version": "v1",
         "verbs": ["get", "patch", "update"]})})


@row("An Accept header that prefers aggregated discovery gets it, or plain discovery")
def aggregated(t):
    answer = t.get("/apis", headers={"Accept": f"{AGGREGATED},application/json"})
    if "as=APIGroupDiscoveryList" not in answer.headers["Content-Type"]:
        answer.expect(200, {"kind": "APIGroupList", "groups": ANY})
        return
    answer.expect(200, {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": Has(
        {"metadata": {"name": GROUP}, "versions": [{"version": "v1", "freshness": "Current", "resources": Has(
            {"resource": "widgets", "responseKind": {"group": GROUP, "version": "v1", "kind": "Widget"},
             "scope": "Namespaced", "singularResource": "widget", "shortNames": ["wd"], "categories": ["conformance"],
             "verbs": Has("get", "list", "watch"), "subresources": Has({"subresource": "status"},
                                                                       {"subresource": "scale"})})}]})})


@row("A path that nothing serves is 404")
def unknown_path(t):
    for path in ("/apis/nothing.example.com/v1/things", "/nothing"):
        answer = t.get(path)
        assert answer.status == 404 and re.search(UNSERVED, answer.text), answer.text


@row("An unknown resource of a known group is 404")
def unknown_resource(t):
    for path in (f"/apis/{GROUP}/v1/things", "/api/v1/things"):
        answer = t.get(path)
        assert answer.status == 404 and re.search(UNSERVED, answer.text), answer.text


@row("/openapi/v3 names a document for each group and version, with a hash in its URL")
def openapi_index(t):
    t.get("/openapi/v3").expect(200, {"paths": {
        "api/v1": {"serverRelativeURL": re.compile(r"^/openapi/v3/api/v1\?hash=\w+")},
        f"apis/{GROUP}/v1": {"serverRelativeURL": re.compile(rf"^/openapi/v3/apis/{GROUP}/v1\?hash=\w+")}}})


@row("/openapi/v3/apis/GROUP/VERSION has the schema of a custom resource, its kind and its paths")
def openapi_document(t):
    name = "com.example.conformance.v1.Widget"
    path = f"/apis/{GROUP}/v1/namespaces/{{namespace}}/widgets/{{name}}"
    kind = {"group": GROUP, "kind": "Widget", "version": "v1"}
    document = t.get(f"/openapi/v3/apis/{GROUP}/v1").expect(200, {
        "openapi": re.compile(r"^3\."), "info": {"title": ANY, "version": ANY},
        "components": {"schemas": {name: {
            "type": "object", "required": ["spec"], "x-kubernetes-group-version-kind": [kind],
            "properties": {
                "metadata": ANY, "apiVersion": {"type": "string", "description": ANY}, "kind": {"type": "string"},
                "spec": {"properties": {"size": {"type": "integer", "minimum": 1, "maximum": 10,
                                                 "description": "How big the widget is, from 1 to 10."},
                                        "color": {"type": "string", "default": "green",
                                                  "enum": ["red", "green", "blue"]}}}}}}}})
    wanted = {"get", "put", "patch", "delete"}
    assert wanted <= set(document["paths"][path]), f"expected {wanted} of {path}, got {set(document['paths'][path])}"
    action = document["paths"][path]["patch"]
    assert action["x-kubernetes-group-version-kind"] == kind, action["x-kubernetes-group-version-kind"]
    names = {parameter["name"] for parameter in action["parameters"]}
    assert {"dryRun", "fieldValidation", "fieldManager"} <= names, f"expected fieldValidation, got {names}"


@row("/openapi/v2 is answered or is a clean 404")
def openapi_v2(t):
    answer = t.get("/openapi/v2")
    if answer.status != 404:
        answer.expect(200, {"swagger": "2.0", "paths": ANY, "definitions": ANY, "components": ABSENT})
