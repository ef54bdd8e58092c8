"""Who may do what: authentication, RBAC, reviews."""

import re

from pattern import ABSENT, ANY, Has
from row import GROUP, WIDGETS, config_map, row, status, widget

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"
SECRETS = "/api/v1/namespaces/{ns}/secrets"


def grant(t, user, rules, name="reader"):
    """Binds a user to a Role of these rules in the row's namespace."""
    t.post(f"{RBAC}/namespaces/{{ns}}/roles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                                               "metadata": {"name": name}, "rules": rules}).expect(201)
    t.post(f"{RBAC}/namespaces/{{ns}}/rolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}]}).expect(201)
    as_user = {"Impersonate-User": user}
    t.eventually("the grant holds", lambda: t.get(CONFIG_MAPS, headers=as_user).status != 403 or not any(
        "configmaps" in rule.get("resources", []) for rule in rules))
    return as_user


READ = [{"apiGroups": [GROUP], "resources": ["widgets"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]


@row("A request without credentials is anonymous: 403 that says so; a wrong token is 401")
def authentication(t):
    t.get(CONFIG_MAPS, headers={"Authorization": None}).expect((401, 403), {"kind": "Status", "status": "Failure"})
    t.get(CONFIG_MAPS, headers={"Authorization": "Bearer nonsense"}).expect(401, status(
        401, "Unauthorized", "Unauthorized"))


@row("A user without rights gets 403 with user, verb, resource, group and namespace in the message")
def forbidden(t):
    t.namespace()
    t.get(WIDGETS, headers={"Impersonate-User": "nobody"}).expect(403, status(
        403, "Forbidden", f'widgets.{GROUP} is forbidden: User "nobody" cannot list resource "widgets" in API group '
        f'"{GROUP}" in the namespace "{t.ns}"', group=GROUP, kind="widgets"))
    t.get(f"{CONFIG_MAPS}/c", headers={"Impersonate-User": "nobody"}).expect(403, status(
        403, "Forbidden", f'configmaps "c" is forbidden: User "nobody" cannot get resource "configmaps" in API group "" in '
        f'the namespace "{t.ns}"', name="c", kind="configmaps"))
    t.get("/api/v1/namespaces", headers={"Impersonate-User": "nobody"}).expect(403, {
        "message": 'namespaces is forbidden: User "nobody" cannot list resource "namespaces" in API group "" at the cluster '
                   "scope"})


@row("A read-only user reads, and can neither write nor read a Secret")
def read_only(t):
    t.post(WIDGETS, widget()).expect(201)
    reader = grant(t, "reader", READ)
    t.get(WIDGETS, headers=reader).expect(200, {"items": [{"metadata": {"name": "w"}}]})
    t.get(f"{WIDGETS}/w", headers=reader).expect(200, {"kind": "Widget"})
    t.post(WIDGETS, widget("v"), headers=reader).expect(403, {"reason": "Forbidden", "message": re.compile(
        'User "reader" cannot create resource "widgets"')})
    t.put(f"{WIDGETS}/w", widget(), headers=reader).expect(403, {"message": re.compile("cannot update resource")})
    t.patch(f"{WIDGETS}/w", {}, "application/merge-patch+json", headers=reader).expect(403, {
        "message": re.compile("cannot patch resource")})
    t.delete(f"{WIDGETS}/w", headers=reader).expect(403, {"message": re.compile("cannot delete resource")})
    t.delete(WIDGETS, headers=reader).expect(403, {"message": re.compile("cannot deletecollection resource")})
    t.get(SECRETS, headers=reader).expect(403, {"message": re.compile('cannot list resource "secrets"')})


@row("Rights in one namespace are none in another, nor over all")
def one_namespace(t):
    reader = grant(t, "local-reader", READ)
    t.get(f"/apis/{GROUP}/v1/namespaces/default/widgets", headers=reader).expect(403, {"reason": "Forbidden"})
    t.get(f"/apis/{GROUP}/v1/widgets", headers=reader).expect(403, {"message": re.compile("at the cluster scope$")})


@row("resourceNames limit a rule to these objects")
def resource_names(t):
    for name in "ab":
        t.post(CONFIG_MAPS, config_map(name)).expect(201)
    as_user = grant(t, "namer", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["a"]},
                                 {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}])
    t.get(f"{CONFIG_MAPS}/a", headers=as_user).expect(200, {"kind": "ConfigMap"})
    t.get(f"{CONFIG_MAPS}/b", headers=as_user).expect(403, {"reason": "Forbidden"})


@row("Subresources are rights of their own")
def subresources(t):
    t.post(WIDGETS, widget()).expect(201)
    as_user = grant(t, "setter", [{"apiGroups": [GROUP], "resources": ["widgets/status"], "verbs": ["patch"]},
                                  {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}])
    merge = "application/merge-patch+json"
    t.patch(f"{WIDGETS}/w/status", {"status": {"replicas": 1}}, merge, headers=as_user).expect(200, {"kind": "Widget"})
    t.patch(f"{WIDGETS}/w", {}, merge, headers=as_user).expect(403, {"message": re.compile('resource "widgets"')})
    t.patch(f"{WIDGETS}/w/scale", {}, merge, headers=as_user).expect(403, {"message": re.compile('resource "widgets/scale"')})


@row("A ClusterRole bound by a RoleBinding holds in that namespace; groups are subjects, too")
def groups(t):
    name = f"row-{t.ns}"
    t.post(f"{RBAC}/clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {
        "name": name}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["list"]}]}).expect(201)
    t.post(f"{RBAC}/namespaces/{{ns}}/rolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "b"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": name}]}).expect(201)
    member = {"Impersonate-User": "member", "Impersonate-Group": name}
    t.eventually("the group may list", lambda: t.get(SECRETS, headers=member).status == 200)
    t.get("/api/v1/secrets", headers=member).expect(403, {"reason": "Forbidden"})
    t.get(SECRETS, headers={"Impersonate-User": "member"}).expect(403, {"reason": "Forbidden"})
    t.delete(f"{RBAC}/clusterroles/{name}").expect(200)


