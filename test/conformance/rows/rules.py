"""Rules in CEL: the part of the language that definitions use. A rule, a value that it takes, a value that it refuses."""

import re

from client import MERGE
from pattern import ABSENT, ANY
from row import DEFINITIONS, GROUP, definition, row

TEXTS = {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 20}}
NAMED = {"type": "array", "maxItems": 5, "items": {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string", "maxLength": 20}, "port": {"type": "integer"}}}}
FIELDS = {"a": {"type": "integer"}, "b": {"type": "integer"}, "text": {"type": "string", "maxLength": 40},
          "flag": {"type": "boolean"}, "number": {"type": "number"}, "list": TEXTS, "named": NAMED,
          "map": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 20}},
          "port": {"x-kubernetes-int-or-string": True},
          "inner": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}}

EXPRESSIONS = [
    ("self.a < self.b", {"a": 1, "b": 2}, {"a": 2, "b": 2}),
    ("self.a + self.b * 2 - 1 == 6", {"a": 1, "b": 3}, {"a": 1, "b": 4}),
    ("self.a % 2 == 0 && self.a / 2 > 1", {"a": 4}, {"a": 5}),
    ("!has(self.a) || self.a >= -5", {}, {"a": -6}),
    ("has(self.a) != has(self.b)", {"a": 1}, {"a": 1, "b": 1}),
    ("[has(self.a), has(self.b), has(self.text)].filter(x, x).size() == 1", {"text": "x"}, {"a": 1, "text": "x"}),
    ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1", {"a": 1}, {"a": 1, "b": 1}),
    ("self.flag ? has(self.a) : true", {"flag": True, "a": 1}, {"flag": True}),
    ("self.number > 0.5", {"number": 0.75}, {"number": 0.25}),
    ("double(self.a) / 2.0 == 1.5", {"a": 3}, {"a": 2}),
    ("self.text == 'on' || self.text in ['off', 'auto']", {"text": "auto"}, {"text": "other"}),
    ("self.text.startsWith('a') && self.text.endsWith('z')", {"text": "abcz"}, {"text": "zbca"}),
    ("self.text.contains('/')", {"text": "a/b"}, {"text": "ab"}),
    ("self.text.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", {"text": "a-1"}, {"text": "a-"}),
    ("size(self.text) <= 3 && self.text.size() > 0", {"text": "äöü"}, {"text": "abcd"}),
    ("self.text.lowerAscii() == self.text", {"text": "abc"}, {"text": "aBc"}),
    ("self.text.split('/').size() == 2", {"text": "a/b"}, {"text": "a"}),
    ("self.text.replace('-', '') == 'ab'", {"text": "a-b"}, {"text": "a_b"}),
    ("self.text.indexOf('b') == 1 && self.text.substring(1) == 'bc'", {"text": "abc"}, {"text": "cba"}),
    ("int(self.text) > 3", {"text": "4"}, {"text": "3"}),
    ("string(self.a) == self.text", {"a": 7, "text": "7"}, {"a": 7, "text": "8"}),
    ("self.list.all(x, x.startsWith('a'))", {"list": ["a", "ab"]}, {"list": ["a", "b"]}),
    ("self.list.exists(x, x == 'a')", {"list": ["b", "a"]}, {"list": ["b"]}),
    ("self.list.exists_one(x, x == 'a')", {"list": ["b", "a"]}, {"list": ["a", "a"]}),
    ("'a' in self.list", {"list": ["b", "a"]}, {"list": ["b"]}),
    ("self.list.size() == 0 || self.list[0] == 'a'", {"list": ["a"]}, {"list": ["b"]}),
    ("self.named.map(x, x.name).all(n, n in self.list)", {"named": [{"name": "a"}], "list": ["a"]},
     {"named": [{"name": "b"}], "list": ["a"]}),
    ("self.named.all(x, self.named.exists_one(y, y.name == x.name))", {"named": [{"name": "a"}, {"name": "b"}]},
     {"named": [{"name": "a"}, {"name": "a"}]}),
    ("self.named.filter(x, has(x.port)).all(x, x.port > 0 && x.port < 65536)", {"named": [{"name": "a"}, {"name": "b", "port": 1}]},
     {"named": [{"name": "a", "port": 0}]}),
    ("self.map.all(key, key.startsWith('k') && self.map[key] != '')", {"map": {"ka": "x"}}, {"map": {"ka": ""}}),
    ("'k' in self.map && self.map['k'] == 'v'", {"map": {"k": "v"}}, {"map": {"k": "w"}}),
    ("size(self.map) < 2", {"map": {"k": "v"}}, {"map": {"k": "v", "l": "w"}}),
    ("type(self.port) == int ? self.port > 0 : self.port.size() > 0", {"port": "http"}, {"port": 0}),
    ("has(self.inner.x) && self.inner.x == 1", {"inner": {"x": 1}}, {"inner": {"y": 1}}),
    ("!(self.a == 1 || self.b == 1)", {"a": 2, "b": 2}, {"a": 1, "b": 2}),
    ("self.list == ['a', 'b']", {"list": ["a", "b"]}, {"list": ["b", "a"]}),
    ("self.list.isSorted()", {"list": ["a", "b"]}, {"list": ["b", "a"]}),
    ("self.list.join(',') == 'a,b'", {"list": ["a", "b"]}, {"list": ["ab"]}),
    ("self.?inner.?x.orValue(5) < 5", {"inner": {"x": 1}}, {"inner": {}}),
    ("quantity(self.text).isGreaterThan(quantity('1Gi'))", {"text": "2Gi"}, {"text": "500Mi"}),
    ("isQuantity(self.text)", {"text": "1.5Gi"}, {"text": "1.5 Gi"}),
    ("duration(self.text) >= duration('1m')", {"text": "90s"}, {"text": "1s"}),
    ("url(self.text).getScheme() == 'https'", {"text": "https://a/b"}, {"text": "http://a/b"}),
    ("isIP(self.text)", {"text": "10.0.0.1"}, {"text": "10.0.0"}),
    ("cidr('10.0.0.0/8').containsIP(ip(self.text))", {"text": "10.1.1.1"}, {"text": "11.1.1.1"}),
]


