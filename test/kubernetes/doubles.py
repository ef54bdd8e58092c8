"""What stands between an operator and the world in operator_test: an engine and a way to the API server that record."""

import contextlib
import http.server
import json
import re
import select
import socket
import socketserver
import ssl
import struct
import threading
import time
from typing import NamedTuple


class Write(NamedTuple):
    at: float
    who: int
    what: str


class Engine:
    """A container engine on a socket that takes down who writes what and when. It refuses all work with a 503, so that
    whoever works on a Cluster tries again and again."""

    def __init__(self, path):
        self.recorded = []
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                self.rfile.read(length)
                if self.command not in ("GET", "HEAD"):
                    peer = self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                    engine.recorded.append(Write(time.monotonic(), struct.unpack("3i", peer)[0], f"{self.command} {self.path}"))
                code, body = engine.answer(self.command, self.path)
                text = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Api-Version", "1.47")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(text)

            do_GET = do_HEAD = do_POST = do_DELETE = do_PUT = answer

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that was killed

        self.server = Server(str(path), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(method, path):
        path = re.sub(r"^/v1\.\d+", "", path.partition("?")[0])
        if path == "/version":
            return 200, {"Version": "28.0.0", "ApiVersion": "1.47", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64"}
        if path == "/info":
            return 200, {"ID": "double", "Name": "double", "OSType": "linux", "Architecture": "x86_64", "NCPU": 2,
                         "MemTotal": 4 << 30, "Swarm": {"LocalNodeState": "inactive", "NodeID": ""}, "ServerVersion": "28.0.0"}
        if path == "/volumes":
            return 200, {"Volumes": [], "Warnings": None}
        if method == "GET" and path in ("/networks", "/containers/json", "/images/json", "/services", "/nodes", "/tasks"):
            return (200, []) if path in ("/networks", "/containers/json", "/images/json") else (503, {"message": "not in a swarm"})
        if method == "GET":
            return 404, {"message": "no such thing"}
        time.sleep(0.02)
        return 503, {"message": "the engine is busy"}

    def writes(self, operator, since=0.0):
        return [write for write in list(self.recorded) if write.who == operator.process.pid and write.at >= since]

    def removals(self):
        return [write for write in list(self.recorded) if write.what.startswith("DELETE") or "/leave" in write.what]


class Proxy:
    """The way of one operator to the API server, with the server's own certificate: takes down its writes, and can refuse
    its watches."""

    def __init__(self, address, trust, certificates):
        self.address, self.recorded, self.count, self.cut, self.watches = address, [], 0, False, set()
        self.context = ssl.create_default_context(cadata=trust)
        self.own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.own.load_cert_chain(certificates / "apiserver.crt", certificates / "apiserver.key")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        host, port = self.address
        try:
            client = self.own.wrap_socket(client, server_side=True)
            server = self.context.wrap_socket(socket.create_connection((host, port), 5), server_hostname=host)
            server.settimeout(None)
            while self.move(client, server):
                pass
        except (OSError, ValueError):
            pass
        self.end(client)
        with contextlib.suppress(UnboundLocalError):
            self.end(server)

    def move(self, client, server):
        """Both directions on one thread: OpenSSL's connections are not for two."""
        ready = [one for one in (client, server) if one.pending()] or select.select([client, server], [], [])[0]
        for one in ready:
            one.setblocking(False)
            try:
                data = one.recv(65536)
            except ssl.SSLWantReadError:
                continue  # a record that is only for TLS itself
            finally:
                one.setblocking(True)
            if not data or (one is client and not self.admit(data, client, server)):
                return False
            (server if one is client else client).sendall(data)
        return True

    def admit(self, data, client, server):
        line = re.match(rb"(GET|POST|PUT|PATCH|DELETE) (\S+) HTTP/1.1\r\n", data)
        if not line:
            return True
        self.count += 1
        method, target = line[1].decode(), line[2].decode()
        if method != "GET":
            self.recorded.append(Write(time.monotonic(), 0, f"{method} {target}"))
        if "watch=1" not in target or "leases" in target:
            return True
        self.watches.add((client, server))
        return not self.cut

    @staticmethod
    def end(*sockets):
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                one.close()

    def cut_watches(self, cut):
        self.cut = cut
        for pair in list(self.watches):
            self.end(*pair)
        self.watches.clear()

    def writes(self, since=0.0):
        return [write for write in list(self.recorded) if write.at >= since]

    def requests(self):
        return self.count
