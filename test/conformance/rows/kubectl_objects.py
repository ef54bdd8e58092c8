"""kubectl: create, apply, edit, patch, replace, delete."""

import re

from pattern import ABSENT
from row import GROUP, WIDGETS, config_map, row, widget

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def yaml(name="w", **spec):
    fields = "\n".join(f"  {key}: {value}" for key, value in spec.items())
    return f"apiVersion: {GROUP}/v1\nkind: Widget\nmetadata:\n  name: {name}\nspec:\n{fields}\n"


@row("kubectl apply creates, configures, and says unchanged")
def apply(t):
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1, label="x")).expect(f"widget.{GROUP}/w created\n")
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1, label="x")).expect(f"widget.{GROUP}/w unchanged\n")
    t.kubectl("apply", "-f", "-", stdin=yaml(size=2)).expect(f"widget.{GROUP}/w configured\n")
    made = t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 2, "label": ABSENT, "color": "green"}})
    assert '"size":2' in made["metadata"]["annotations"][LAST_APPLIED], made["metadata"]["annotations"]


@row("kubectl apply leaves alone what another set, and removes what it set itself")
def three_ways(t):
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1, low=1)).expect()
    t.patch(f"{WIDGETS}/w", {"spec": {"high": 9}}, "application/merge-patch+json").expect(200)
    t.kubectl("apply", "-f", "-", stdin=yaml(size=3)).expect()
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 3, "low": ABSENT, "high": 9}})


@row("kubectl apply of ConfigMaps and Secrets, which are patched strategically")
def apply_built_in(t):
    t.kubectl("apply", "-f", "-", stdin=config_map(data={"a": "1", "b": "2"})).expect("configmap/c created\n")
    t.kubectl("apply", "-f", "-", stdin=config_map(data={"a": "1"})).expect("configmap/c configured\n")
    t.get("/api/v1/namespaces/{ns}/configmaps/c").expect(200, {"data": {"a": "1", "b": ABSENT}})
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "1"}}
    t.kubectl("apply", "-f", "-", stdin=secret).expect("secret/s created\n")
    t.kubectl("apply", "-f", "-", stdin=secret).expect(re.compile("^secret/s (unchanged|configured)\n"))


@row("kubectl apply of several documents, and of a List")
def several(t):
    t.kubectl("apply", "-f", "-", stdin=yaml("a", size=1) + "---\n" + yaml("b", size=2)).expect(
        f"widget.{GROUP}/a created\nwidget.{GROUP}/b created\n")
    t.kubectl("apply", "-f", "-", stdin={"apiVersion": "v1", "kind": "List", "items": [widget("c"), config_map("d")]}).expect(
        f"widget.{GROUP}/c created\nconfigmap/d created\n")


@row("kubectl apply --server-side applies, and names the conflict with another manager")
def server_side(t):
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=1)).expect(f"widget.{GROUP}/w serverside-applied\n")
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=1)).expect(f"widget.{GROUP}/w serverside-applied\n")
    other = ("apply", "--server-side", "--field-manager=other", "-f", "-")
    t.kubectl(*other, stdin=yaml(size=2)).expect(code=1, err=[
        re.compile('error: Apply failed with 1 conflict: conflict with "kubectl": .spec.size'),
        re.compile("Please review the fields above--they currently have other managers")])
    t.kubectl(*other, "--force-conflicts", stdin=yaml(size=2)).expect(f"widget.{GROUP}/w serverside-applied\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 2}})


@row("kubectl apply --server-side after a client-side apply takes the fields over")
def migration(t):
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1, label="x")).expect()
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=2, label="x")).expect()
    t.kubectl("apply", "--server-side", "-f", "-", stdin=yaml(size=2)).expect()
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 2, "label": ABSENT}})


@row("kubectl apply --dry-run=client and =server print what would be, and store nothing")
def dry_run(t):
    t.kubectl("apply", "--dry-run=client", "-f", "-", stdin=yaml(size=1)).expect(f"widget.{GROUP}/w created (dry run)\n")
    t.kubectl("apply", "--dry-run=server", "-f", "-", stdin=yaml(size=1)).expect(
        f"widget.{GROUP}/w created (server dry run)\n")
    t.get(f"{WIDGETS}/w").expect(404)