def checked(index):
    return f"c{index:02}"


@row("Each expression of the table takes its good value and refuses the other, with the rule's text in the message")
def expressions(t):
    properties = {checked(index): {"type": "object", "properties": FIELDS, "x-kubernetes-validations": [{"rule": rule}]}
                  for index, (rule, _, _) in enumerate(EXPRESSIONS)}
    path = t.define(definition("formulas", {"type": "object", "properties": properties}))
    for index, (rule, good, bad) in enumerate(EXPRESSIONS):
        body = {"apiVersion": f"{GROUP}/v1", "kind": "Formula", "metadata": {"name": checked(index)}}
        t.eventually(f"{good} is taken by: {rule}", lambda body=body, index=index, good=good: t.post(
            path, {**body, "spec": {checked(index): good}}).status in (201, 409), 3)
        body["metadata"]["name"] += "-bad"
        t.post(path, {**body, "spec": {checked(index): bad}}).expect(422, {"details": {"causes": [{
            "field": f"spec.{checked(index)}", "message": re.compile(f"(failed rule: {re.escape(rule)}|evaluating rule|{re.escape(rule)})")}]}})


@row("A rule without a message reports: failed rule, and the rule")
def default_message(t):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": "self.a > 0"}]}
    path = t.define(definition("plainrules", schema))
    t.post(path, {"apiVersion": f"{GROUP}/v1", "kind": "Plainrule", "metadata": {"name": "r"}, "spec": {"a": 0}}).expect(422, {
        "message": f'Plainrule.{GROUP} "r" is invalid: spec: Invalid value: failed rule: self.a > 0'})


@row("A rule that fails while it is evaluated refuses the object and says so")
def runtime_error(t):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "x-kubernetes-validations": [
        {"rule": "self.a / self.b > 0", "message": "too small"}]}
    path = t.define(definition("divisions", schema))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Division", "metadata": {"name": "d"}}
    t.post(path, {**body, "spec": {"a": 4, "b": 0}}).expect(422, {"message": re.compile("too small|division by zero|divide by zero")})
    t.post(path, {**body, "spec": {"a": 4}}).expect(422, {"message": re.compile("too small|no such key: b")})


