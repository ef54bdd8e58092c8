"""Runs the table of Kubernetes API behaviours against one or more servers: `scripts/conformance --help`."""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import foreign  # noqa: E402
import rows  # noqa: E402,F401  (registers every row)
from client import Client, Mismatch  # noqa: E402
from prove import problems_of_table, prove  # noqa: E402
from row import ROWS, Server  # noqa: E402
from servers import SERVERS, Unavailable, built_kubectl  # noqa: E402

OLDEST_KUBECTL = (1, 32)


def kubectl_version(program):
    """(1, 32) for a kubectl of that version; (0, 0) for none."""
    if not program:
        return 0, 0
    text = subprocess.run([program, "version", "--client", "-o", "json"], capture_output=True, check=False).stdout
    found = re.search(rb'"gitVersion": "v(\d+)\.(\d+)', text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def default_kubectl():
    found = shutil.which("kubectl")
    return found if kubectl_version(found) >= OLDEST_KUBECTL else built_kubectl()


def establish(client):
    """Creates the test's own CustomResourceDefinition, unless it is there, and waits until it is served."""
    definition = json.loads((HERE / "crd.json").read_text())
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    answer = client.call("POST", path, definition)
    if answer.status != 409:
        answer.expect(201)
    group, served = f"/apis/{definition['spec']['group']}/v1", f"/openapi/v3/apis/{definition['spec']['group']}/v1"
    for _ in range(100):
        if all(client.call("GET", one).status == 200 for one in (f"{group}/widgets", served)):
            return
        time.sleep(0.1)
    raise Mismatch(f"{definition['metadata']['name']} is not served within 10 s")


def run_row(row, client, kubectl, kubeconfig, cache):
    """Nothing, or why the row failed."""
    server = Server(client, kubectl, kubeconfig, cache)
    try:
        row.run(server)
        return None
    except Mismatch as error:
        return str(error)
    except Exception:  # an exception of any kind is a failed row, and the others still run
        return traceback.format_exc(limit=-3).strip()
    finally:
        server.close()


def plan(chosen, features, kubectls):
    """(row, kubectl) pairs to run, and the rows that this server skips with the reason."""
    pairs, skipped = [], []
    for row in chosen:
        missing = [need for need in row.needs if need not in features]
        if missing:
            skipped.append((row, f"no {', '.join(missing)} on this server"))
            continue
        for kubectl in kubectls if row.theme.startswith("kubectl") else kubectls[:1]:
            pairs.append((row, kubectl))
    return pairs, skipped


def run_table(name, kubeconfig, features, chosen, options):
    """Runs the rows on one server; prints those that fail. Returns (run, failed, skipped)."""
    client = Client(kubeconfig, options.kubectl[0])
    establish(client)
    pairs, skipped = plan(chosen, features, options.kubectl)
    failed = 0
    with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [(row, kubectl, pool.submit(run_row, row, client, kubectl, kubeconfig, f"{cache}/{index}"))
                   for index, (row, kubectl) in enumerate(pairs)]
        for row, kubectl, running in started:
            why = running.result()
            if options.verbose or why:
                print(f"{'FAIL' if why else 'ok  '} {name}: {row.theme}: {row.sentence}"
                      + (f" [{kubectl}]" if row.theme.startswith("kubectl") else ""), flush=True)
            if why:
                failed += 1
                print("     " + why.replace("\n", "\n     "), flush=True)
    for row, why in skipped:
        print(f"skip {name}: {row.theme}: {row.sentence}: {why}")
    return len(pairs), failed, len(skipped)


def parse():
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("--server", choices=sorted(SERVERS), action="append", help="which server (default: each)")
    parser.add_argument("--kubeconfig", help="a running server of that kind, instead of starting one")
    parser.add_argument("--kubectl", action="append", help="the kubectl to use; rows about kubectl run with each")
    parser.add_argument("--only", default="", help="only rows whose theme and sentence match this expression")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--prove", action="store_true", help="show of rows that they fail when their behaviour is "
                        "switched off (on the embedded server, by a proxy that breaks it), instead of running the table")
    parser.add_argument("--verbose", action="store_true", help="print rows that pass, too")
    options = parser.parse_args()
    if options.kubeconfig and len(options.server or []) != 1:
        parser.error("--kubeconfig needs one --server")
    options.kubectl = options.kubectl or [default_kubectl()]
    return options


def run_proof(options):
    """Ends like a table: 0 if every row of breakages.py was shown to fail."""
    name = (options.server or ["embedded"])[0]
    with SERVERS[name].running(options.kubeconfig) as kubeconfig, tempfile.TemporaryDirectory() as cache:
        client = Client(kubeconfig, options.kubectl[0])
        establish(client)

        def run(row, through, through_kubeconfig):
            return run_row(row, through, options.kubectl[0], through_kubeconfig, cache)

        shown, problems = prove(ROWS, client, options.kubectl[0], run)
    problems += problems_of_table(ROWS, {one: server.features | frozenset(f"definitions of {project}" for project in foreign.MODULES)
                                         for one, server in SERVERS.items()})
    for problem in problems:
        print(f"FAIL {problem}")
    print(f"{shown} passed, {len(problems)} failed, 0 skipped")
    print(f"conformance: {shown} rows were shown to fail on a server without their behaviour, {len(problems)} were not")
    return 1 if problems else 0


def main():
    options = parse()
    if options.prove:
        return run_proof(options)
    chosen = [row for row in ROWS if re.search(options.only, f"{row.theme}: {row.sentence}")]
    passed = failed_in_all = skipped_in_all = 0
    figures = []
    for name in options.server or sorted(SERVERS):
        server = SERVERS[name]
        try:
            with server.running(options.kubeconfig) as kubeconfig:
                run, failed, skipped = run_table(name, kubeconfig, server.features | foreign.available(), chosen, options)
        except Unavailable as error:
            run, failed, skipped = 0, 0, len(chosen)
            print(f"skip {name}: all rows: {error}")
        except Mismatch as error:
            run, failed, skipped = len(chosen), len(chosen), 0
            print(f"FAIL {name}: all rows: {error}")
        passed, failed_in_all, skipped_in_all = passed + run - failed, failed_in_all + failed, skipped_in_all + skipped
        figures.append(f"{name} {failed} failed" if run else f"{name} skipped")
    print(f"{passed} passed, {failed_in_all} failed, {skipped_in_all} skipped")
    print(f"conformance: {len(chosen)} rows, {', '.join(figures)}")
    return 1 if failed_in_all else 0


if __name__ == "__main__":
    sys.exit(main())
