"""kubectl: cascading deletes, subresources, tokens, raw requests, last-applied, ownership, and less usual flags."""

import json
import re

from client import MERGE
from pattern import ABSENT, ANY, Has
from row import DEFINITIONS, GROUP, WIDGETS, config_map, definition, row, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


def yaml(name="w", **spec):
    fields = "\n".join(f"  {key}: {value}" for key, value in spec.items())
    return f"apiVersion: {GROUP}/v1\nkind: Widget\nmetadata:\n  name: {name}\nspec:\n{fields}\n"


@row("kubectl delete --cascade=orphan and =foreground ask for that policy", needs="garbage collection")
def cascade(t):
    made = t.post(WIDGETS, widget()).expect(201)
    owner = {"apiVersion": made["apiVersion"], "kind": "Widget", "name": "w", "uid": made["metadata"]["uid"]}
    t.post(CONFIG_MAPS, config_map(ownerReferences=[{**owner, "blockOwnerDeletion": True}])).expect(201)
    t.kubectl("delete", "widget", "w", "--cascade=orphan", "--timeout=50s").expect(re.compile('"w" deleted'))
    t.get(f"{CONFIG_MAPS}/c").expect(200, {"metadata": {"ownerReferences": ABSENT}})
    t.post(WIDGETS, widget("v")).expect(201)
    t.kubectl("delete", "widget", "v", "--cascade=foreground", "--timeout=50s").expect(re.compile('"v" deleted'))
    t.get(f"{WIDGETS}/v").expect(404)


@row("kubectl delete --now, --grace-period=0 --force and --dry-run=server")
def delete_flags(t):
    for name in "abc":
        t.post(WIDGETS, widget(name)).expect(201)
    t.kubectl("delete", "widget", "a", "--dry-run=server").expect(re.compile(r'"a" deleted.*\(server dry run\)'))
    t.get(f"{WIDGETS}/a").expect(200)
    t.kubectl("delete", "widget", "a", "--now").expect(re.compile('"a" deleted'))
    t.kubectl("delete", "widget", "b", "--grace-period=0", "--force").expect(re.compile('"b" force deleted'))
    t.kubectl("delete", "wd/c", "--output=name").expect(f"widget.{GROUP}/c\n")


@row("kubectl edit and replace with --subresource=status change the status only")
def subresources(t):
    t.post(WIDGETS, widget()).expect(201)
    body = t.get(f"{WIDGETS}/w").json
    body["status"] = {"replicas": 3}
    body["spec"]["size"] = 9
    t.kubectl("replace", "--subresource=status", "-f", "-", stdin=body).expect(f"widget.{GROUP}/w replaced\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}, "status": {"replicas": 3}})
    t.kubectl("get", "widget", "w", "--subresource=status", "-o", "jsonpath={.status.replicas}").expect("3")
    t.kubectl("edit", "widget", "w", "--subresource=status", editor="sed -i 's/replicas: 3/replicas: 4/'").expect(
        f"widget.{GROUP}/w edited\n")
    t.get(f"{WIDGETS}/w").expect(200, {"status": {"replicas": 4}})


@row("kubectl apply --server-side --subresource=status applies the status")
def apply_status(t):
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=1)).expect()
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "w"}, "status": {"replicas": 2}}
    t.kubectl("apply", "--server-side", "--subresource=status", "-f", "-", stdin=body).expect(
        re.compile(f"^widget.{GROUP}/w serverside-applied\n"))
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}, "status": {"replicas": 2}})


@row("kubectl apply view-last-applied and set-last-applied")
def last_applied(t):
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1)).expect()
    t.kubectl("apply", "view-last-applied", "widget", "w", "-o", "json").expect_json({"spec": {"size": 1}})
    with t.folder({"w.yaml": yaml(size=5)}) as path:
        t.kubectl("apply", "set-last-applied", "-f", f"{path}/w.yaml").expect(f"widget.{GROUP}/w configured\n")
    t.kubectl("apply", "view-last-applied", "widget", "w", "-o", "json").expect_json({"spec": {"size": 5}})
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}})


@row("kubectl diff --server-side shows the change of an apply, and stores nothing")
def diff_server_side(t):
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=1)).expect()
    t.kubectl("diff", "--server-side", "-f", "-", stdin=yaml(size=4)).expect(re.compile(r"^\+  size: 4$", re.M), code=1)
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}})


