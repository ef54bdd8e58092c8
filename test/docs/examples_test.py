"""The examples: each is in the index, and the embedded server takes each as it is (schema, CEL, unknown fields).
Needs kubectl and build/release/atoll, or ATOLL; without them only the index is tested."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
ATOLL = pathlib.Path(os.environ.get("ATOLL", ROOT / "build/release/atoll"))


def folders():
    return sorted(path for path in EXAMPLES.iterdir() if path.is_dir())


class Index(unittest.TestCase):
    def test_names_each_example_once_and_no_other(self):
        rows = [line for line in (EXAMPLES / "README.md").read_text().splitlines() if line.startswith("| [")]
        self.assertEqual(sorted(row.split("]")[0][3:] for row in rows), [folder.name for folder in folders()])

    def test_each_manifest_begins_with_words_on_what_it_is(self):
        for path in EXAMPLES.glob("*/*.yaml"):
            self.assertTrue(path.read_text().startswith("# "), f"{path.relative_to(ROOT)}: a comment on the first line")


@unittest.skipUnless(ATOLL.exists() and shutil.which("kubectl"), "needs a built atoll, and kubectl")
class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        config = os.path.join(cls.folder.name, "kubeconfig")
        cls.atoll = subprocess.Popen([ATOLL, "up", "--data-dir", os.path.join(cls.folder.name, "data"), "--kubeconfig", config],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.environment = dict(os.environ, KUBECONFIG=config)
        for _ in range(150):
            if cls.kubectl("get", "--raw", "/readyz").returncode == 0:
                return
            time.sleep(0.1)
        cls.tearDownClass()
        raise AssertionError("atoll up is not ready within 15 s")

    @classmethod
    def tearDownClass(cls):
        cls.atoll.terminate()
        cls.atoll.wait(15)
        cls.folder.cleanup()

    @classmethod
    def kubectl(cls, *words, text=None):
        return subprocess.run(["kubectl", *words], env=cls.environment, input=text, capture_output=True, text=True, timeout=60)

    def test_takes_each_example(self):
        for folder in folders():
            with self.subTest(example=folder.name):
                answer = self.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", str(folder))
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))

    def test_refuses_a_faulty_one(self):
        text = (EXAMPLES / "one-service/stack.yaml").read_text()
        for old, new in (("imagePullPolicy: Never", "imagePullPolicy: Sometimes"), ("gateways:", "gateway:")):
            answer = self.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", text=text.replace(old, new))
            self.assertNotEqual(answer.returncode, 0, new)


if __name__ == "__main__":
    unittest.main()
