"""ValidatingAdmissionPolicies: rules in CEL of the writes of all kinds."""

import contextlib
import pathlib
import re

from pattern import ANY
from row import GROUP, WIDGETS, row, widget
from rows.access import grant

POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"


def policy(t, validations, operations=("CREATE", "UPDATE"), **spec):
    """A policy for the Widgets of the row's namespace."""
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": t.namespace()},
            "spec": {"matchConstraints": {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": t.ns}},
                "resourceRules": [{"apiGroups": [GROUP], "apiVersions": ["v1"], "operations": list(operations),
                                   "resources": ["widgets"]}]}, "validations": validations, **spec}}


def binding(t, *actions):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": t.ns}, "spec": {"policyName": t.ns, "validationActions": list(actions)}}


@contextlib.contextmanager
def in_force(t, made, actions=("Deny",)):
    """The policy is in force, as soon as a Widget named `refused` of size 9 is refused or warned of."""
    try:
        t.post(POLICIES, made).expect(201)
        t.post(BINDINGS, binding(t, *actions)).expect(201)
        yield
    finally:
        t.delete(f"{BINDINGS}/{t.ns}")
        t.delete(f"{POLICIES}/{t.ns}")


def refusal(t, body, **how):
    """The answer to a create, as soon as it is refused."""
    return t.eventually("a refusal", lambda: (lambda answer: answer if answer.status >= 400 else None)(
        t.post(WIDGETS, body, dryRun="All", **how)))


@row("A ValidatingAdmissionPolicy gets its defaults")
def defaults(t):
    made = policy(t, [{"expression": "true"}])
    try:
        t.post(POLICIES, made).expect(201, {"metadata": {"generation": 1}, "spec": {
            "failurePolicy": "Fail", "matchConstraints": {"matchPolicy": "Equivalent", "objectSelector": {}, "resourceRules": [
                {"scope": "*", "operations": ["CREATE", "UPDATE"]}]}}})
        t.get(f"{POLICIES}/{t.ns}").expect(200, {"spec": {"validations": [{"expression": "true"}]}})
    finally:
        t.delete(f"{POLICIES}/{t.ns}").expect(200)


@row("A policy whose expression does not compile, or is no bool, is 422 with its path")
def bad_expressions(t):
    for expression, path, why in (("object.", "spec.validations[0].expression", "Syntax error"),
                                  ("1 + 1", "spec.validations[0].expression", "must evaluate to bool|must evaluate to a bool"),
                                  ("unknown.spec", "spec.validations[0].expression", "undeclared reference to 'unknown'"),
                                  ("variables.nope", "spec.validations[0].expression", "undeclared reference to 'variables'"),
                                  ("", "spec.validations[0].expression", "expression is not specified")):
        t.post(POLICIES, policy(t, [{"expression": expression}])).expect(422, {"reason": "Invalid", "message": re.compile(
            re.escape(path) + ".*(" + why + ")", re.S)})


@row("A policy needs resource rules and validations, a binding a policy and an action; unknown words are 422")
def incomplete(t):
    made = policy(t, [])
    t.post(POLICIES, made).expect(422, {"message": re.compile("spec.validations")})
    made = policy(t, [{"expression": "true"}], failurePolicy="Perhaps")
    t.post(POLICIES, made).expect(422, {"message": re.compile('spec.failurePolicy: .*"Perhaps".*"Fail", "Ignore"')})
    t.post(BINDINGS, binding(t)).expect(422, {"message": re.compile("spec.validationActions: Required value")})
    t.post(BINDINGS, binding(t, "Shout")).expect(422, {"message": re.compile('spec.validationActions.*: .*"Shout"')})
    t.post(BINDINGS, binding(t, "Deny", "Warn")).expect(422, {"message": re.compile("must not contain both Deny and Warn")})


@row("What a policy denies is 422 with policy, binding and message; what it allows passes")
def denied(t):
    made = policy(t, [{"expression": "object.spec.size < 5", "message": "too big"}])
    with in_force(t, made):
        answer = refusal(t, widget(spec={"size": 9}))
        answer.expect(422, {"reason": "Invalid", "message": (
            f'widgets.{GROUP} "w" is forbidden: ValidatingAdmissionPolicy \'{t.ns}\' with binding \'{t.ns}\' denied request: '
            "too big"), "details": {"causes": [{"message": ANY}]}})
        t.post(WIDGETS, widget(spec={"size": 3})).expect(201)
        t.patch(f"{WIDGETS}/w", {"spec": {"size": 7}}, "application/merge-patch+json").expect(422)
        t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 3}})
    t.eventually("the policy is gone", lambda: t.patch(
        f"{WIDGETS}/w", {"spec": {"size": 7}}, "application/merge-patch+json").status == 200)


@row("A rule's reason decides the code; its message may be an expression; without one the expression is told")
def messages(t):
    made = policy(t, [{"expression": "object.spec.size != 9", "reason": "Forbidden",
                       "messageExpression": "'size ' + string(object.spec.size) + ' of ' + request.userInfo.username"},
                      {"expression": "object.spec.size != 8"}])
    with in_force(t, made):
        refusal(t, widget(spec={"size": 9})).expect(403, {"reason": "Forbidden", "message": re.compile(
            "denied request: size 9 of .+")})
        refusal(t, widget(spec={"size": 8})).expect(422, {"message": re.compile(
            re.escape("failed expression: object.spec.size != 8"))})


@row("A binding that only warns lets the write pass with a Warning header")
def warned(t):
    made = policy(t, [{"expression": "object.spec.size < 5", "message": "rather big"}])
    with in_force(t, made, ("Warn",)):
        answer = t.eventually("a warning", lambda: (lambda answer: answer if answer.headers.get("Warning") else None)(
            t.post(WIDGETS, widget(spec={"size": 9}), dryRun="All")))
        answer.expect(201, {"spec": {"size": 9}}, headers={"Warning": re.compile(
            f"Validation failed for ValidatingAdmissionPolicy '{t.ns}' with binding '{t.ns}': rather big")})


@row("Variables, oldObject, namespaceObject and match conditions are there for rules")
def surroundings(t):
    made = policy(t, [{"expression": "variables.grown < 5", "message": "grows too fast"}], operations=["UPDATE", "CREATE"],
                  variables=[{"name": "before", "expression": "oldObject == null ? 0 : oldObject.spec.size"},
                             {"name": "here", "expression": "namespaceObject.metadata.name == request.namespace"},
                             {"name": "grown", "expression": "variables.here ? object.spec.size - variables.before : 0"}],
                  matchConditions=[{"name": "not-free", "expression": "object.metadata.name != 'free'"},
                                   {"name": "no-deletion", "expression": "request.operation != 'DELETE'"}])
    with in_force(t, made):
        refusal(t, widget(spec={"size": 9})).expect(422, {"message": re.compile("grows too fast")})
        t.post(WIDGETS, widget("free", spec={"size": 9})).expect(201)
        t.post(WIDGETS, widget(spec={"size": 4})).expect(201)
        t.patch(f"{WIDGETS}/w", {"spec": {"size": 8}}, "application/merge-patch+json").expect(200, {"spec": {"size": 8}})


@row("A rule that cannot be evaluated denies, unless the policy says otherwise")
def failures(t):
    made = policy(t, [{"expression": "object.spec.nope == 1"}])
    with in_force(t, made):
        refusal(t, widget()).expect(422, {"message": re.compile(
            re.escape("expression 'object.spec.nope == 1' resulted in error: no such key: nope"))})


@row("With failurePolicy Ignore, a rule that cannot be evaluated is passed over; the others hold")
def ignored_failures(t):
    made = policy(t, [{"expression": "object.spec.nope == 1"}, {"expression": "object.spec.size < 5"}], failurePolicy="Ignore")
    with in_force(t, made):
        refusal(t, widget(spec={"size": 9})).expect(422, {"message": re.compile("object.spec.size < 5")})
        t.post(WIDGETS, widget()).expect(201)


@row("A policy may ask for a right of its own: a verb that no request has")
def virtual_verb(t):
    made = policy(t, [{"expression": f"authorizer.group('{GROUP}').resource('widgets').namespace(request.namespace)"
                                     ".name(oldObject.metadata.name).check('destroy').allowed()",
                       "message": "the verb destroy is missing", "reason": "Forbidden"}], operations=["DELETE"])
    verbs = ["create", "get", "list", "delete", "deletecollection"]
    editor = grant(t, "editor", [{"apiGroups": [GROUP], "resources": ["widgets"], "verbs": verbs}], "editor")
    owner = grant(t, "owner", [{"apiGroups": [GROUP], "resources": ["widgets"], "verbs": [*verbs, "destroy"]}], "owner")
    t.eventually("both grants hold", lambda: t.get(WIDGETS, headers=editor).status == 200 and t.get(
        WIDGETS, headers=owner).status == 200)
    t.post(WIDGETS, widget()).expect(201)
    with in_force(t, made):
        t.eventually("a refusal", lambda: t.delete(f"{WIDGETS}/w", headers=editor, dryRun="All").status == 403)
        t.delete(f"{WIDGETS}/w", headers=editor).expect(403, {"message": re.compile("the verb destroy is missing")})
        t.delete(WIDGETS, headers=editor).expect(403)
        t.get(f"{WIDGETS}/w").expect(200, {"spec": {"size": 1}})
        t.delete(f"{WIDGETS}/w", headers=owner).expect(200)
        t.get(f"{WIDGETS}/w").expect(404)


@row("Who may edit Clusters may not destroy them: the verb destroy is asked for, whoever else is down")
def destroy(t):
    definitions = pathlib.Path(__file__).resolve().parents[3] / "crds"
    for name in ("cluster.yaml", "destroy.yaml"):
        t.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(definitions / name)).expect()
    clusters = "/apis/atoll.dev/v1alpha1/namespaces/{ns}/clusters"
    rule = {"apiGroups": ["atoll.dev"], "resources": ["clusters"]}
    verbs = ["create", "get", "list", "update", "patch", "delete", "deletecollection"]
    editor = grant(t, "editor", [{**rule, "verbs": verbs}], "editor")
    owner = grant(t, "owner", [{**rule, "verbs": [*verbs, "destroy"]}], "owner")
    t.eventually("Clusters are served", lambda: t.get(clusters, headers=editor).status == 200)
    t.eventually("both grants hold", lambda: t.get(clusters, headers=owner).status == 200)
    t.post(clusters, {"apiVersion": "atoll.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "c"}, "spec": {
        "paused": True, "infrastructure": {"local": {}}, "orchestrator": {"none": {}}}}, headers=editor).expect(201)
    t.eventually("a refusal", lambda: t.delete(f"{clusters}/c", headers=editor, dryRun="All").status == 403)
    for path in (f"{clusters}/c", clusters):
        t.delete(path, headers=editor).expect(403, {"reason": "Forbidden", "message": re.compile(
            "'destroy.atoll.dev' denied request: user \"editor\" may not destroy .* the verb destroy on clusters.atoll.dev is missing")})
    t.get(f"{clusters}/c").expect(200, {"metadata": {"name": "c"}})
    t.delete(f"{clusters}/c", headers=owner).expect(200)
    t.eventually("the Cluster is gone", lambda: t.get(f"{clusters}/c").status == 404)
