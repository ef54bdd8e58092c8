"""A proxy in front of a server that breaks one behaviour of it at a time, so that a row can be seen to fail."""

import http.client
import http.server
import json
import threading
import urllib.parse

HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "host"}


class Exchange:
    """One request on its way to the server, and its answer on the way back, as a breakage may change them."""

    def __init__(self, method, target, headers, body):
        path, _, query = target.partition("?")
        self.method, self.path, self.headers = method, path, headers
        self.query = urllib.parse.parse_qsl(query, keep_blank_values=True)
        self.sent = self.json = _json_of(body)  # the body as the client sent it, and as the server will get it
        self.raw = body
        self.status, self.answer_headers, self.answer, self.answer_raw = 0, [], None, b""

    @property
    def target(self):
        return self.path + ("?" + urllib.parse.urlencode(self.query) if self.query else "")

    @property
    def body(self):
        return self.raw if self.json is self.sent else json.dumps(self.json).encode()

    def parameter(self, name):
        return dict(self.query).get(name, "")

    def drop(self, *names):
        self.query = [(name, value) for name, value in self.query if name not in names]

    @property
    def is_watch(self):
        return self.parameter("watch") in ("true", "1")

    def took(self, status, answer):
        """Gives the client another code and answer than the server's."""
        self.status, self.answer, self.answer_raw = status, answer, json.dumps(answer).encode()


def _json_of(text):
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


class Proxy:
    """Listens on loopback, in plain HTTP; `breakage` is what it breaks now, None for nothing."""

    def __init__(self, client):
        self.client, self.breakage = client, None
        self.faults = []  # of the proxy itself: what fails because of them proves nothing
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                proxy.serve(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        exchange = Exchange(handler.command, handler.path,
                            {name: value for name, value in handler.headers.items() if name.lower() not in HOP_BY_HOP},
                            handler.rfile.read(length))
        connection = self.client.connect(60)
        try:
            if self.breakage:
                self.breakage.ask(exchange, self.upstream)
            connection.request(exchange.method, exchange.target, exchange.body or None, exchange.headers)
            response = connection.getresponse()
            (self._stream if exchange.is_watch and response.status == 200 else self._answer)(handler, exchange, response)
        except (BrokenPipeError, ConnectionResetError):  # the client has seen enough of a watch
            handler.close_connection = True
        except Exception as fault:  # pylint: disable=broad-except
            self.faults.append(repr(fault))
            handler.close_connection = True
        finally:
            connection.close()

    def upstream(self, method, path, body=None):
        """An exchange of the proxy's own with the server."""
        return self.client.call(method, path, body).json

    def _answer(self, handler, exchange, response):
        exchange.status, exchange.answer_raw = response.status, response.read()
        exchange.answer = _json_of(exchange.answer_raw)
        exchange.answer_headers = [pair for pair in response.getheaders() if pair[0].lower() not in HOP_BY_HOP]
        if self.breakage:
            before = json.dumps(exchange.answer)
            self.breakage.reply(exchange)
            if json.dumps(exchange.answer) != before:
                exchange.answer_raw = json.dumps(exchange.answer).encode()
        handler.send_response(exchange.status)
        for name, value in exchange.answer_headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(exchange.answer_raw)))
        handler.end_headers()
        handler.wfile.write(exchange.answer_raw)

    def _stream(self, handler, exchange, response):
        handler.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP:
                handler.send_header(name, value)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for line in response:
            event = json.loads(line)
            if self.breakage:
                event = self.breakage.event(exchange, event)
            if event is not None:
                piece = json.dumps(event).encode() + b"\n"
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")
