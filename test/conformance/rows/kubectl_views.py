"""kubectl: get, describe, explain, wait, scale, events, auth, api-resources."""

import re
import time

from client import MERGE
from pattern import Has
from row import GROUP, WIDGETS, config_map, row, widget


def ready(t, status="True"):
    t.patch(f"{WIDGETS}/w/status", {"status": {"conditions": [{"type": "Ready", "status": status}]}}, MERGE).expect(200)


@row("kubectl get prints the printer columns; -o wide those of priority 1, too")
def get(t):
    t.post(WIDGETS, widget(spec={"label": "abc"})).expect(201)
    ready(t)
    t.kubectl("get", "widgets").expect(re.compile(
        r"^NAME +SIZE +COLOR +READY +AGE *\nw +1 +green +True +\d+s *\n$"))
    t.kubectl("get", "wd", "w", "-o", "wide").expect(re.compile(
        r"^NAME +SIZE +COLOR +READY +LABEL +AGE *\nw +1 +green +True +abc +\d+s *\n$"))
    t.kubectl("get", f"widgets.v1.{GROUP}/w", "--no-headers").expect(re.compile(r"^w +1 "))


@row("kubectl get -o name, json, yaml, jsonpath, custom-columns, --show-labels")
def outputs(t):
    t.post(WIDGETS, widget(labels={"a": "b"})).expect(201)
    t.kubectl("get", "widget", "w", "-o", "name").expect(f"widget.{GROUP}/w\n")
    t.kubectl("get", "widget", "w", "-o", "json").expect_json({"kind": "Widget", "spec": {"size": 1}})
    t.kubectl("get", "widgets", "-o", "json").expect_json({"kind": "List", "items": [{"kind": "Widget"}]})
    t.kubectl("get", "widget", "w", "-o", "yaml").expect(re.compile("^spec:\n  color: green\n  replicas: 1\n  size: 1$", re.M))
    t.kubectl("get", "widgets", "-o", "jsonpath={.items[*].spec.size}").expect("1")
    t.kubectl("get", "widgets", "-o", "custom-columns=N:.metadata.name").expect("N\nw\n")
    t.kubectl("get", "widgets", "--show-labels").expect(re.compile("LABELS\nw .*a=b\n"))


@row("kubectl get by category, of several kinds, over all namespaces, with selectors and sorting")
def selections(t):
    t.post(WIDGETS, widget("a", spec={"size": 5}, labels={"x": "y"})).expect(201)
    t.post(WIDGETS, widget("b", spec={"size": 2})).expect(201)
    t.kubectl("get", "conformance", "-o", "name").expect(f"widget.{GROUP}/a\nwidget.{GROUP}/b\n")
    t.kubectl("get", "widgets,configmaps", "-l", "x=y", "-o", "name").expect(f"widget.{GROUP}/a\n")
    t.kubectl("get", "widgets", "--field-selector", "metadata.name=b", "-o", "name").expect(f"widget.{GROUP}/b\n")
    t.kubectl("get", "widgets", "--sort-by=.spec.size", "-o", "name").expect(f"widget.{GROUP}/b\nwidget.{GROUP}/a\n")
    t.kubectl("get", "widgets", "-A").expect(re.compile(rf"^NAMESPACE +NAME .*\n(.*\n)*{t.ns} +a "))
    t.kubectl("get", "widgets", "--chunk-size=1", "-o", "name").expect(f"widget.{GROUP}/a\nwidget.{GROUP}/b\n")


@row("kubectl get of nothing says so; of an unknown kind it is an error")
def nothing(t):
    t.namespace()
    t.kubectl("get", "widgets").expect("", err=f"No resources found in {t.ns} namespace.\n")
    t.kubectl("get", "widget", "w").expect(code=1, err=f'Error from server (NotFound): widgets.{GROUP} "w" not found\n')
    t.kubectl("get", "gewgaws").expect(code=1, err='error: the server doesn\'t have a resource type "gewgaws"\n')


