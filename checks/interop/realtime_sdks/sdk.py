"""A client of an official SDK as a process, and the line between it and the server, which can be cut."""

import itertools
import json
import pathlib
import socket
import struct
import subprocess
import sys
import threading

from program import Process, fail, wait_until

HERE = pathlib.Path(__file__).parent
# Each by its own transport and encoding; all do the same.
KINDS = {
    "JavaScript, websocket": ("node", "websocket", "json"),
    "JavaScript, websocket, Protobuf": ("node", "websocket", "protobuf"),
    "JavaScript, http_stream": ("node", "http_stream", "json"),
    "JavaScript, http_stream, Protobuf": ("node", "http_stream", "protobuf"),
    "JavaScript, sse": ("node", "sse", "json"),
    "Python": ("python", "websocket", "json"),
    "Python, Protobuf": ("python", "websocket", "protobuf"),
}


class Line:
    """A relay of TCP to a port of this machine. It can be cut as a cable is, or closed to newcomers."""

    def __init__(self, port):
        self.port, self.is_open, self.sockets, self.lock = port, True, set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.port)) if self.is_open else None
        except OSError:
            far = None
        with self.lock:
            if far is None or not self.is_open:
                return near.close()
            self.sockets |= {near, far}
        threading.Thread(target=self._carry, args=(near, far), daemon=True).start()
        self._carry(far, near)

    def _carry(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        """Lets nobody in; who is in stays."""
        with self.lock:
            self.is_open = False

    def cut(self):
        """Ends every connection without a goodbye, and lets nobody in."""
        with self.lock:
            self.is_open = False
            for end in self.sockets:
                # To linger for no time is to reset.
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
            self.sockets.clear()

    def mend(self):
        with self.lock:
            self.is_open = True


class Sdk(Process):
    """A client; `tokens` are the access tokens it asks the API with, for the connection and for single channels."""

    def __init__(self, name, address, api, tokens, tools):
        self.name, self.ids = name, itertools.count(1)
        runtime, transport, codec = KINDS[name]
        self.transport, self.is_exact = transport, codec == "protobuf"
        # The JavaScript SDK (5.7.4) begins with the second of two frames that come at the same moment before it is done with the
        # first: of [1, 2] and [3] it makes 1, 3, 2. The other SDKs, wire.py and the suite hold the server to the order.
        self.keeps_order = runtime != "node"
        program = ["node", HERE / "client.mjs"] if runtime == "node" else [sys.executable, HERE / "client.py"]
        config = {"transport": transport, "codec": codec, "address": address, "api": api, "tokens": tokens}
        super().__init__([*program, json.dumps(config)], cwd=tools, stdin=subprocess.PIPE)

    def events(self, since=0):
        """What it told, from a mark on."""
        lines = list(self.lines[since:])
        try:
            return [json.loads(line) for line in lines]
        except json.JSONDecodeError:
            return fail(f"{self.name} has something else to say:\n" + "\n".join(lines))

    def mark(self):
        return len(self.lines)

    def sees(self, event, since=0, **about):
        """Waits for an event of this kind that is so."""

        def found():
            if self.child.poll() is not None:
                fail(f"{self.name} ended:\n" + "\n".join(self.lines))
            for told in self.events(since):
                if told["event"] == event and all(told.get(name) == value for name, value in about.items()):
                    return told
            return None

        return wait_until(f"{self.name} sees {event} {about}", found, lambda: "\n".join(self.lines))

    def act(self, act, **about):
        """Does something, and gives what came of it: a result, or an error."""
        id, since = next(self.ids), self.mark()
        print(json.dumps({"id": id, "act": act, **about}), file=self.child.stdin, flush=True)
        answer = self.sees("answer", since, id=id)
        return answer.get("error") or answer.get("result")

    def publications(self, channel):
        """All that came by a channel: (offset, text)."""
        told = self.events()
        return [(it["offset"], it["text"]) for it in told if it["event"] == "publication" and it["channel"] == channel]

    def stop(self):
        self.child.stdin.close()
        super().stop()
