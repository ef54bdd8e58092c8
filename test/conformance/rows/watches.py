"""Watches: events, where they start, bookmarks, and the end of history."""

import re

from client import MERGE
from pattern import ANY
from row import GROUP, WIDGETS, row, widget

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
WATCH_LIST = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
INITIAL_EVENTS_END = {"type": "BOOKMARK", "object": {"kind": "Widget", "metadata": {
    "annotations": {"k8s.io/initial-events-end": "true"}, "resourceVersion": ANY}}}


def event(kind, name="w", **fields):
    return {"type": kind, "object": {"kind": "Widget", "metadata": {"name": name}, **fields}}


@row("A watch from a resourceVersion reports ADDED, MODIFIED and DELETED, in order, with the object")
def events(t):
    start = t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"]
    made = t.post(WIDGETS, widget()).expect(201)
    changed = t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200)
    t.delete(f"{WIDGETS}/w").expect(200)
    added, modified, deleted = t.watch(WIDGETS, resourceVersion=start).expect(
        event("ADDED"), event("MODIFIED"), event("DELETED", spec={"size": 2}))
    assert added["object"] == made, f"expected {made}, got {added['object']}"
    assert modified["object"] == changed, f"expected {changed}, got {modified['object']}"
    assert int(deleted["object"]["metadata"]["resourceVersion"]) > int(changed["metadata"]["resourceVersion"]), deleted