@row("A ClusterRoleBinding holds everywhere, and ends with it")
def cluster_wide(t):
    name = f"row-{t.ns}"
    t.namespace()
    t.post(f"{RBAC}/clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {
        "name": name}, "rules": [{"apiGroups": [GROUP], "resources": ["widgets"], "verbs": ["list"]}]}).expect(201)
    t.post(f"{RBAC}/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": name}]}).expect(201)
    as_user = {"Impersonate-User": name}
    t.eventually("the user may list", lambda: t.get(f"/apis/{GROUP}/v1/widgets", headers=as_user).status == 200)
    t.delete(f"{RBAC}/clusterrolebindings/{name}").expect(200)
    t.eventually("the user may not list", lambda: t.get(f"/apis/{GROUP}/v1/widgets", headers=as_user).status == 403)
    t.get(f"/apis/{GROUP}/v1/widgets", headers=as_user).expect(403, {"reason": "Forbidden", "message": re.compile(
        f'widgets.{GROUP} is forbidden: User "{name}" cannot list resource "widgets" in API group "{GROUP}" at the cluster scope')})
    t.delete(f"{RBAC}/clusterroles/{name}").expect(200)


@row("SelfSubjectAccessReview answers allowed with a reason, and not allowed")
def self_review(t):
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {
        "resourceAttributes": {"group": GROUP, "resource": "widgets", "verb": "create", "namespace": t.namespace()}}}
    t.post(f"{REVIEWS}/selfsubjectaccessreviews", review).expect(201, {
        "kind": "SelfSubjectAccessReview", "spec": review["spec"], "status": {"allowed": True}})
    t.post(f"{REVIEWS}/selfsubjectaccessreviews", review, headers={"Impersonate-User": "nobody"}).expect(201, {
        "status": {"allowed": False}})