@row("kubectl apply of a definition and, once it is Established, of its first object")
def definition_and_object(t):
    kind = f"Novelty{t.number}"
    body = definition(f"{kind.lower()}s", {"type": "object"})
    name = body["metadata"]["name"]
    t.defined.append(f"{DEFINITIONS}/{name}")
    t.kubectl("apply", "-f", "-", stdin=body).expect(f"customresourcedefinition.apiextensions.k8s.io/{name} created\n")
    t.kubectl("wait", "--for=condition=Established", f"crd/{name}", "--timeout=10s").expect(
        f"customresourcedefinition.apiextensions.k8s.io/{name} condition met\n")
    novelty = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "n"}}
    t.eventually("the first object is applied", lambda: t.kubectl("apply", "-f", "-", stdin=novelty).code == 0)
    t.kubectl("apply", "-f", "-", stdin=body).expect(f"customresourcedefinition.apiextensions.k8s.io/{name} unchanged\n")
    t.kubectl("delete", "crd", name).expect(re.compile(f'"{re.escape(name)}" deleted'))


@row("kubectl apply of a namespace and what is in it, in one file")
def namespace_and_content(t):
    name = f"{t.ns}-made"
    t.kubectl("apply", f"--namespace={name}", "-f", "-", stdin={"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, config_map(namespace=name)]}).expect(
            f"namespace/{name} created\nconfigmap/c created\n")
    t.kubectl("delete", "namespace", name, "--wait=false").expect(re.compile("deleted"))


@row("kubectl create token gives a token that the server takes", needs="service account tokens")
def token(t):
    t.kubectl("create", "serviceaccount", "robot").expect()
    text = t.kubectl("create", "token", "robot").expect().strip()
    t.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers={
            "Authorization": f"Bearer {text}"}).expect(201, {"status": {"userInfo": {
                "username": f"system:serviceaccount:{t.ns}:robot"}}})


@row("kubectl auth reconcile makes and extends roles")
def reconcile(t):
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {
        "name": "r", "namespace": t.namespace()}, "rules": [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}
    with t.folder({"r.json": json.dumps(role)}) as path:
        t.kubectl("auth", "reconcile", "-f", f"{path}/r.json").expect(re.compile("^role.rbac.authorization.k8s.io/r reconciled"))
    t.get("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/r").expect(200, {"rules": [{"resources": ["secrets"]}]})