@row("oldSelf rules are not evaluated at creation, and compare on update, also element by element of a keyed list")
def transitions(t):
    parts = {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 10}, "size": {
            "type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "size never shrinks"}]}}}}
    path = t.define(definition("growers", {"type": "object", "properties": {"parts": parts}}))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Grower", "metadata": {"name": "g"},
            "spec": {"parts": [{"name": "a", "size": 2}, {"name": "b", "size": 5}]}}
    t.post(path, body).expect(201)
    new = {"spec": {"parts": [{"name": "b", "size": 5}, {"name": "a", "size": 3}, {"name": "c", "size": 1}]}}
    t.patch(f"{path}/g", new, MERGE).expect(200)
    t.patch(f"{path}/g", {"spec": {"parts": [{"name": "a", "size": 1}]}}, MERGE).expect(422, {"details": {"causes": [
        {"field": "spec.parts[0].size", "message": re.compile("size never shrinks")}]}})


@row("optionalOldSelf makes a transition rule hold at creation, too")
def optional_old_self(t):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [
        {"rule": "oldSelf.hasValue() || self.a == 1", "optionalOldSelf": True, "message": "starts at 1"}]}
    path = t.define(definition("starters", schema))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Starter", "metadata": {"name": "s"}}
    t.post(path, {**body, "spec": {"a": 2}}).expect(422, {"message": re.compile("starts at 1")})
    t.post(path, {**body, "spec": {"a": 1}}).expect(201)
    t.patch(f"{path}/s", {"spec": {"a": 2}}, MERGE).expect(200, {"spec": {"a": 2}})


@row("A rule at the root sees metadata.name, and nothing else of metadata")
def at_the_root(t):
    body = definition("roots", {"type": "object", "properties": {"a": {"type": "integer"}}})
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["x-kubernetes-validations"] = [{"rule": "self.metadata.name.startsWith('r')", "message": "names begin with r"}]
    path = t.define(body)
    root = {"apiVersion": f"{GROUP}/v1", "kind": "Root", "spec": {}}
    t.post(path, {**root, "metadata": {"name": "x"}}).expect(422, {"message": re.compile(
        r"is invalid: <nil>: Invalid value: names begin with r$")})
    t.post(path, {**root, "metadata": {"name": "r"}}).expect(201)
    schema["x-kubernetes-validations"][0]["rule"] = "self.metadata.labels.size() > 0"
    body["metadata"]["name"] = f"others.{GROUP}"
    body["spec"]["names"] = {"plural": "others", "kind": "Other"}
    t.post(DEFINITIONS, body).expect(422, {"message": re.compile("undefined field 'labels'")})


@row("Rules on status hold for updates of the status subresource")
def on_status(t):
    body = definition("reports", {"type": "object"}, subresources={"status": {}})
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = {
        "type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [
            {"rule": "self.a > 0", "message": "a is positive"}]}
    path = t.define(body)
    t.post(path, {"apiVersion": f"{GROUP}/v1", "kind": "Report", "metadata": {"name": "r"}, "status": {"a": 0}}).expect(
        201, {"status": ABSENT})
    t.patch(f"{path}/r/status", {"status": {"a": 0}}, MERGE).expect(422, {"message": re.compile("a is positive")})
    t.patch(f"{path}/r/status", {"status": {"a": 1}}, MERGE).expect(200, {"status": {"a": 1}})


@row("A rule that cannot be read, or that is no boolean, refuses its definition and is named")
def refused(t):
    for rule, why in (("self.a >", "Syntax error"), ("self.a + 1", "must evaluate to a bool"),
                      ("self.nothing()", "undeclared reference to 'nothing'"), ("self.a == 'x'", "found no matching overload")):
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": rule}]}
        t.post(DEFINITIONS, definition("refusals", schema)).expect(422, {"reason": "Invalid", "message": re.compile(
            rf"x-kubernetes-validations\[0\]\.rule.*({why})", re.S), "details": {"causes": ANY}})
    t.get(f"{DEFINITIONS}/refusals.{GROUP}").expect(404)
