"""Lists: selectors, paging, tables, and what a resourceVersion asks for."""

import re

from pattern import ABSENT, ANY, Has, Not
from row import GROUP, WIDGETS, config_map, row, status, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def names(answer):
    return [item["metadata"]["name"] for item in answer.expect(200)["items"]]


@row("Label selectors: equality, inequality, sets, existence")
def labels(t):
    t.post(WIDGETS, widget("a", labels={"app": "x", "tier": "one"})).expect(201)
    t.post(WIDGETS, widget("b", labels={"app": "y"})).expect(201)
    t.post(WIDGETS, widget("c")).expect(201)
    for selector, wanted in {
            "app=x": ["a"], "app==x": ["a"], "app!=x": ["b", "c"], "app in (x,y)": ["a", "b"], "app notin (x)": ["b", "c"],
            "app": ["a", "b"], "!app": ["c"], "app,tier!=one": ["b"], "app in (x, y),tier": ["a"], "app=": [], "": ["a", "b", "c"]
    }.items():
        found = names(t.get(WIDGETS, labelSelector=selector))
        assert found == wanted, f"labelSelector {selector!r}: expected {wanted}, got {found}"


@row("A label selector that cannot be read is 400")
def bad_selector(t):
    t.get(WIDGETS, labelSelector="app in x").expect(400, {"reason": "BadRequest", "message": re.compile(
        "unable to parse requirement: found 'x'(,|:)? expected")})


@row("Field selectors: metadata.name and metadata.namespace; others are 400 on a custom resource")
def fields(t):
    for name in "ab":
        t.post(WIDGETS, widget(name)).expect(201)
    for selector, wanted in {"metadata.name=a": ["a"], "metadata.name!=a": ["b"], "metadata.name=z": [],
                             f"metadata.namespace={t.ns},metadata.name=b": ["b"]}.items():
        found = names(t.get(WIDGETS, fieldSelector=selector))
        assert found == wanted, f"fieldSelector {selector!r}: expected {wanted}, got {found}"
    t.get(WIDGETS, fieldSelector="spec.size=1").expect(400, status(
        400, "BadRequest", "field label not supported: spec.size"))


@row("limit gives a page, continue the next; remainingItemCount says how many are left")
def paging(t):
    for name in "abcde":
        t.post(WIDGETS, widget(name)).expect(201)
    first = t.get(WIDGETS, limit=2).expect(200, {"metadata": {"continue": ANY, "remainingItemCount": 3,
                                                              "resourceVersion": ANY}, "items": [ANY, ANY]})
    second = t.get(WIDGETS, limit=2, **{"continue": first["metadata"]["continue"]}).expect(200, {"metadata": {
        "continue": ANY, "remainingItemCount": 1, "resourceVersion": first["metadata"]["resourceVersion"]}})
    third = t.get(WIDGETS, limit=2, **{"continue": second["metadata"]["continue"]}).expect(200, {"metadata": {
        "remainingItemCount": ABSENT}})
    assert not third["metadata"].get("continue"), third["metadata"]
    found = [item["metadata"]["name"] for page in (first, second, third) for item in page["items"]]
    assert found == list("abcde"), found


@row("The pages of one list show one moment: what is made or changed meanwhile does not appear")
def consistent_pages(t):
    for name in "abc":
        t.post(WIDGETS, widget(name)).expect(201)
    first = t.get(WIDGETS, limit=1).expect(200)
    t.patch(f"{WIDGETS}/c", {"spec": {"size": 7}}, "application/merge-patch+json").expect(200)
    t.post(WIDGETS, widget("d")).expect(201)
    rest = t.get(WIDGETS, limit=5, **{"continue": first["metadata"]["continue"]}).expect(200)
    found = [(item["metadata"]["name"], item["spec"]["size"]) for item in rest["items"]]
    assert found == [("b", 1), ("c", 1)], found


@row("A page filtered by a label selector has no remainingItemCount")
def filtered_page(t):
    for name in "abc":
        t.post(WIDGETS, widget(name, labels={"a": "b"})).expect(201)
    t.get(WIDGETS, limit=1, labelSelector="a=b").expect(200, {"metadata": {"continue": ANY, "remainingItemCount": ABSENT}})


@row("A continue token that cannot be read is 400")
def bad_token(t):
    t.get(WIDGETS, limit=1, **{"continue": "nonsense"}).expect(400, {"reason": "BadRequest", "message": re.compile(
        "continue key is not valid")})