@row("kubectl get --raw reads any path; create --raw posts to it")
def raw(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("get", "--raw", t.path(f"{WIDGETS}/w")).expect_json({"kind": "Widget"})
    t.kubectl("create", "--raw", t.path(CONFIG_MAPS), "-f", "-", stdin=config_map()).expect_json({"kind": "ConfigMap"})


@row("kubectl get --watch-only, --ignore-not-found, -L")
def get_flags(t):
    t.post(WIDGETS, widget(labels={"tier": "one"})).expect(201)
    t.kubectl("get", "widget", "nothing", "--ignore-not-found").expect("")
    t.kubectl("get", "widgets", "-L", "tier").expect(re.compile(r"AGE +TIER\nw .* one\n"))
    running = t.start_kubectl("get", "widgets", "--watch-only", "-o", "jsonpath={.spec.size}{\"\\n\"}")
    # Nothing tells when it has begun to watch, so that the change comes again until it is seen.
    for size in range(2, 10):
        t.patch(f"{WIDGETS}/w", {"spec": {"size": size}}, MERGE).expect(200)
        line = running.line(timeout=3)
        if line is not None:
            break
    assert line == f"{size}\n", line


@row("kubectl wait --all and -l wait for several objects")
def wait_for_several(t):
    condition = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    for name in "ab":
        t.post(WIDGETS, widget(name, labels={"x": name})).expect(201)
        t.patch(f"{WIDGETS}/{name}/status", condition, MERGE).expect(200)
    t.kubectl("wait", "--for=condition=Ready", "widgets", "--all").expect(
        f"widget.{GROUP}/a condition met\nwidget.{GROUP}/b condition met\n")
    t.kubectl("wait", "--for=condition=Ready=True", "widgets", "-l", "x=b").expect(f"widget.{GROUP}/b condition met\n")


@row("kubectl scale of several objects, and with a resource version")
def scale_several(t):
    for name in "ab":
        t.post(WIDGETS, widget(name)).expect(201)
    t.kubectl("scale", "widgets", "--all", "--replicas=2").expect(f"widget.{GROUP}/a scaled\nwidget.{GROUP}/b scaled\n")
    t.kubectl("scale", "widget/a", "--replicas=3", "--resource-version=1").expect(code=1, err=re.compile("(?i)resource version|modified"))


@row("kubectl apply with an annotation of 100 KB works on the server's side; on the client's it is too long at 256 KB")
def long_annotations(t):
    body = widget(annotations={"a": "x" * 100_000})
    t.kubectl("apply", "--server-side", "-f", "-", stdin=body).expect(f"widget.{GROUP}/w serverside-applied\n")
    body = widget("v", annotations={"a": "x" * 140_000})
    t.kubectl("apply", "-f", "-", stdin=body).expect(code=1, err=re.compile(
        "metadata.annotations: Too long: (must have at most|may not be more than) 262144 bytes"))


@row("kubectl reads odd YAML as the server would: anchors, CRLF, a BOM, quoted and octal-looking scalars")
def odd_yaml(t):
    anchors = yaml(size="&n 3", low="*n").replace("\n", "\r\n")
    t.kubectl("apply", "-f", "-", stdin=anchors).expect(f"widget.{GROUP}/w created\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 3, "low": 3}})
    t.kubectl("apply", "-f", "-", stdin=yaml("v", size="1e0", enabled="true", note='"yes"')).expect(code=None)
    t.kubectl("apply", "-f", "-", stdin=yaml("u", size=1, enabled='"true"')).expect(code=1, err=re.compile(
        r"spec\.enabled|enabled in body must be of type boolean"))
    t.kubectl("apply", "-f", "-", stdin="\ufeff" + yaml("x", size=1)).expect(f"widget.{GROUP}/x created\n")


@row("kubectl api-resources --namespaced=false -o wide has verbs and categories")
def wide_resources(t):
    t.namespace()
    t.kubectl("api-resources", "--namespaced=false", "-o", "wide").expect(re.compile(
        r"^customresourcedefinitions +crd,crds +apiextensions.k8s.io/v1 +false +CustomResourceDefinition +\S*create\S*", re.M))


@row("kubectl describe of several objects and by label; of a secret it hides the values")
def describe(t):
    for name in "ab":
        t.post(WIDGETS, widget(name, labels={"x": "y"})).expect(201)
    t.kubectl("describe", "widgets", "-l", "x=y").expect([re.compile(r"^Name: +a\n"), re.compile(r"\n\n\nName: +b\n")])
    t.kubectl("create", "secret", "generic", "s", "--from-literal=key=canary").expect()
    text = t.kubectl("describe", "secret", "s").expect(re.compile(r"key: +6 bytes"))
    assert "canary" not in text


@row("kubectl explain --api-version and of a definition's own kind")
def explain(t):
    t.namespace()
    t.kubectl("explain", "widgets", f"--api-version={GROUP}/v1").expect(re.compile("KIND: +Widget"))
    t.kubectl("explain", "crd.spec.group").expect(re.compile(r"FIELD: group <string>"))
    t.kubectl("explain", "namespace.status.phase").expect(re.compile(r"FIELD: phase <string>"))
    t.kubectl("explain", "widget.metadata.finalizers").expect(re.compile(r"FIELD: finalizers <\[\]string>"))
    t.kubectl("explain", "widget", "--output=plaintext-openapiv2").expect(code=None)


@row("The managers that kubectl writes: kubectl-client-side-apply, kubectl, kubectl-create, kubectl-patch, kubectl-edit, kubectl-label")
def managers(t):
    t.kubectl("create", "-f", "-", stdin=yaml(size=1)).expect()
    t.kubectl("apply", "-f", "-", stdin=yaml(size=2)).expect()
    t.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=yaml("v", size=2)).expect()
    t.kubectl("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"low":2}}').expect()
    t.kubectl("label", "widget", "w", "a=b").expect()
    t.get(f"{WIDGETS}/w").expect(200, {"metadata": {"managedFields": Has(
        {"manager": "kubectl-create", "operation": "Update"}, {"manager": "kubectl-client-side-apply", "operation": "Update"},
        {"manager": "kubectl-patch"}, {"manager": "kubectl-label"})}})
    t.get(f"{WIDGETS}/v").expect(200, {"metadata": {"managedFields": [{"manager": "kubectl", "operation": "Apply", "time": ANY}]}})
    t.kubectl("get", "widget", "w", "-o", "yaml").expect(re.compile(r"^metadata:\n(?!.*managedFields)", re.S | re.M))
    t.kubectl("get", "widget", "w", "-o", "yaml", "--show-managed-fields").expect(re.compile("managedFields:"))