@row("An open watch reports what happens after it was opened")
def live(t):
    watch = t.watch(WIDGETS, resourceVersion=t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"])
    t.post(WIDGETS, widget()).expect(201)
    watch.expect(event("ADDED"))
    t.patch(f"{WIDGETS}/w", {"metadata": {"labels": {"a": "b"}}}, MERGE).expect(200)
    watch.expect(event("MODIFIED"))


@row("A watch without a resourceVersion, or from 0, begins with an ADDED for all that is there")
def from_now(t):
    t.post(WIDGETS, widget("a")).expect(201)
    t.post(WIDGETS, widget("b")).expect(201)
    for query in ({}, {"resourceVersion": "0"}):
        watch = t.watch(WIDGETS, **query)
        seen = {watch.next()["object"]["metadata"]["name"] for _ in range(2)}
        assert seen == {"a", "b"}, seen


@row("A watch sees its own namespace only; one over all namespaces sees all")
def scopes(t):
    start = t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"]
    t.post(f"/apis/{GROUP}/v1/namespaces/default/widgets", widget(f"other-{t.ns}")).expect(201)
    t.post(WIDGETS, widget(f"own-{t.ns}")).expect(201)
    t.watch(WIDGETS, resourceVersion=start).expect(event("ADDED", f"own-{t.ns}"))
    watch, wanted = t.watch(f"/apis/{GROUP}/v1/widgets", resourceVersion=start), {f"own-{t.ns}", f"other-{t.ns}"}
    while wanted:
        wanted.discard(watch.next()["object"]["metadata"]["name"])
    t.delete(f"/apis/{GROUP}/v1/namespaces/default/widgets/other-{t.ns}").expect(200)


@row("An object that begins to match the label selector is ADDED, one that stops is DELETED")
def selected(t):
    start = t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"]
    t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w", {"metadata": {"labels": {"a": "b"}}}, MERGE).expect(200)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200)
    t.patch(f"{WIDGETS}/w", {"metadata": {"labels": {"a": "c"}}}, MERGE).expect(200)
    t.watch(WIDGETS, resourceVersion=start, labelSelector="a=b").expect(event("ADDED"), event("MODIFIED"), event("DELETED"))


@row("A field selector on metadata.name watches one object, as kubectl does")
def one_object(t):
    start = t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"]
    for name in "ab":
        t.post(WIDGETS, widget(name)).expect(201)
    t.watch(WIDGETS, resourceVersion=start, fieldSelector="metadata.name=b").expect(event("ADDED", "b"))


@row("timeoutSeconds ends a watch; the stream is chunked and has one JSON object a line")
def timeout(t):
    t.post(WIDGETS, widget()).expect(201)
    watch = t.watch(WIDGETS, timeoutSeconds=1)
    assert watch.response.getheader("Transfer-Encoding") == "chunked", watch.response.getheaders()
    assert watch.response.getheader("Content-Type") == "application/json", watch.response.getheaders()
    events_seen = watch.rest()
    assert [one["type"] for one in events_seen] == ["ADDED"], events_seen


@row("allowWatchBookmarks sends a bookmark before the watch ends, with kind, version and nothing else")
def bookmark(t):
    t.post(WIDGETS, widget()).expect(201)
    last = t.watch(WIDGETS, timeoutSeconds=3, allowWatchBookmarks="true", timeout=20).rest()[-1]
    assert last["type"] == "BOOKMARK", last
    assert last["object"]["kind"] == "Widget" and last["object"]["apiVersion"] == f"{GROUP}/v1", last
    assert re.match(r"^\d+$", last["object"]["metadata"]["resourceVersion"]), last
    t.watch(WIDGETS, resourceVersion=last["object"]["metadata"]["resourceVersion"], timeoutSeconds=1).rest()


@row("sendInitialEvents lists through the watch and marks the end of the list by a bookmark")
def initial_events(t):
    t.post(WIDGETS, widget()).expect(201)
    watch = t.watch(WIDGETS, **WATCH_LIST)
    watch.expect(event("ADDED"), INITIAL_EVENTS_END)
    t.post(WIDGETS, widget("v")).expect(201)
    watch.expect(event("ADDED", "v"))


@row("sendInitialEvents: the bookmark's version is one to go on from; what a selector leaves out is not sent")
def initial_events_selected(t):
    for name in "abc":
        t.post(WIDGETS, widget(name, labels={"has": name})).expect(201)
    watch = t.watch(WIDGETS, labelSelector="has in (a,c)", **WATCH_LIST)
    *seen, end = watch.expect({"type": "ADDED"}, {"type": "ADDED"}, INITIAL_EVENTS_END)
    assert {one["object"]["metadata"]["name"] for one in seen} == {"a", "c"}, seen
    t.delete(f"{WIDGETS}/a").expect(200)
    t.watch(WIDGETS, resourceVersion=end["object"]["metadata"]["resourceVersion"]).expect(event("DELETED", "a"))


@row("sendInitialEvents of nothing sends the bookmark at once, also of built-in kinds and of metadata alone")
def initial_events_empty(t):
    t.watch(WIDGETS, **WATCH_LIST).expect(INITIAL_EVENTS_END)
    secrets = t.watch("/api/v1/namespaces/{ns}/secrets", **WATCH_LIST)
    secrets.expect({"type": "BOOKMARK", "object": {"kind": "Secret", "metadata": {"annotations": {
        "k8s.io/initial-events-end": "true"}}}})
    partial = t.watch(WIDGETS, headers={"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}, **WATCH_LIST)
    partial.expect({"type": "BOOKMARK", "object": {"kind": "PartialObjectMetadata", "metadata": {"annotations": {
        "k8s.io/initial-events-end": "true"}}}})


@row("sendInitialEvents needs resourceVersionMatch=NotOlderThan, and that needs sendInitialEvents: 422")
def initial_events_match(t):
    for query in ({"sendInitialEvents": "true"}, {"sendInitialEvents": "true", "resourceVersionMatch": "Exact"},
                  {"resourceVersionMatch": "NotOlderThan"}):
        t.get(WIDGETS, watch="true", timeoutSeconds="1", **query).expect(422, {
            "kind": "Status", "reason": "Invalid", "message": re.compile("^ListOptions.meta.k8s.io \"\" is invalid: .*"
                                                                         "(sendInitialEvents|resourceVersionMatch)")})


@row("sendInitialEvents=false begins at the version, or now, and sends no bookmark of a list")
def no_initial_events(t):
    t.post(WIDGETS, widget("a")).expect(201)
    watch = t.watch(WIDGETS, sendInitialEvents="false", resourceVersionMatch="NotOlderThan", allowWatchBookmarks="true")
    t.post(WIDGETS, widget("b")).expect(201)
    watch.expect(event("ADDED", "b"))


@row("A watch from a version that history no longer has is 410, as answer or as ERROR event")
def expired(t):
    t.post(WIDGETS, widget()).expect(201)
    watch = t.watch(WIDGETS, resourceVersion="1", timeoutSeconds=2)
    gone = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired",
            "message": re.compile("too old resource version|has been compacted")}
    seen = watch.rest()
    if watch.status == 200 and seen and seen[0]["type"] == "ERROR":
        assert seen[0]["object"]["code"] == gone["code"] and seen[0]["object"]["reason"] == gone["reason"], seen[0]
        assert gone["message"].search(seen[0]["object"]["message"]), seen[0]
    else:
        assert watch.status == 410 or [one["type"] for one in seen] == ["ADDED"], (watch.status, seen)


@row("A watch with a resourceVersion that is no number is 400")
def bad_version(t):
    watch = t.watch(WIDGETS, resourceVersion="x")
    assert watch.status in (400, 422, 500), watch.status
    body = watch.response.read().decode()
    assert re.search("(?i)resource ?version", body), body


@row("A change of the status subresource is seen by a watch on the object")
def status_change(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.patch(f"{WIDGETS}/w/status", {"status": {"replicas": 1}}, MERGE).expect(200)
    t.watch(WIDGETS, resourceVersion=made["metadata"]["resourceVersion"]).expect(event("MODIFIED", status={"replicas": 1}))


@row("A finalizer makes a delete a MODIFIED; the DELETED comes when the last one goes")
def finalized(t):
    made = t.post(WIDGETS, widget(finalizers=["example.com/a"])).expect(201)
    t.delete(f"{WIDGETS}/w").expect(200)
    t.patch(f"{WIDGETS}/w", {"metadata": {"finalizers": None}}, MERGE).expect(200)
    t.watch(WIDGETS, resourceVersion=made["metadata"]["resourceVersion"]).expect(
        {"type": "MODIFIED", "object": {"metadata": {"deletionTimestamp": ANY}}},
        {"type": "DELETED", "object": {"metadata": {"name": "w", "deletionTimestamp": ANY}}})


@row("A watch as a Table sends a row in each event, the columns in the first only")
def table(t):
    t.post(WIDGETS, widget("a")).expect(201)
    t.post(WIDGETS, widget("b")).expect(201)
    watch = t.watch(WIDGETS, headers={"Accept": f"{TABLE},application/json"})
    first, second = watch.next(), watch.next()
    assert first["object"]["kind"] == second["object"]["kind"] == "Table", first
    assert len(first["object"]["columnDefinitions"]) == 6 and not second["object"]["columnDefinitions"], second
    assert first["object"]["rows"][0]["cells"][0] == "a", first


@row("An event of a watch is also found by the old path /watch/, or that is a clean 404")
def old_path(t):
    t.post(WIDGETS, widget()).expect(201)
    watch = t.watch(f"/apis/{GROUP}/v1/watch/namespaces/{t.ns}/widgets", timeoutSeconds=1)
    assert watch.status in (200, 404), watch.status
