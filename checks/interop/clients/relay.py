"""A relay between a client and the server that loses answers, refuses requests, and counts what it was sent."""

import http.client
import json
import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from program import PATIENCE
from sdk import Line

# Headers of one connection, which are not passed on.
OWN = {"connection", "transfer-encoding", "keep-alive"}


class Quiet(ThreadingHTTPServer):
    """A server whose clients may end as they like."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Relay:
    """Passes requests on. `POST /relay` with a list of faults makes the next requests meet them, one each; it answers how many
    requests have come since the last list. A fault is `lose`, which passes the request on and closes the connection instead of
    answering, `drop`, which closes it at once, `cut`, which ends within the answer, or an answer: its status, and the seconds of `Retry-After`.
    `{"line": "cut"}` and `{"line": "mend"}` cut and mend the line beside it, which carries websockets."""

    def __init__(self, port):
        self.port, self.faults, self.count, self.lock = port, [], 0, threading.Lock()
        self.line = Line(port)
        handler = type("Handler", (Handler,), {"relay": self})
        self.server = Quiet(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def control(self, wish):
        with self.lock:
            if isinstance(wish, list):
                self.faults = wish
                before, self.count = self.count, 0
                return {"count": before}
        self.line.cut() if wish["line"] == "cut" else self.line.mend()
        return {}

    def next_fault(self):
        with self.lock:
            self.count += 1
            return self.faults.pop(0) if self.faults else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    relay = None

    def handle_any(self):
        body = b"".join(self.pieces()) if "Transfer-Encoding" in self.headers else self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/relay":
            return self.answer(200, [("Content-Type", "application/json")], json.dumps(self.relay.control(json.loads(body))).encode())
        fault = self.relay.next_fault()
        if fault == "drop":
            return self.reset()
        if isinstance(fault, list):
            status, seconds = fault
            return self.answer(status, [("Retry-After", str(seconds)), ("Content-Type", "text/plain")], b"not now")
        connection = http.client.HTTPConnection("127.0.0.1", self.relay.port, timeout=PATIENCE)
        connection.request(self.command, self.path, body or None, {k: v for k, v in self.headers.items() if k.lower() not in OWN})
        found = connection.getresponse()
        text = found.read()
        connection.close()
        if fault == "lose":
            return self.reset()
        if fault == "cut":
            text, extra = text[: len(text) // 2], len(text) - len(text) // 2
        else:
            extra = 0
        skipped = OWN | {"content-length", "date"}
        return self.answer(found.status, [(k, v) for k, v in found.getheaders() if k.lower() not in skipped], text, extra)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def pieces(self):
        """The pieces of a body that is sent without its length."""
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, status, headers, body, missing=0):
        """Sends an answer, of which some bytes may be missing."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) + missing))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection |= missing > 0

    def reset(self):
        """Ends the connection as a lost one ends: without a word."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass
