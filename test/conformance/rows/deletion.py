"""Finalizers, preconditions, grace, owners and the collection of garbage."""

import re

from client import MERGE
from pattern import ABSENT, ANY, Has
from row import GROUP, WIDGETS, config_map, row, widget

COLLECTED = 90  # seconds; the real collector looks for new kinds every 30 s
CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


def owner_of(body, **more):
    return {"apiVersion": body["apiVersion"], "kind": body["kind"], "name": body["metadata"]["name"],
            "uid": body["metadata"]["uid"], **more}


@row("With finalizers, delete sets deletionTimestamp and returns the object; the last one to go removes it")
def finalizers(t):
    t.post(WIDGETS, widget(finalizers=["example.com/a", "example.com/b"])).expect(201)
    made = t.delete(f"{WIDGETS}/w").expect(200, {"kind": "Widget", "metadata": {
        "deletionTimestamp": re.compile(r"^\d{4}-.*Z$"), "deletionGracePeriodSeconds": 0, "generation": 2,
        "finalizers": ["example.com/a", "example.com/b"]}})
    t.patch(f"{WIDGETS}/w", {"metadata": {"finalizers": ["example.com/b"]}}, MERGE).expect(200, {
        "metadata": {"finalizers": ["example.com/b"], "deletionTimestamp": made["metadata"]["deletionTimestamp"]}})
    t.patch(f"{WIDGETS}/w", {"metadata": {"finalizers": []}}, MERGE).expect(200, {"metadata": {"finalizers": ABSENT}})
    t.get(f"{WIDGETS}/w").expect(404)


@row("A second delete of a deleted object with finalizers changes nothing")
def delete_twice(t):
    t.post(WIDGETS, widget(finalizers=["example.com/a"])).expect(201)
    first = t.delete(f"{WIDGETS}/w").expect(200)
    second = t.delete(f"{WIDGETS}/w").expect(200, {"metadata": {"resourceVersion": first["metadata"]["resourceVersion"]}})
    assert first["metadata"]["deletionTimestamp"] == second["metadata"]["deletionTimestamp"], second


@row("No finalizer can be added to an object that is being deleted")
def no_new_finalizer(t):
    t.post(WIDGETS, widget(finalizers=["example.com/a"])).expect(201)
    t.delete(f"{WIDGETS}/w").expect(200)
    t.patch(f"{WIDGETS}/w", {"metadata": {"finalizers": ["example.com/a", "example.com/b"]}}, MERGE).expect(422, {
        "reason": "Invalid", "message": re.compile(
            r"metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new "
            r'finalizers \[\]string\{"example\.com/b"\}')})


@row("The spec of an object that is being deleted can still be changed; its deletionTimestamp cannot be unset")
def change_while_deleted(t):
    t.post(WIDGETS, widget(finalizers=["example.com/a"])).expect(201)
    t.delete(f"{WIDGETS}/w").expect(200)
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}, "metadata": {"deletionTimestamp": None}}, MERGE).expect(200, {
        "spec": {"size": 2}, "metadata": {"deletionTimestamp": ANY, "generation": 3}})


@row("A finalizer that is no qualified name is refused; one without a slash is, too")
def bad_finalizer(t):
    t.post(WIDGETS, widget(finalizers=["not a name"])).expect(422, {"message": re.compile(
        r'metadata\.finalizers(\[0\])?: Invalid value: "not a name"')})
    t.post(WIDGETS, widget(finalizers=["plain"])).expect((201, 422))


