"""The program under test, a client of its API, a recorder of deliveries, and the guide's receivers as processes."""

import http.client
import json
import os
import pathlib
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Longer than anything here may take, in seconds: what does not come by then fails the check.
PATIENCE = 30


def fail(sentence):
    sys.exit(f"webhooks: {sentence}")


def wait_until(what, holds, seen=lambda: ""):
    """Waits until something holds; where it does not, tells what was seen instead."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        if time.monotonic() > end:
            fail(f"{what}: not within {PATIENCE} s\n{seen()}")
        time.sleep(0.02)
    return found


class Process:
    """A process that ends with this one; what it prints is kept, line by line."""

    def __init__(self, command, **settings):
        self.lines = []
        self.child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, what, matches):
        """Waits for a line that matches, and gives what matched."""

        def found():
            if self.child.poll() is not None:
                self.reader.join()
                fail(f"{what}: it ended\n" + "\n".join(self.lines))
            return next((match for line in list(self.lines) if (match := matches(line))), None)

        return wait_until(what, found, lambda: "\n".join(self.lines))

    def stop(self):
        self.child.terminate()
        self.child.wait()
        self.reader.join()


class Server(Process):
    def __init__(self, binary, storage, work):
        self.log = work / "server.log"
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--outbound-allow", "127.0.0.0/8", *storage]
        super().__init__(command, cwd=work)
        match = self.wait_for("the server listens", re.compile(r"listening on http://127\.0\.0\.1:(\d+)").search)
        self.port = int(match[1])

    def stop(self):
        super().stop()
        self.log.write_text("\n".join(self.lines) + "\n")
        if self.child.returncode != 0 or any("panicked at" in line for line in self.lines):
            fail(f"the server did not end well; see {self.log}")


class Api:
    """One organisation's caller."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    def __call__(self, method, path, body=None, expect=(200, 201, 204)):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status not in expect:
            fail(f"{method} {path} answers {answer.status}: {text.decode()}")
        return json.loads(text) if text else None


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


def free_port():
    """A port that nobody listens on, below those that the kernel hands out by itself."""
    for port in range(20000 + os.getpid() % 6000, 32000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    return fail("no port is free")


def block(page, kind):
    """The one block of this kind in a page of the guide."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        fail(f"{page} has {len(blocks)} blocks of {kind}")
    return blocks[0]