@row("kubectl diff shows what would change, and exits with 1")
def diff(t):
    t.kubectl("apply", "-f", "-", stdin=yaml(size=1)).expect()
    t.kubectl("diff", "-f", "-", stdin=yaml(size=1)).expect("")
    t.kubectl("diff", "-f", "-", stdin=yaml(size=2)).expect(re.compile(r"^-  size: 1\n\+  size: 2$", re.M), code=1)


@row("kubectl create creates once; the second time is AlreadyExists")
def create(t):
    t.kubectl("create", "-f", "-", stdin=yaml(size=1)).expect(f"widget.{GROUP}/w created\n")
    t.kubectl("create", "-f", "-", stdin=yaml(size=1)).expect(code=1, err=re.compile(
        rf'^Error from server \(AlreadyExists\): error when creating "STDIN": widgets\.{GROUP} "w" already exists\n$'))


@row("kubectl create configmap, secret, namespace, serviceaccount, role, rolebinding")
def generators(t):
    t.kubectl("create", "configmap", "c", "--from-literal=a=b").expect("configmap/c created\n")
    t.kubectl("create", "secret", "generic", "s", "--from-literal=a=b").expect("secret/s created\n")
    t.kubectl("create", "serviceaccount", "robot").expect("serviceaccount/robot created\n")
    t.kubectl("create", "role", "r", "--verb=get", f"--resource=widgets.{GROUP}").expect(
        "role.rbac.authorization.k8s.io/r created\n")
    t.kubectl("create", "rolebinding", "b", "--role=r", "--user=u").expect("rolebinding.rbac.authorization.k8s.io/b created\n")
    t.get("/api/v1/namespaces/{ns}/secrets/s").expect(200, {"data": {"a": "Yg=="}})


@row("kubectl refuses an unknown field before or at the server, naming it")
def unknown_field(t):
    for verb in ("create", "apply"):
        t.kubectl(verb, "-f", "-", stdin=yaml(size=1, odd=2)).expect(code=1, err=re.compile(
            r'strict decoding error: unknown field "spec\.odd"'))
    t.kubectl("create", "--validate=warn", "-f", "-", stdin=yaml(size=1, odd=2)).expect(
        f"widget.{GROUP}/w created\n", err='Warning: unknown field "spec.odd"\n')


@row("kubectl prints each cause of a 422")
def causes(t):
    t.kubectl("create", "-f", "-", stdin=yaml(size=0)).expect(code=1, err=re.compile(
        r'^The Widget "w" is invalid: spec\.size: Invalid value: 0: spec\.size in body should be greater than or equal to 1\n$'))
    t.kubectl("create", "-f", "-", stdin=yaml(size=0, low=3, high=2)).expect(code=1, err=re.compile(
        r'^The Widget "w" is invalid: \n\* spec\.'))


@row("kubectl replace needs the object; --force recreates it")
def replace(t):
    t.kubectl("replace", "-f", "-", stdin=yaml(size=1)).expect(code=1, err=re.compile(r"\(NotFound\)"))
    t.kubectl("create", "-f", "-", stdin=yaml(size=1)).expect()
    before = t.get(f"{WIDGETS}/w").json["metadata"]["uid"]
    t.kubectl("replace", "-f", "-", stdin=yaml(size=2)).expect(f"widget.{GROUP}/w replaced\n")
    assert t.get(f"{WIDGETS}/w").json["metadata"]["uid"] == before
    t.kubectl("replace", "--force", "-f", "-", stdin=yaml(size=3)).expect(re.compile(f'"w" (force )?deleted.*\nwidget.{GROUP}/w replaced\n$', re.S))
    assert t.get(f"{WIDGETS}/w").json["metadata"]["uid"] != before


