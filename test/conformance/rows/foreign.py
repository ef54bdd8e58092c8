"""Definitions of others, as they are published: taken, established, and their schemas and CEL rules held."""

import re
import threading

import foreign
from pattern import ABSENT, ANY, Has, Not, mismatch
from row import DEFINITIONS, row

SOURCES = "/apis/source.toolkit.fluxcd.io/v1/namespaces/{ns}"
KUSTOMIZATIONS = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{ns}/kustomizations"
FLUX, GATEWAY = "definitions of flux", "definitions of gateway"
LOCK = threading.Lock()


def installed(t, project):
    """The definitions of a project, once they are established. They stay: rows share them."""
    files = foreign.definition_files(project)
    with LOCK:
        for file in files:
            answer = t.call("POST", DEFINITIONS, file.read_text(encoding="utf-8"), "application/yaml")
            if answer.status != 409:
                answer.expect(201, {"kind": "CustomResourceDefinition"})
    established = {"status": {"conditions": Has({"type": "Established", "status": "True"},
                                                {"type": "NamesAccepted", "status": "True"})}}
    listed = []
    for name in [made["metadata"]["name"] for made in t.get(DEFINITIONS).expect(200)["items"]]:
        if name.split(".", 1)[1] not in ("source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "gateway.networking.k8s.io"):
            continue
        t.eventually(f"{name} is established", lambda name=name: not mismatch(established, t.get(f"{DEFINITIONS}/{name}").json))
        body = t.get(f"{DEFINITIONS}/{name}").expect(200, established)
        listed.append(body)
        version = next(one["name"] for one in body["spec"]["versions"] if one["storage"])
        path = f"/apis/{body['spec']['group']}/{version}/{body['spec']['names']['plural']}"
        t.eventually(f"{path} is served", lambda path=path: t.get(path).status == 200)
    return listed


def source(kind, name="s", **spec):
    return {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind, "metadata": {"name": name}, "spec": {
        "interval": "1m", **spec}}


def kustomization(**spec):
    return {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "k"}, "spec": {
        "interval": "1m", "prune": True, "sourceRef": {"kind": "GitRepository", "name": "s"}, **spec}}


@row("Flux's definitions are taken and established", needs=FLUX)
def flux_established(t):
    names = {body["metadata"]["name"] for body in installed(t, "flux")}
    assert {"kustomizations.kustomize.toolkit.fluxcd.io", "gitrepositories.source.toolkit.fluxcd.io",
            "buckets.source.toolkit.fluxcd.io", "helmcharts.source.toolkit.fluxcd.io"} <= names, names
    t.get("/apis/source.toolkit.fluxcd.io/v1").expect(200, {"resources": Has(
        {"name": "gitrepositories", "shortNames": ["gitrepo"], "categories": ["all", "fluxcd", "fluxcd-sources"]},
        {"name": "gitrepositories/status"})})


