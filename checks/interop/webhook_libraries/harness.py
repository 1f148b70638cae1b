"""A recorder of deliveries, and the guide's receivers as processes."""

import http.client
import os
import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from program import PATIENCE, Process, fail, wait_until


class Recorder:
    """A receiver that keeps every delivery as it came."""

    def __init__(self):
        self.received = received = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received.put((headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def take(self, count):
        taken = []
        try:
            for _ in range(count):
                taken.append(self.received.get(timeout=PATIENCE))
        except queue.Empty:
            bodies = [body.decode()[:100] for _, body in taken]
            fail(f"{len(taken)} deliveries of {count} came within {PATIENCE} s:\n" + "\n".join(bodies))
        return taken

    def has_more(self):
        return not self.received.empty()


class Receiver(Process):
    """A receiver of the guide, started with a secret."""

    def __init__(self, name, command, port, secret, folder):
        environment = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port), "NO_COLOR": "1"}
        super().__init__(command, cwd=folder, env=environment)
        self.name, self.port = name, port
        wait_until(f"the receiver in {name} listens", self._listens)

    def _listens(self):
        if self.child.poll() is not None:
            self.reader.join()
            fail(f"the receiver in {self.name} ended:\n" + "\n".join(self.lines))
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def got(self, line):
        self.wait_for(f"the receiver in {self.name} prints {line!r}", lambda printed: printed == line)

    def post(self, headers, body):
        """Posts as anybody could; gives the status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("POST", "/hook", body, headers)
        status = connection.getresponse().status
        connection.close()
        return status
