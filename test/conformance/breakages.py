"""Behaviours that can be switched off, each with the row that notices: `scripts/conformance --prove`."""

import json

from breaking_proxy import Exchange  # noqa: F401  (what the functions below get)

BREAKAGES = []


class Breakage:
    """A server without one behaviour. `sentence` is the row (theme and sentence) that must fail on it."""

    def __init__(self, name, sentence, ask=None, reply=None, event=None):
        self.name, self.sentence = name, sentence
        self._ask, self._reply, self._event = ask, reply, event

    def ask(self, exchange, upstream):
        """Changes a request on its way to the server; `upstream` asks the server something else first."""
        if self._ask:
            self._ask(exchange, upstream)

    def reply(self, exchange):
        """Changes an answer that is no stream."""
        if self._reply:
            self._reply(exchange)

    def event(self, exchange, event):
        """Changes an event of a watch; None loses it."""
        return self._event(exchange, event) if self._event else event


def breakage(name, sentence, hook="ask"):
    """Registers the function below as what breaks a request (ask), an answer (reply) or an event of a watch (event)."""

    def register(function):
        BREAKAGES.append(Breakage(name, sentence, **{hook: function}))
        return function

    return register


def without(name, sentence, *parameters):
    """A server that does not know these parameters of the query."""
    BREAKAGES.append(Breakage(name, sentence, ask=lambda exchange, _: exchange.drop(*parameters)))


def is_object(answer):
    return isinstance(answer, dict) and "metadata" in answer and answer.get("kind") != "Status"


def changed(body, **fields):
    """A copy of the object with these fields of its metadata; None takes one away."""
    metadata = {name: value for name, value in {**body.get("metadata", {}), **fields}.items() if value is not None}
    return {**body, "metadata": metadata}


without("ignores dryRun", "dry_runs: A dry create answers 201", "dryRun")
without("ignores fieldValidation", "validation: fieldValidation=Strict refuses unknown and duplicate", "fieldValidation")
without("ignores labelSelector", "lists: Label selectors: equality", "labelSelector")
without("ignores fieldSelector", "lists: Field selectors: metadata.name", "fieldSelector")
without("ignores limit", "lists: limit gives a page", "limit")
without("ignores continue", "lists: The pages of one list show one moment", "continue")
without("ignores sendInitialEvents", "watches: sendInitialEvents lists through", "sendInitialEvents", "resourceVersionMatch")
without("starts every watch anew", "watches: A watch from a resourceVersion reports", "resourceVersion")
without("ignores allowWatchBookmarks", "watches: allowWatchBookmarks sends a bookmark", "allowWatchBookmarks")
without("ignores propagationPolicy", "deletion: propagationPolicy Foreground and Orphan", "propagationPolicy")
without("ignores fieldManager", "apply: A create or update is recorded", "fieldManager")
without("ignores pretty", "robustness: Parameters that are unknown are ignored; pretty", "pretty")


@breakage("takes every apply as forced", "apply: Applying another's field with another value is 409")
def force(exchange, _):
    if "apply-patch" in exchange.headers.get("Content-Type", ""):
        exchange.query.append(("force", "true"))


@breakage("ignores the resourceVersion of an update", "objects: An update with a stale resourceVersion is 409")
def no_lock(exchange, upstream):
    if exchange.method == "PUT" and exchange.json and "status" not in exchange.path.split("/"):
        now = upstream("GET", exchange.path)
        exchange.json = changed(exchange.json, resourceVersion=now.get("metadata", {}).get("resourceVersion"))


@breakage("ignores preconditions of a delete", "deletion: Preconditions: a delete with another uid")
def no_preconditions(exchange, _):
    if exchange.method == "DELETE" and exchange.json:
        exchange.json = {name: value for name, value in exchange.json.items() if name != "preconditions"}


@breakage("loses finalizers", "deletion: With finalizers, delete sets deletionTimestamp")
def no_finalizers(exchange, _):
    if exchange.method == "POST" and exchange.json:
        exchange.json = changed(exchange.json, finalizers=None)


@breakage("loses owner references", "deletion: Owner references need apiVersion")
def no_owners(exchange, _):
    if exchange.method == "POST" and exchange.json:
        exchange.json = changed(exchange.json, ownerReferences=None)


@breakage("takes test operations of a JSON patch for true", "patches: A JSON patch whose test fails")
def no_test(exchange, _):
    if "json-patch" in exchange.headers.get("Content-Type", "") and isinstance(exchange.json, list):
        exchange.json = [step for step in exchange.json if step.get("op") != "test"]


@breakage("has no Tables", "lists: A Table has the printer columns")
def no_tables(exchange, _):
    if "as=Table" in exchange.headers.get("Accept", ""):
        exchange.headers["Accept"] = "application/json"


@breakage("has no metadata-only answers", "lists: Metadata alone")
def no_partial(exchange, _):
    if "as=PartialObjectMetadata" in exchange.headers.get("Accept", ""):
        exchange.headers["Accept"] = "application/json"


@breakage("takes generateName for the name", "objects: generateName makes a name")
def no_generated_name(exchange, _):
    metadata = exchange.json.get("metadata", {}) if isinstance(exchange.json, dict) else {}
    if exchange.method == "POST" and "generateName" in metadata:
        exchange.json = changed(exchange.json, name=metadata["generateName"].rstrip("-"), generateName=None)


@breakage("takes immutable data for mutable", "builtins: immutable Secrets and ConfigMaps")
def mutable(exchange, _):
    if exchange.method in ("POST", "PUT") and exchange.json:
        exchange.json = {name: value for name, value in exchange.json.items() if name != "immutable"}


@breakage("answers 200 to creates", "objects: A created object has uid", "reply")
def plain_ok(exchange):
    if exchange.status == 201:
        exchange.status = 200


@breakage("drops managedFields", "apply: managedFields name manager", "reply")
def no_managed_fields(exchange):
    if is_object(exchange.answer):
        exchange.answer = changed(exchange.answer, managedFields=None)


@breakage("does not default", "validation: Defaults of the schema are stored", "reply")
def no_defaults(exchange):
    if exchange.method == "POST" and is_object(exchange.answer) and isinstance(exchange.sent, dict):
        exchange.answer = {**exchange.answer, "spec": exchange.sent.get("spec")}


@breakage("does not prune", "validation: Unknown fields are pruned", "reply")
def no_pruning(exchange):
    if exchange.method == "POST" and is_object(exchange.answer) and isinstance(exchange.sent, dict):
        exchange.answer = {**exchange.sent, **exchange.answer, "spec": {
            **(exchange.answer.get("spec") or {}), **(exchange.sent.get("spec") or {})}}


def takes_all(exchange, reason):
    """What was refused for that reason is answered as if it had been stored."""
    refused = isinstance(exchange.answer, dict) and exchange.answer.get("reason") == reason
    if exchange.method == "POST" and refused:
        exchange.took(201, exchange.sent)


@breakage("does not validate", "validation: A number out of its limits is refused", "reply")
def no_validation(exchange):
    takes_all(exchange, "Invalid")


@breakage("evaluates no CEL rules", "validation: A CEL rule that is false is refused", "reply")
def no_rules(exchange):
    takes_all(exchange, "Invalid")


@breakage("creates what is there", "objects: Creating a name twice is 409", "reply")
def no_conflict(exchange):
    takes_all(exchange, "AlreadyExists")


@breakage("bumps the generation on writes of status", "subresources: An update of status keeps spec", "reply")
def generation(exchange):
    if exchange.path.endswith("/status") and is_object(exchange.answer):
        exchange.answer = changed(exchange.answer, generation=exchange.answer["metadata"].get("generation", 0) + 1)


@breakage("never raises the generation", "objects: Generation rises when the spec changes", "reply")
def no_generation(exchange):
    if is_object(exchange.answer) and "generation" in exchange.answer["metadata"]:
        exchange.answer = changed(exchange.answer, generation=1)


@breakage("writes for an update that changes nothing", "objects: An update that changes nothing keeps", "reply")
def always_writes(exchange):
    if exchange.method == "PUT" and is_object(exchange.answer):
        version = int(exchange.answer["metadata"]["resourceVersion"]) + 1
        exchange.answer = changed(exchange.answer, resourceVersion=str(version))


@breakage("lists in no order", "lists: A list is in the order of names", "reply")
def unordered(exchange):
    if isinstance(exchange.answer, dict) and isinstance(exchange.answer.get("items"), list):
        exchange.answer = {**exchange.answer, "items": exchange.answer["items"][::-1]}


@breakage("sends no warnings", "validation: fieldValidation=Warn, which is the default", "reply")
def no_warnings(exchange):
    exchange.answer_headers = [pair for pair in exchange.answer_headers if pair[0].lower() != "warning"]


@breakage("says yes to every access review", "access: SelfSubjectAccessReview answers", "reply")
def all_allowed(exchange):
    if "subjectaccessreviews" in exchange.path and is_object(exchange.answer):
        exchange.answer = {**exchange.answer, "status": {"allowed": True, "reason": "yes"}}


@breakage("returns stringData", "builtins: A Secret's stringData is stored in data", "reply")
def string_data(exchange):
    if exchange.path.endswith("/secrets") and is_object(exchange.answer) and isinstance(exchange.sent, dict):
        exchange.answer = {**exchange.answer, "stringData": exchange.sent.get("stringData")}


@breakage("sends the first column of a Table only", "versions: Without printer columns a Table has Name and Age", "reply")
def no_age(exchange):
    if isinstance(exchange.answer, dict) and exchange.answer.get("kind") == "Table":
        exchange.answer = {**exchange.answer, "columnDefinitions": exchange.answer["columnDefinitions"][:1]}


@breakage("loses DELETED events", "watches: A finalizer makes a delete a MODIFIED", "event")
def no_deleted(_, event):
    return None if event["type"] == "DELETED" else event


@breakage("calls every event MODIFIED", "watches: An object that begins to match the label selector", "event")
def all_modified(_, event):
    return {**event, "type": "MODIFIED"} if event["type"] == "ADDED" else event


@breakage("sends objects of a watch without their status", "watches: A change of the status subresource", "event")
def no_status(_, event):
    return {**event, "object": json.loads(json.dumps({
        name: value for name, value in event["object"].items() if name != "status"}))}