@row("SubjectAccessReview answers for another user, also for paths")
def review(t):
    grant(t, "reviewed", READ)

    def allowed(**spec):
        return t.post(f"{REVIEWS}/subjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}).expect(
                201, {"status": {"allowed": ANY}})["status"]["allowed"]

    attributes = {"group": GROUP, "resource": "widgets", "namespace": t.ns}
    assert allowed(user="reviewed", resourceAttributes={**attributes, "verb": "list"})
    assert not allowed(user="reviewed", resourceAttributes={**attributes, "verb": "delete"})
    assert allowed(user="root", groups=["system:masters"], resourceAttributes={**attributes, "verb": "delete"})
    assert allowed(user="reviewed", groups=["system:authenticated"], nonResourceAttributes={"path": "/version", "verb": "get"})
    assert not allowed(user="reviewed", nonResourceAttributes={"path": "/secret", "verb": "get"})


@row("SelfSubjectRulesReview lists the rules of a user in a namespace")
def rules_review(t):
    reader = grant(t, "ruled", READ)
    t.post(f"{REVIEWS}/selfsubjectrulesreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": t.ns}},
           headers={**reader, "Impersonate-Group": "system:authenticated"}).expect(201, {"status": {
               "incomplete": False, "resourceRules": Has(
                   {"verbs": ["get", "list", "watch"], "apiGroups": [GROUP], "resources": ["widgets"]})}})


@row("SelfSubjectReview says who one is")
def who_am_i(t):
    t.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers={
            "Impersonate-User": "someone", "Impersonate-Group": "some"}).expect(201, {"status": {"userInfo": {
                "username": "someone", "groups": Has("some", "system:authenticated")}}})


@row("Who may not impersonate gets 403")
def impersonation(t):
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
        "user": "nobody", "resourceAttributes": {"resource": "users", "verb": "impersonate", "name": "admin"}}}
    t.post(f"{REVIEWS}/subjectaccessreviews", body).expect(201, {"status": {"allowed": False, "denied": ABSENT}})


@row("Nobody grants by a Role more than he has; escalation is 403")
def escalation(t):
    as_user = grant(t, "granter", [
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["create"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}])
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "more"}, "rules": [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}
    t.post(f"{RBAC}/namespaces/{{ns}}/roles", role, headers=as_user).expect(403, {"message": re.compile(
        r'user "granter" \(groups=\[.*\]\) is attempting to grant RBAC permissions not currently held')})
    role["rules"] = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
    t.post(f"{RBAC}/namespaces/{{ns}}/roles", role, headers=as_user).expect(201, {"kind": "Role"})


@row("The roleRef of a binding is immutable")
def role_reference(t):
    grant(t, "bound", READ)
    t.patch(f"{RBAC}/namespaces/{{ns}}/rolebindings/reader", {"roleRef": {"name": "other"}},
            "application/merge-patch+json").expect(422, {"message": re.compile("roleRef: Invalid value: .*: field is immutable")})


@row("The roles view, edit, admin and cluster-admin are there")
def default_roles(t):
    for name in ("view", "edit", "admin", "cluster-admin"):
        t.get(f"{RBAC}/clusterroles/{name}").expect(200, {"kind": "ClusterRole", "metadata": {"name": name}})
    t.get(f"{RBAC}/clusterroles/cluster-admin").expect(200, {"rules": Has(
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]})})


@row("A ServiceAccount's token of the TokenRequest API is accepted and has the account's rights")
def service_account(t):
    accounts = "/api/v1/namespaces/{ns}/serviceaccounts"
    t.post(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}).expect(201)
    answer = t.post(f"{accounts}/robot/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                                "spec": {"expirationSeconds": 600}}).expect(201, {
                                                    "kind": "TokenRequest", "status": {"token": ANY, "expirationTimestamp": ANY}})
    bearer = {"Authorization": f"Bearer {answer['status']['token']}"}
    t.get(CONFIG_MAPS, headers=bearer).expect(403, {"message": re.compile(
        f'User "system:serviceaccount:{t.ns}:robot" cannot list resource "configmaps"')})
    grant(t, f"system:serviceaccount:{t.ns}:robot", READ)
    t.get(CONFIG_MAPS, headers=bearer).expect(200, {"kind": "ConfigMapList"})
