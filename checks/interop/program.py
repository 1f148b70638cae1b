"""The program under test, a client of its API, and what the checks share: processes, waiting, pages of the guide."""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

# Longer than anything here may take, in seconds: what does not come by then fails the check.
PATIENCE = 90


def fail(sentence):
    sys.exit(f"{pathlib.Path(sys.argv[0]).parent.name}: {sentence}")


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
        settings = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **settings}
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **settings)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, what, matches):
        """Waits for a line that matches, and gives what matched."""

        def found():
            if is_over := self.child.poll() is not None:
                self.reader.join()
            match = next((match for line in list(self.lines) if (match := matches(line))), None)
            if is_over and not match:
                fail(f"{what}: it ended\n" + "\n".join(self.lines))
            return match

        return wait_until(what, found, lambda: "\n".join(self.lines))

    def stop(self):
        self.child.terminate()
        self.child.wait()
        self.reader.join()


class Server(Process):
    def __init__(self, binary, settings, work, port=0):
        self.log = work / "server.log"
        super().__init__([binary, "serve", "--listen", f"127.0.0.1:{port}", *settings], cwd=work)
        match = self.wait_for("the server listens", re.compile(r"listening on http://127\.0\.0\.1:(\d+)").search)
        self.port = int(match[1])

    def stop(self):
        super().stop()
        # It may be started again in the same folder.
        with self.log.open("a") as log:
            log.write("\n".join(self.lines) + "\n")
        if self.child.returncode != 0 or any("panicked at" in line for line in self.lines):
            fail(f"the server did not end well; see {self.log}")


class Api:
    """One organisation's caller."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    def __call__(self, method, path, body=None, expect=(200, 201, 204)):
        status, _, text = self.ask(method, path, body)
        if status not in expect:
            fail(f"{method} {path} answers {status}: {text.decode()}")
        return json.loads(text) if text else None

    def ask(self, method, path, body=None):
        """The answer as it came: status, headers, bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers, text


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