@row("kubectl get of built-in kinds prints their columns")
def built_in(t):
    t.post("/api/v1/namespaces/{ns}/configmaps", config_map(data={"a": "b"})).expect(201)
    t.kubectl("get", "configmap", "c").expect(re.compile(r"^NAME +DATA +AGE\nc +1 +\d+s\n$"))
    t.kubectl("get", "namespace", t.ns).expect(re.compile(rf"^NAME +STATUS +AGE\n{t.ns} +Active +\d+s\n$"))
    t.kubectl("get", "crd", f"widgets.{GROUP}").expect(re.compile(r"^NAME .*CREATED AT\nwidgets"))
    t.kubectl("create", "secret", "generic", "s", "--from-literal=a=b").expect()
    t.kubectl("get", "secret", "s").expect(re.compile(r"^NAME +TYPE +DATA +AGE\ns +Opaque +1 +\d+s\n$"))


@row("kubectl get -w prints a line for each change")
def watch(t):
    # Of a list: a watch of one object by name begins after kubectl has printed it, and loses what happens between.
    t.post(WIDGETS, widget()).expect(201)
    running = t.start_kubectl("get", "widgets", "-w", "--no-headers")
    running.expect(r"^w +1 +green")
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200)
    running.expect(r"^w +2 +green")
    t.delete(f"{WIDGETS}/w").expect(200)
    running.expect(r"^w +2 +green")


@row("kubectl get -w --output-watch-events names the events")
def watch_events(t):
    t.post(WIDGETS, widget()).expect(201)
    running = t.start_kubectl("get", "widgets", "-w", "--output-watch-events", "--no-headers")
    running.expect(r"^ADDED +w +1")
    t.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, MERGE).expect(200)
    running.expect(r"^MODIFIED +w +2")
    t.delete(f"{WIDGETS}/w").expect(200)
    running.expect(r"^DELETED +w +2")


@row("kubectl describe prints metadata, spec, status and the events of a custom resource")
def describe(t):
    made = t.post(WIDGETS, widget(labels={"a": "b"})).expect(201)
    ready(t)
    t.post("/api/v1/namespaces/{ns}/events", {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Normal", "reason": "Made", "message": "made it",
        "count": 1, "firstTimestamp": made["metadata"]["creationTimestamp"], "source": {"component": "tester"},
        "lastTimestamp": made["metadata"]["creationTimestamp"], "involvedObject": {
            "kind": "Widget", "apiVersion": f"{GROUP}/v1", "name": "w", "namespace": t.ns,
            "uid": made["metadata"]["uid"]}}).expect(201)
    t.kubectl("describe", "widget", "w").expect([
        re.compile(rf"^Name: +w\nNamespace: +{t.ns}\nLabels: +a=b\nAnnotations: +<none>\nAPI Version: +{GROUP}/v1\nKind: +Widget\n"),
        re.compile(r"^Spec:\n  Color: +green\n", re.M), re.compile(r"^Status:\n  Conditions:\n", re.M),
        re.compile(r"^Events:\n  Type +Reason +Age +From +Message\n.*\n  Normal +Made +\d+s +tester +made it\n", re.M)])
    t.kubectl("describe", "namespace", t.ns).expect(re.compile("Status: +Active"))


@row("kubectl events and kubectl get events list what happened")
def events(t):
    t.post("/api/v1/namespaces/{ns}/events", {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "type": "Warning", "reason": "Lost", "message": "lost it",
        "involvedObject": {"kind": "Widget", "apiVersion": f"{GROUP}/v1", "name": "w", "namespace": t.ns}}).expect(201)
    t.kubectl("get", "events").expect(re.compile(r"^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n.*Warning +Lost +widget/w +lost it\n"))
    t.kubectl("events", "--types=Warning").expect(re.compile(r"Warning +Lost +Widget/w +lost it"))
    t.kubectl("events", "--for", f"widget.{GROUP}/w").expect(re.compile("lost it"))


@row("kubectl explain prints kind, version, descriptions, types and enums of a field")
def explain(t):
    t.namespace()
    t.kubectl("explain", "widget").expect([
        re.compile(rf"^GROUP: +{GROUP}\nKIND: +Widget\nVERSION: +v1\n"),
        re.compile("Widget is what the conformance rows make"), re.compile(r"  spec\t<Object> -required-\n +What is wanted")])
    t.kubectl("explain", "widget.spec.size").expect(re.compile("FIELD: size <integer>.*How big the widget is, from 1 to 10", re.S))
    t.kubectl("explain", "widget.spec.color").expect(re.compile(r"(?i)enum:\s+red,?\s+green,?\s+blue"))
    t.kubectl("explain", "widget", "--recursive").expect(re.compile(r"  parts\t<\[\]Object>\n +count\t<integer>\n"))
    t.kubectl("explain", "widget.spec.nothing").expect(code=1, err='error: field "nothing" does not exist\n')
    t.kubectl("explain", "configmap.data").expect(re.compile(r"FIELD: data <map\[string\]string>"))


@row("kubectl wait for a condition, a JSON path, creation and deletion")
def wait(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("wait", "--for=condition=Ready", "widget/w", "--timeout=1s").expect(
        code=1, err=re.compile("timed out waiting for the condition on widgets/w"))
    ready(t)
    t.kubectl("wait", "--for=condition=Ready", "widget/w").expect(f"widget.{GROUP}/w condition met\n")
    t.kubectl("wait", "--for=jsonpath={.spec.size}=1", "widget/w").expect(f"widget.{GROUP}/w condition met\n")
    t.kubectl("wait", "--for=create", "widget/w").expect(f"widget.{GROUP}/w condition met\n")
    t.kubectl("wait", "--for=delete", "widget/never").expect()


@row("kubectl wait sees the change while it waits")
def wait_live(t):
    t.post(WIDGETS, widget()).expect(201)
    running = t.start_kubectl("wait", "--for=condition=Ready", "widget/w", "--timeout=50s")
    time.sleep(1)
    ready(t)
    running.expect("condition met")
    assert running.ended() == 0
    running = t.start_kubectl("wait", "--for=delete", "widget/w", "--timeout=50s")
    time.sleep(1)
    t.delete(f"{WIDGETS}/w").expect(200)
    assert running.ended() == 0


@row("kubectl scale sets replicas; --current-replicas is a precondition")
def scale(t):
    t.post(WIDGETS, widget()).expect(201)
    t.kubectl("scale", "widget/w", "--replicas=3").expect(f"widget.{GROUP}/w scaled\n")
    t.get(f"{WIDGETS}/w").expect(200, {"spec": {"replicas": 3}})
    t.kubectl("scale", "widget/w", "--current-replicas=9", "--replicas=4").expect(
        code=1, err=re.compile("Expected replicas to be 9, was 3"))
    t.kubectl("scale", "wd/w", "--current-replicas=3", "--replicas=4").expect()
    t.kubectl("get", "widget", "w", "--subresource=scale", "-o", "json").expect_json({"kind": "Scale", "spec": {"replicas": 4}})


@row("kubectl auth can-i, --list and whoami")
def can_i(t):
    t.namespace()
    t.kubectl("auth", "can-i", "create", f"widgets.{GROUP}").expect("yes\n")
    t.kubectl("auth", "can-i", "create", f"widgets.{GROUP}", "--as=nobody").expect("no\n", code=1)
    t.kubectl("auth", "can-i", "--list").expect(re.compile(r"^Resources +Non-Resource URLs"))
    t.kubectl("auth", "whoami", "-o", "json").expect_json({"status": {"userInfo": {"groups": Has("system:authenticated")}}})


@row("kubectl shows a refusal: Forbidden with user and verb")
def forbidden(t):
    t.namespace()
    t.kubectl("get", "widgets", "--as=nobody").expect(code=1, err=(
        f'Error from server (Forbidden): widgets.{GROUP} is forbidden: User "nobody" cannot list resource "widgets" in API '
        f'group "{GROUP}" in the namespace "{t.ns}"\n'))


@row("kubectl api-resources and api-versions list the custom resource")
def api_resources(t):
    t.namespace()
    t.kubectl("api-resources", f"--api-group={GROUP}").expect(re.compile(
        rf"^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\n(.*\n)*widgets +wd +{GROUP}/v1 +true +Widget\n"))
    t.kubectl("api-resources", "--categories=conformance", "-o", "name").expect(f"widgets.{GROUP}\n")
    t.kubectl("api-versions").expect(re.compile(rf"^{GROUP}/v1\n", re.M))


@row("kubectl version and get --raw answer")
def server(t):
    t.namespace()
    t.kubectl("version", "-o", "json").expect_json({"serverVersion": {"major": "1"}})
    t.kubectl("get", "--raw", "/readyz").expect("ok")


@row("kubectl delete namespace --wait=false marks it Terminating")
def delete_namespace(t):
    t.namespace()
    t.kubectl("delete", "namespace", t.ns, "--wait=false").expect(f'namespace "{t.ns}" deleted\n')
    answer = t.get("/api/v1/namespaces/{ns}")
    if answer.status != 404:
        answer.expect(200, {"status": {"phase": "Terminating"}})