@row("Preconditions: a delete with another uid or resourceVersion is 409 and deletes nothing")
def preconditions(t):
    made = t.post(WIDGETS, widget()).expect(201)
    metadata = made["metadata"]
    t.delete(f"{WIDGETS}/w", {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "other"}}).expect(
        409, {"reason": "Conflict", "message": f'Operation cannot be fulfilled on Widget.{GROUP} "w": the UID in the '
              f"precondition (other) does not match the UID in record ({metadata['uid']}). The object might have been deleted "
              "and then recreated"})
    t.delete(f"{WIDGETS}/w", {"preconditions": {"resourceVersion": "1"}}).expect(409, {"message": re.compile(
        r"the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record "
        rf"\({metadata['resourceVersion']}\)\. The object might have been modified")})
    t.delete(f"{WIDGETS}/w", {"preconditions": {
        "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}}).expect(200, {"status": "Success"})


@row("propagationPolicy Foreground and Orphan put their finalizer on the object")
def propagation(t):
    t.post(WIDGETS, widget("a")).expect(201)
    t.delete(f"{WIDGETS}/a", propagationPolicy="Foreground").expect(200, {"metadata": {
        "name": "a", "deletionTimestamp": ANY, "finalizers": ["foregroundDeletion"]}})
    t.post(WIDGETS, widget("b")).expect(201)
    t.delete(f"{WIDGETS}/b", {"propagationPolicy": "Orphan"}).expect(200, {"metadata": {"finalizers": ["orphan"]}})
    t.post(WIDGETS, widget("c")).expect(201)
    t.delete(f"{WIDGETS}/c", propagationPolicy="Sideways").expect(422, {"message": re.compile(
        'propagationPolicy: Unsupported value: "Sideways"')})


@row("Owner references need apiVersion, kind, name and uid, and only one may be the controller")
def owner_references(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.post(CONFIG_MAPS, config_map(ownerReferences=[owner_of(made, controller=True, blockOwnerDeletion=True)])).expect(
        201, {"metadata": {"ownerReferences": [owner_of(made, controller=True, blockOwnerDeletion=True)]}})
    t.post(CONFIG_MAPS, config_map("d", ownerReferences=[{"apiVersion": "v1", "kind": "X", "name": "y"}])).expect(422, {
        "message": re.compile(r'metadata\.ownerReferences(\[0\])?\.uid: Required value: must not be empty')})
    both = [owner_of(made, controller=True), {**owner_of(made, controller=True), "uid": "other"}]
    t.post(CONFIG_MAPS, config_map("e", ownerReferences=both)).expect(422, {"message": re.compile(
        "Only one reference can have Controller set to true")})


@row("Deleting an owner deletes what it owns, in the background", needs="garbage collection")
def background(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.post(CONFIG_MAPS, config_map(ownerReferences=[owner_of(made)])).expect(201)
    t.post(CONFIG_MAPS, config_map("kept")).expect(201)
    t.delete(f"{WIDGETS}/w").expect(200, {"status": "Success"})
    t.eventually("the dependent is gone", lambda: t.get(f"{CONFIG_MAPS}/c").status == 404, COLLECTED)
    t.get(f"{CONFIG_MAPS}/kept").expect(200)


@row("An object with two owners stays until both are gone", needs="garbage collection")
def two_owners(t):
    owners = [t.post(WIDGETS, widget(name)).expect(201) for name in "ab"]
    t.post(CONFIG_MAPS, config_map(ownerReferences=[owner_of(one) for one in owners])).expect(201)
    t.delete(f"{WIDGETS}/a").expect(200)
    t.eventually("the reference to a is gone", lambda: len(
        t.get(f"{CONFIG_MAPS}/c").expect(200)["metadata"]["ownerReferences"]) == 1, COLLECTED)
    t.delete(f"{WIDGETS}/b").expect(200)
    t.eventually("the dependent is gone", lambda: t.get(f"{CONFIG_MAPS}/c").status == 404, COLLECTED)
    t.get(f"{CONFIG_MAPS}/c").expect(404, {"reason": "NotFound", "message": 'configmaps "c" not found'})


@row("Foreground: the owner goes after its blocking dependents", needs="garbage collection")
def foreground(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.post(CONFIG_MAPS, config_map(ownerReferences=[owner_of(made, blockOwnerDeletion=True)],
                                   finalizers=["example.com/a"])).expect(201)
    t.delete(f"{WIDGETS}/w", propagationPolicy="Foreground").expect(200, {"metadata": {"finalizers": Has(
        "foregroundDeletion")}})
    t.eventually("the dependent is being deleted", lambda: "deletionTimestamp" in t.get(
        f"{CONFIG_MAPS}/c").expect(200)["metadata"], COLLECTED)
    t.get(f"{WIDGETS}/w").expect(200, {"metadata": {"deletionTimestamp": ANY}})
    t.patch(f"{CONFIG_MAPS}/c", {"metadata": {"finalizers": None}}, MERGE).expect(200)
    t.eventually("the owner is gone", lambda: t.get(f"{WIDGETS}/w").status == 404, COLLECTED)


@row("Orphan: dependents stay and lose the reference", needs="garbage collection")
def orphan(t):
    made = t.post(WIDGETS, widget()).expect(201)
    t.post(CONFIG_MAPS, config_map(ownerReferences=[owner_of(made)])).expect(201)
    t.delete(f"{WIDGETS}/w", propagationPolicy="Orphan").expect(200)
    t.eventually("the owner is gone", lambda: t.get(f"{WIDGETS}/w").status == 404, COLLECTED)
    t.get(f"{CONFIG_MAPS}/c").expect(200, {"metadata": {"ownerReferences": ABSENT}})


@row("An owner that never existed: what names it is deleted", needs="garbage collection")
def absent_owner(t):
    never = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "name": "never", "uid": "00000000-1111-2222-3333-444444444444"}
    t.post(CONFIG_MAPS, config_map(ownerReferences=[never])).expect(201)
    t.eventually("the dependent is gone", lambda: t.get(f"{CONFIG_MAPS}/c").status == 404, COLLECTED)
    t.get(f"{CONFIG_MAPS}/c").expect(404, {"reason": "NotFound", "message": 'configmaps "c" not found'})


@row("Deleting a namespace deletes what is in it, then the namespace", needs="garbage collection")
def namespace(t):
    t.post(WIDGETS, widget()).expect(201)
    t.post(CONFIG_MAPS, config_map()).expect(201)
    t.delete("/api/v1/namespaces/{ns}").expect(200, {"kind": "Namespace", "status": {"phase": "Terminating"}})
    t.eventually("the namespace is gone", lambda: t.get("/api/v1/namespaces/{ns}").status == 404, COLLECTED)
    t.get(f"{WIDGETS}/w").expect(404)