@row("resourceVersion=0, an exact one, and a future one")
def list_at(t):
    made = t.post(WIDGETS, widget()).expect(201)
    version = made["metadata"]["resourceVersion"]
    t.get(WIDGETS, resourceVersion="0").expect(200, {"kind": "WidgetList", "metadata": {"resourceVersion": ANY}})
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, "application/merge-patch+json").expect(200)
    t.get(WIDGETS, resourceVersion=version, resourceVersionMatch="Exact").expect(200, {
        "metadata": {"resourceVersion": version}, "items": [{"spec": {"size": 1}}]})
    t.get(WIDGETS, resourceVersion=version, resourceVersionMatch="NotOlderThan").expect(200, {"items": [{"spec": ANY}]})
    t.get(WIDGETS, resourceVersion="x").expect(400, {"message": re.compile("(?i)resource ?version")})
    t.get(WIDGETS, resourceVersionMatch="Exact").expect(422, {"message": re.compile(
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided")})


@row("A list is in the order of names")
def order(t):
    for name in ("b", "a-1", "c", "a"):
        t.post(WIDGETS, widget(name)).expect(201)
    assert names(t.get(WIDGETS)) == ["a", "a-1", "b", "c"], names(t.get(WIDGETS))


@row("A Table has the printer columns of the definition and a cell for each")
def table(t):
    t.post(WIDGETS, widget(spec={"size": 3})).expect(201)
    t.patch(f"{WIDGETS}/w/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
            "application/merge-patch+json").expect(200)
    t.get(WIDGETS, headers={"Accept": f"{TABLE},application/json"}).expect(200, {
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": ANY},
        "columnDefinitions": [
            {"name": "Name", "type": "string", "format": "name", "priority": 0, "description": re.compile("^Name must be")},
            {"name": "Size", "type": "integer", "format": "", "priority": 0, "description": "How big the widget is."},
            {"name": "Color", "type": "string", "priority": 0}, {"name": "Ready", "type": "string", "priority": 0},
            {"name": "Label", "type": "string", "priority": 1}, {"name": "Age", "type": "date", "priority": 0}],
        "rows": [{"cells": ["w", 3, "green", "True", None, re.compile(r"^\d+s$")], "object": {
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "w", "uid": ANY}}}]})


@row("A Table of one object, with includeObject None and Object")
def table_of_one(t):
    t.post(WIDGETS, widget()).expect(201)
    t.get(f"{WIDGETS}/w", headers={"Accept": TABLE}, includeObject="None").expect(200, {
        "kind": "Table", "rows": [{"cells": ANY, "object": None}]})
    t.get(f"{WIDGETS}/w", headers={"Accept": TABLE}, includeObject="Object").expect(200, {
        "kind": "Table", "rows": [{"object": {"kind": "Widget", "spec": {"size": 1}}}]})


@row("Tables of built-in kinds have the columns that kubectl prints")
def built_in_tables(t):
    t.post(CONFIG_MAPS, config_map(data={"a": "1", "b": "2"})).expect(201)
    t.get(CONFIG_MAPS, headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": [{"name": "Name"}, {"name": "Data"}, {"name": "Age"}],
        "rows": Has({"cells": ["c", 2, ANY]})})
    t.get("/api/v1/namespaces", headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": [{"name": "Name"}, {"name": "Status"}, {"name": "Age"}],
        "rows": Has({"cells": [t.ns, "Active", ANY]})})
    t.get("/api/v1/namespaces/{ns}/secrets", headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": [{"name": "Name"}, {"name": "Type"}, {"name": "Data"}, {"name": "Age"}]})
    t.get("/api/v1/namespaces/{ns}/events", headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": Has({"name": "Last Seen"}, {"name": "Type"}, {"name": "Reason"}, {"name": "Object"},
                                 {"name": "Message"})})
    t.get("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": [{"name": "Name"}, {"name": "Holder"}, {"name": "Age"}]})
    t.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", headers={"Accept": TABLE}).expect(200, {
        "columnDefinitions": Has({"name": "Name"}, {"name": "Created At"}),
        "rows": Has({"cells": Has(f"widgets.{GROUP}", re.compile("T.*Z$"))})})


@row("Metadata alone: PartialObjectMetadata and its list")
def metadata_only(t):
    t.post(WIDGETS, widget(labels={"a": "b"})).expect(201)
    one = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    many = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    t.get(f"{WIDGETS}/w", headers={"Accept": one}).expect(200, {
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "spec": ABSENT, "metadata": {"labels": {"a": "b"}}})
    t.get(WIDGETS, headers={"Accept": many}).expect(200, {
        "kind": "PartialObjectMetadataList", "items": [{"metadata": {"name": "w"}, "spec": ABSENT}]})


@row("A list of an empty namespace, or of one that is not there, is empty")
def empty(t):
    t.get(WIDGETS).expect(200, {"kind": "WidgetList", "items": []})
    t.get(f"/apis/{GROUP}/v1/namespaces/not-there/widgets").expect(200, {"items": []})


@row("deletecollection deletes what its selectors match and returns the list of it")
def delete_collection(t):
    for name, value in (("a", "x"), ("b", "x"), ("c", "y")):
        t.post(WIDGETS, widget(name, labels={"app": value})).expect(201)
    t.delete(WIDGETS, labelSelector="app=x").expect(200, {"kind": "WidgetList", "items": [
        {"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]})
    assert names(t.get(WIDGETS)) == ["c"], names(t.get(WIDGETS))
    t.get(WIDGETS).expect(200, {"metadata": {"resourceVersion": Not("0")}})
