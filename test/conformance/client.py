"""Plain HTTPS and kubectl, as the rows use them. Answers can say what was expected of them."""

import base64
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

from pattern import mismatch

JSON = "application/json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

# What a client sees of a connection that its server closed. While a body is sent, whether the answer comes through is chance.
CUT_OFF = (ConnectionError, ssl.SSLError, http.client.IncompleteRead)


class Mismatch(AssertionError):
    """A row saw something else than it expected."""


class Answer:
    """One HTTP answer, read to its end."""

    def __init__(self, request, status, headers, text):
        self.request, self.status, self.headers, self.text = request, status, headers, text

    @property
    def json(self):
        try:
            return json.loads(self.text)
        except ValueError:
            raise Mismatch(f"{self.request}: expected JSON, got {self.text[:300]!r}") from None

    def expect(self, status, body=None, headers=None):
        """Checks status (one, or a tuple of them), JSON body and headers (by pattern); returns the body."""
        if self.status not in (status if isinstance(status, tuple) else (status,)):
            raise Mismatch(f"{self.request}: expected {status}, got {self.status} {self.text[:600].strip()}")
        for name, wanted in (headers or {}).items():
            why = mismatch(wanted, self.headers.get(name), name)
            if why:
                raise Mismatch(f"{self.request}: header {why}")
        if body is None:
            return self.json if self.headers.get("Content-Type", "").startswith(JSON) else self.text
        why = mismatch(body, self.json)
        if why:
            raise Mismatch(f"{self.request}: {why}")
        return self.json


class Watch:
    """A watch stream; `next` waits for one event."""

    def __init__(self, connection, response, request):
        self.connection, self.response, self.request = connection, response, request
        self.status = response.status

    def next(self):
        line = self.response.readline()
        if not line:
            raise Mismatch(f"{self.request}: expected an event, got the end of the stream")
        return json.loads(line)

    def expect(self, *patterns):
        """The next events match these patterns, one each; returns them."""
        events = []
        for pattern in patterns:
            try:
                event = self.next()
            except TimeoutError:
                raise Mismatch(f"{self.request}: expected an event {pattern!r}, got none in time") from None
            why = mismatch(pattern, event)
            if why:
                raise Mismatch(f"{self.request}: event {why}")
            events.append(event)
        return events

    def rest(self):
        """All events up to the end of the stream."""
        return [json.loads(line) for line in self.response if line.strip()]

    def close(self):
        self.connection.close()


class Client:
    """Talks to the server of a kubeconfig with its credentials, one kept connection a thread."""

    def __init__(self, kubeconfig, kubectl):
        text = subprocess.run([kubectl, "config", "view", "--raw", "--flatten", "--minify", "-o", "json"],
                              env={**os.environ, "KUBECONFIG": kubeconfig}, check=True, capture_output=True).stdout
        config = json.loads(text)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        address = urllib.parse.urlsplit(cluster["server"])
        self.server, self.host, self.port = cluster["server"], address.hostname, address.port
        self.certificate_authority = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
        self.context = ssl.create_default_context(cadata=self.certificate_authority or None)
        self.headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
        if "client-certificate-data" in user:
            self._load_certificate(user)
        self.kept = threading.local()

    def _load_certificate(self, user):
        with tempfile.NamedTemporaryFile() as pem:
            pem.write(base64.b64decode(user["client-certificate-data"]) + b"\n")
            pem.write(base64.b64decode(user["client-key-data"]))
            pem.flush()
            self.context.load_cert_chain(pem.name)

    def connect(self, timeout=30):
        """A new connection to the server."""
        if self.server.startswith("http:"):
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.context)

    def call(self, method, path, body=None, content_type=JSON, headers=None, query=None, raw=False):
        """One exchange. Header None takes a default header away; a raw answer stays bytes."""
        if query:
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(query)
        payload = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        sent = {"Accept": JSON, **self.headers, **({"Content-Type": content_type} if payload else {}), **(headers or {})}
        sent = {name: value for name, value in sent.items() if value is not None}
        connection = getattr(self.kept, "connection", None) or self.connect()
        self.kept.connection = None
        response = self._answer_to(connection, method, path, payload, sent)
        content = response.read()
        if not response.will_close:
            self.kept.connection = connection
        return Answer(f"{method} {path}", response.status, response.headers, content if raw else content.decode())

    @staticmethod
    def _answer_to(connection, *request):
        """The answer, also of a server that answers and closes before it has read all of the request."""
        try:
            connection.request(*request)
        except CUT_OFF as cut:
            try:
                return connection.getresponse()
            except (*CUT_OFF, http.client.HTTPException):
                raise cut from None
        return connection.getresponse()

    def watch(self, path, headers=None, timeout=10, **query):
        """Opens a watch; the answer's head has been read."""
        path += "?" + urllib.parse.urlencode({"watch": "true", **query})
        connection = self.connect(timeout)
        connection.request("GET", path, headers={"Accept": JSON, **self.headers, **(headers or {})})
        return Watch(connection, connection.getresponse(), f"GET {path}")