@row("kubectl patch: merge and json on a custom resource, strategic on a built-in one")
def patch(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"size":2}}').expect(f"widget.{GROUP}/w patched\n")
    t.kubectl("patch", "wd/w", "--type=merge", "-p", '{"spec":{"size":2}}').expect(f"widget.{GROUP}/w patched (no change)\n")
    t.kubectl("patch", "wd/w", "--type=json", "-p", '[{"op":"replace","path":"/spec/size","value":3}]').expect()
    t.kubectl("patch", "wd/w", "--subresource=status", "--type=merge", "-p", '{"status":{"replicas":4}}').expect(
        f"widget.{GROUP}/w patched\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 3}, "status": {"replicas": 4}})
    t.post("/api/v1/namespaces/{ns}/configmaps", config_map()).expect(201)
    t.kubectl("patch", "configmap", "c", "-p", '{"data":{"a":"b"}}').expect("configmap/c patched\n")


@row("kubectl edit sends what the editor left")
def edit(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("edit", "widget", "w", editor="sed -i 's/size: 1/size: 7/'").expect(f"widget.{GROUP}/w edited\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 7}})
    t.kubectl("edit", "widget", "w", editor="true").expect("", err=re.compile("^Edit cancelled, no changes made"))


@row("kubectl label and annotate set, refuse to overwrite, and remove")
def label(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("label", "widget", "w", "a=b").expect(f"widget.{GROUP}/w labeled\n")
    t.kubectl("label", "widget", "w", "a=c").expect(code=1, err=re.compile("'a' already has a value \\(b\\), and --overwrite is false"))
    t.kubectl("label", "widget", "w", "a-").expect(f"widget.{GROUP}/w unlabeled\n")
    t.kubectl("annotate", "widget", "w", "x=y").expect(f"widget.{GROUP}/w annotated\n")
    t.get(f"{WIDGETS}/w").expect(200, {"metadata": {"labels": ABSENT, "annotations": {"x": "y"}}})


@row("kubectl delete waits until the object is gone; --wait=false does not")
def delete(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("delete", "widget", "w").expect(re.compile(rf'^widget\.{GROUP} "w" deleted'))
    t.kubectl("delete", "widget", "w").expect(code=1, err=re.compile(rf'\(NotFound\): widgets\.{GROUP} "w" not found'))
    t.kubectl("delete", "widget", "w", "--ignore-not-found").expect("")
    t.post(WIDGETS, widget("f", finalizers=["example.com/a"])).expect(201)
    t.kubectl("delete", "widget", "f", "--wait=false").expect(re.compile('"f" deleted'))
    t.kubectl("delete", "widget", "f", "--timeout=1s").expect(code=1, err=re.compile("timed out waiting for the condition"))
    t.patch(f"{WIDGETS}/f", {"metadata": {"finalizers": None}}, "application/merge-patch+json").expect(200)


@row("kubectl delete by label and --all, and by file")
def delete_many(t):
    for name in "abc":
        t.post(WIDGETS, widget(name, labels={"n": name})).expect(201)
    t.kubectl("delete", "widgets", "-l", "n=a").expect(re.compile('"a" deleted'))
    t.kubectl("delete", "-f", "-", stdin=yaml("b", size=1)).expect(re.compile('"b" deleted'))
    t.kubectl("delete", "widgets", "--all").expect(re.compile('"c" deleted'))
    t.get(WIDGETS).expect(200, {"items": []})


@row("kubectl apply --prune with an allow list removes what the files no longer have")
def prune(t):
    label = {"app": "x"}
    for body in (config_map("a", labels=label), config_map("b", labels=label)):
        t.kubectl("apply", "-f", "-", stdin=body).expect()
    t.kubectl("apply", "--prune", "-l", "app=x", "--prune-allowlist=core/v1/ConfigMap", "-f", "-",
              stdin=config_map("a", labels=label)).expect(re.compile(r"configmap/a (unchanged|configured)\nconfigmap/b pruned\n"))


@row("kubectl apply -k builds a kustomization and applies it")
def kustomize(t):
    with t.folder({"kustomization.yaml": "resources: [w.yaml]\nlabels:\n- pairs: {a: b}\n", "w.yaml": yaml(size=1)}) as path:
        t.kubectl("apply", "-k", path).expect(f"widget.{GROUP}/w created\n")
    t.get(f"{WIDGETS}/w").expect(200, {"metadata": {"labels": {"a": "b"}}})
