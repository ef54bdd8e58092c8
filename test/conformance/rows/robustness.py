"""What happens to odd, big and concurrent requests."""

import concurrent.futures
import gzip
import re

from client import CUT_OFF
from pattern import ANY
from row import WIDGETS, config_map, row, widget

CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"


@row("Numbers and texts come back as they were sent: 64-bit integers, fractions, Unicode, control characters")
def round_trip(t):
    spec = {"low": 9007199254740993, "weight": 0.1, "steps": ["", "Zürich – 東京 🏝", "a\tb\n\"\\"], "template": {
        "big": 9223372036854775807, "small": -9223372036854775808, "yes": True, "none": {"a": []}, "float": 1e-3}}
    t.post(WIDGETS, widget(spec=spec)).expect(201, {"spec": spec})
    t.get(f"{WIDGETS}/w").expect(200, {"spec": spec})


@row("A body of more than 3 MiB is 413")
def too_large(t):
    t.post(WIDGETS, widget(spec={"note": "x" * 3_200_000})).expect(413, {"reason": "RequestEntityTooLarge", "message": re.compile(
        "limit is 3145728")})
    t.get(f"{WIDGETS}/w").expect(404)


@row("A body of 20 MB is 413, or its connection is cut; nothing is stored, and the server goes on")
def far_too_large(t):
    # A server that answers and closes while the client still sends may cut off its own answer: no client can count on reading it.
    try:
        t.post(WIDGETS, widget(spec={"note": "x" * 20_000_000})).expect(413, {"reason": "RequestEntityTooLarge", "message": re.compile(
            "limit is 3145728")})
    except CUT_OFF:
        pass
    t.get(f"{WIDGETS}/w").expect(404, {"reason": "NotFound"})


@row("10,000 levels of nesting are refused, and the server goes on")
def deep(t):
    depth = 10_001
    text = ('{"apiVersion": "conformance.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1, '
            '"template": ' + '{"a":' * depth + "1" + "}" * depth + "}}")
    t.post(WIDGETS, text).expect((400, 413, 422, 500), {"kind": "Status", "status": "Failure"})
    t.get("/readyz").expect(200)


@row("A null, a list and a text are no objects: 400")
def no_objects(t):
    for text in ("null", "[]", '"text"', "1", " "):
        t.call("POST", WIDGETS, text).expect((400, 422), {"kind": "Status", "status": "Failure", "message": ANY})


@row("Increments of many writers with the resourceVersion as lock lose none")
def optimistic(t):
    t.post(CONFIG_MAPS, config_map(data={"n": "0"})).expect(201)

    def increment(_):
        while True:
            body = t.get(f"{CONFIG_MAPS}/c").expect(200)
            body["data"]["n"] = str(int(body["data"]["n"]) + 1)
            answer = t.put(f"{CONFIG_MAPS}/c", body)
            if answer.status != 409:
                return answer.expect(200)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(increment, range(40)))
    t.get(f"{CONFIG_MAPS}/c").expect(200, {"data": {"n": "40"}})


@row("Of many creates of one name exactly one succeeds")
def one_winner(t):
    t.namespace()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(lambda _: t.post(CONFIG_MAPS, config_map()).status, range(16)))
    assert codes == [201] + [409] * 15, codes


@row("resourceVersions are one rising sequence over all kinds")
def one_sequence(t):
    versions = []
    for number in range(3):
        versions.append(int(t.post(WIDGETS, widget(f"w{number}")).expect(201)["metadata"]["resourceVersion"]))
        versions.append(int(t.post(CONFIG_MAPS, config_map(f"c{number}")).expect(201)["metadata"]["resourceVersion"]))
    assert versions == sorted(set(versions)), versions
    listed = int(t.get(WIDGETS).expect(200)["metadata"]["resourceVersion"])
    assert listed >= versions[-2], (listed, versions)


@row("A watch sees the changes of many writers once each, in the order of their resourceVersions")
def ordered_watch(t):
    start = t.get(CONFIG_MAPS).expect(200)["metadata"]["resourceVersion"]
    watch = t.watch(CONFIG_MAPS, resourceVersion=start)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: t.post(CONFIG_MAPS, config_map(f"c{number}")).expect(201), range(24)))
    seen = [watch.next()["object"]["metadata"] for _ in range(24)]
    versions = [int(one["resourceVersion"]) for one in seen]
    assert versions == sorted(set(versions)), versions
    assert {one["name"] for one in seen} == {f"c{number}" for number in range(24)}, seen


@row("A list of 600 objects comes in pages of 500, as kubectl asks for them")
def long_list(t):
    t.namespace()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: t.post(CONFIG_MAPS, config_map(f"c{number:03}")).expect(201), range(600)))
    first = t.get(CONFIG_MAPS, limit=500).expect(200, {"metadata": {"continue": ANY, "remainingItemCount": 100}})
    rest = t.get(CONFIG_MAPS, limit=500, **{"continue": first["metadata"]["continue"]}).expect(200)
    names = [item["metadata"]["name"] for page in (first, rest) for item in page["items"]]
    assert names == [f"c{number:03}" for number in range(600)], names[:5]


@row("Accept-Encoding: gzip may be followed for a long list, and is then right")
def compressed(t):
    t.post(CONFIG_MAPS, config_map(data={"a": "x" * 300_000})).expect(201)
    answer = t.client.call("GET", t.path(CONFIG_MAPS), headers={"Accept-Encoding": "gzip"}, raw=True)
    assert answer.status == 200
    text = gzip.decompress(answer.text) if answer.headers.get("Content-Encoding") == "gzip" else answer.text
    assert b"x" * 300_000 in text


@row("Parameters that are unknown are ignored; pretty=true indents")
def parameters(t):
    t.post(WIDGETS, widget(), nonsense="1").expect(201)
    assert t.get(f"{WIDGETS}/w", pretty="true").expect(200) and "\n  " in t.get(f"{WIDGETS}/w", pretty="true").text


@row("A Content-Type with a charset, and none at all, is JSON")
def content_types(t):
    t.post(WIDGETS, widget("a"), headers={"Content-Type": "application/json; charset=utf-8"}).expect(201, {
        "kind": "Widget", "metadata": {"name": "a"}})
    t.post(WIDGETS, widget("b"), headers={"Content-Type": None}).expect(201, {"kind": "Widget", "metadata": {"name": "b"}})


@row("A slash or dots in a name reach no other object")
def slashes(t):
    t.post(WIDGETS, widget()).expect(201)
    for path in (f"{WIDGETS}/w%2F..%2Fw", f"{WIDGETS}/w/../w", f"{WIDGETS}/../widgets/w"):
        answer = t.get(path)
        assert answer.status in (301, 307, 400, 404) and '"uid"' not in answer.text, (path, answer.status, answer.text)