@row("A GitRepository and a Kustomization of Flux get their defaults, and their status as Flux writes it", needs=FLUX)
def flux_defaults(t):
    installed(t, "flux")
    t.post(f"{SOURCES}/gitrepositories", source("GitRepository", url="https://example.com/r")).expect(201, {
        "spec": {"timeout": "60s", "interval": "1m", "url": "https://example.com/r"},
        "status": {"observedGeneration": -1}})
    t.post(KUSTOMIZATIONS, kustomization(surprise=1)).expect(201, {
        "spec": {"force": False, "surprise": ABSENT}, "status": {"observedGeneration": -1}})
    digest = "sha256:" + "0" * 64
    t.patch(f"{SOURCES}/gitrepositories/s/status", {"status": {"observedGeneration": 1, "artifact": {
        "url": "http://127.0.0.1/a.tar.gz", "path": "a", "revision": "main@sha1:0", "digest": digest,
        "lastUpdateTime": "2026-01-02T03:04:05Z"}, "conditions": [
            {"type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored",
             "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}, "application/merge-patch+json").expect(200, {
                 "status": {"observedGeneration": 1, "artifact": {"digest": digest}}, "metadata": {"generation": 1}})


@row("Flux's patterns, enums and required fields refuse", needs=FLUX)
def flux_schema(t):
    installed(t, "flux")
    for body, message in (
            (source("GitRepository", url="ftp://example.com"), r'spec\.url: Invalid value: "ftp://example\.com".*should match'),
            (source("GitRepository", url="https://x", interval="1 minute"), r'spec\.interval: Invalid value: "1 minute"'),
            (source("GitRepository"), r"spec\.url: Required value"),
            (source("GitRepository", url="https://x", provider="gitlab"),
             r'spec\.provider: Unsupported value: "gitlab": supported values: "generic", "aws", "azure", "github"')):
        t.post(f"{SOURCES}/gitrepositories", body).expect(422, {"reason": "Invalid", "message": re.compile(message)})


@row("Flux's CEL rules hold, with their messages", needs=FLUX)
def flux_rules(t):
    installed(t, "flux")
    bucket = {"bucketName": "b", "endpoint": "e"}
    sts = {"provider": "aws", "endpoint": "https://sts.example.com"}
    for plural, body, message in (
            ("buckets", source("Bucket", **bucket, provider="gcp", sts=sts),
             "STS configuration is only supported for the 'aws' and 'generic' Bucket providers"),
            ("buckets", source("Bucket", **bucket, provider="generic", sts=sts),
             "'ldap' is the only supported STS provider for the 'generic' Bucket provider"),
            ("buckets", source("Bucket", **bucket, provider="aws", sts={**sts, "secretRef": {"name": "x"}}),
             "spec.sts.secretRef is not required for the 'aws' STS provider"),
            ("buckets", source("Bucket", **bucket, provider="aws", secretRef={"name": "x"}, serviceAccountName="y"),
             "cannot set both .spec.secretRef and .spec.serviceAccountName"),
            ("gitrepositories", source("GitRepository", url="https://x", serviceAccountName="x"),
             "serviceAccountName can only be set when provider is 'azure' or 'aws'"),
            ("helmcharts", source("HelmChart", chart="c", sourceRef={"kind": "Bucket", "name": "b"}, verify={"provider": "cosign"}),
             "spec.verify is only supported when spec.sourceRef.kind is 'HelmRepository'")):
        t.post(f"{SOURCES}/{plural}", body).expect(422, {"reason": "Invalid", "message": re.compile(re.escape(message))})
    t.post(f"{SOURCES}/buckets", source("Bucket", **bucket, provider="aws", sts=sts)).expect(201, {"spec": {"sts": sts}})
    t.post(KUSTOMIZATIONS, kustomization(kubeConfig={})).expect(422, {"message": re.compile(
        "exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified")})


@row("kubectl shows objects of Flux in their columns, by short name and category, and explains them", needs=FLUX)
def flux_kubectl(t):
    installed(t, "flux")
    t.post(f"{SOURCES}/gitrepositories", source("GitRepository", url="https://example.com/r")).expect(201)
    t.kubectl("get", "gitrepo").expect(re.compile(r"^NAME +URL +AGE +READY +STATUS *\ns +https://example.com/r +\d+s"))
    t.kubectl("get", "fluxcd").expect(re.compile(r"gitrepository.source.toolkit.fluxcd.io/s +https://example.com/r"))
    t.kubectl("explain", "gitrepository.spec.interval").expect(re.compile(r"FIELD: interval <string>"))


@row("The definitions of the Gateway API are taken and established, with several versions and scopes", needs=GATEWAY)
def gateway_established(t):
    installed(t, "gateway")
    t.get("/apis/gateway.networking.k8s.io/v1").expect(200, {"resources": Has(
        {"name": "gateways", "namespaced": True, "shortNames": ["gtw"]}, {"name": "gatewayclasses", "namespaced": False},
        {"name": "httproutes"})})
    t.get("/apis/gateway.networking.k8s.io/v1beta1").expect(200, {"resources": Has({"name": "gateways"})})


@row("The CEL rules of the Gateway API hold: over lists, of several fields, with optional ones", needs=GATEWAY)
def gateway_rules(t):
    installed(t, "gateway")
    gateways, routes = (f"/apis/gateway.networking.k8s.io/v1/namespaces/{{ns}}/{plural}" for plural in ("gateways", "httproutes"))

    def gateway(*listeners):
        return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "g"}, "spec": {
            "gatewayClassName": "c", "listeners": list(listeners)}}

    def route(*rules):
        return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "r"}, "spec": {
            "rules": list(rules)}}

    http = {"name": "http", "port": 80, "protocol": "HTTP"}
    for body, message in (
            (gateway(http, {**http, "port": 81}), "Listener name must be unique within the Gateway"),
            (gateway(http, {**http, "name": "other"}), "Combination of port, protocol and hostname must be unique for each listener"),
            (gateway({**http, "tls": {"mode": "Terminate"}}), "tls must not be specified for protocols"),
            (gateway({"name": "t", "port": 443, "protocol": "HTTPS", "tls": {"mode": "Terminate"}}),
             "certificateRefs or options must be specified when mode is Terminate")):
        t.post(gateways, body).expect(422, {"message": re.compile(message)})
    t.post(gateways, gateway(http, {**http, "name": "other", "hostname": "example.com"})).expect(201, {
        "spec": {"listeners": [{"allowedRoutes": {"namespaces": {"from": "Same"}}}, {"hostname": "example.com"}]},
        "status": Not(None)})
    redirect = {"type": "RequestRedirect", "requestRedirect": {"statusCode": 301}}
    for body, message in (
            (route({"filters": [redirect, redirect]}), "RequestRedirect filter cannot be repeated"),
            (route({"filters": [redirect], "backendRefs": [{"name": "b", "port": 80}]}),
             "RequestRedirect filter must not be used together with backendRefs"),
            (route({"backendRefs": [{"name": "b"}]}), "Must have port for Service reference"),
            (route({"matches": [{"path": {"type": "PathPrefix", "value": "a"}}]}),
             "value must be an absolute path and start with '/'")):
        t.post(routes, body).expect(422, {"message": re.compile(message)})
    t.post(routes, route({"backendRefs": [{"name": "b", "port": 80}]})).expect(201, {"spec": {"rules": [{
        "matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [{"weight": 1, "kind": "Service"}]}]},
        "metadata": {"uid": ANY}})
