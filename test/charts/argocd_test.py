"""The Lua scripts for Argo CD, run by Lua 5.1, the language of Argo CD's own interpreter."""

import importlib.util
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "charts" / "argocd"


def lua(value):
    """A value as a Lua expression."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"[{lua(key)}] = {lua(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(lua(one) for one in value) + "}"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def call(script, obj, shown):
    """What the script returns, seen through a Lua expression over `result`."""
    program = f"obj = {lua(obj)}\nlocal function script()\n{(SCRIPTS / script).read_text()}\nend\nlocal result = script()\nio.write({shown})"
    answer = subprocess.run(["lua5.1", "-"], input=program, capture_output=True, text=True, timeout=20, check=False)
    if answer.returncode != 0:
        raise AssertionError(answer.stderr)
    return answer.stdout


def an_object(conditions=(), observed=2, generation=2, **metadata):
    status = {"observedGeneration": observed, "conditions": [
        {"type": kind, "status": state, "reason": reason, "message": message} for kind, state, reason, message in conditions]}
    return {"metadata": {"name": "x", "generation": generation, **metadata}, "spec": {}, "status": status}


READY = ("Ready", "True", "Ready", "")


@unittest.skipUnless(shutil.which("lua5.1"), "lua5.1 is not installed")
class Health(unittest.TestCase):
    def expect(self, status, message, obj):
        self.assertEqual(call("health.lua", obj, 'result.status .. "|" .. result.message'), f"{status}|{message}")

    def test_what_atoll_never_looked_at_progresses(self):
        self.expect("Progressing", "Atoll has not looked at it yet", {"metadata": {"name": "x", "generation": 1}})
        self.expect("Progressing", "Atoll has not looked at it yet", an_object(observed=-1))

    def test_ready_is_healthy(self):
        self.expect("Healthy", "Ready", an_object([READY]))

    def test_ready_of_an_older_generation_is_not(self):
        self.expect("Progressing", "Atoll has not looked at it yet", an_object([READY], observed=1))

    def test_work_progresses_and_says_what_it_waits_for(self):
        self.expect("Progressing", "EngineUnreachable: no engine",
                    an_object([("Ready", "False", "EngineUnreachable", "no engine"),
                               ("Reconciling", "True", "EngineUnreachable", "no engine")]))

    def test_stalled_is_degraded(self):
        self.expect("Degraded", "InvalidSpec: spec.x", an_object([("Stalled", "True", "InvalidSpec", "spec.x")]))

    def test_a_rollback_is_degraded_even_when_the_last_good_one_runs(self):
        self.expect("Degraded", "RolloutFailed: bad image", an_object([READY, ("RolledBack", "True", "RolloutFailed", "bad image")]))

    def test_paused_is_suspended(self):
        self.expect("Suspended", "Paused: spec.paused", an_object([READY, ("Paused", "True", "Paused", "spec.paused")]))

    def test_a_condition_that_is_false_counts_for_nothing(self):
        self.expect("Healthy", "Ready", an_object([READY, ("Paused", "False", "NotPaused", ""), ("Stalled", "False", "x", "")]))

    def test_deletion_progresses(self):
        self.expect("Progressing", "being deleted: WaitingForStacks: Stack \"s\"",
                    an_object([("Deleting", "True", "WaitingForStacks", 'Stack "s"')], deletionTimestamp="2026-01-01T00:00:00Z"))


@unittest.skipUnless(shutil.which("lua5.1"), "lua5.1 is not installed")
class Actions(unittest.TestCase):
    def test_pause_and_resume_change_the_spec_and_nothing_else(self):
        for action, wanted in (("pause", "true"), ("resume", "false")):
            self.assertEqual(call(f"actions/{action}.lua", an_object(), "tostring(result.spec.paused) .. result.metadata.name"), wanted + "x")

    def test_only_the_other_one_is_offered(self):
        shown = 'tostring(result.pause.disabled) .. " " .. tostring(result.resume.disabled)'
        self.assertEqual(call("actions/discovery.lua", {"spec": {"paused": True}}, shown), "true false")
        self.assertEqual(call("actions/discovery.lua", {"spec": {}}, shown), "false true")


class Patch(unittest.TestCase):
    def test_names_every_kind(self):
        specification = importlib.util.spec_from_file_location("argocd_cm", SCRIPTS / "argocd-cm.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        keys = module.patch()["data"]
        for kind in ("Cluster", "Stack", "ServiceInstance", "Machine"):
            self.assertIn(f"resource.customizations.health.atoll.dev_{kind}", keys)
        self.assertNotIn("resource.customizations.actions.atoll.dev_Machine", keys)


if __name__ == "__main__":
    unittest.main()
