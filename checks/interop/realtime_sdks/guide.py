"""The programs of docs/guide/realtime.md, each run as it stands there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from flow import location, suffix
from program import PATIENCE, Api, Process, block, fail, free_port, wait_until

HERE = pathlib.Path(__file__).parent


class Backend:
    """The backend that the page's text asks for: the page, the SDK, and GET under /dockside with a token."""

    def __init__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, headers, body = outer.answer(self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.files = {}

    def answer(self, path):
        if path in self.files:
            kind = "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8"
            return 200, {"Content-Type": kind}, self.files[path]
        if not path.startswith("/dockside/"):
            return 404, {}, b""
        caller = self.connecting if path == "/dockside/events/connection_token" else self.reading
        status, headers, body = caller.ask("GET", path.removeprefix("/dockside"))
        names = ("Content-Type", "Stream-Offset", "Stream-Epoch")
        return status, {name: headers[name] for name in names if name in headers}, body


class Guide:
    def __init__(self, installation, page, tools, work, backend):
        self.installation, self.page, self.tools, self.backend = installation, page, tools, backend
        self.folder = work / "guide"
        self.folder.mkdir()
        (self.folder / "node_modules").symlink_to(tools / "node_modules")
        self.address = f"http://127.0.0.1:{installation.port}"

    def organisation(self, name):
        return Api(self.installation.port, self.installation.token(name))

    def environment(self, token):
        # Where a proxy is set, the programs must still reach this machine.
        return {**os.environ, "DOCKSIDE": self.address, "TOKEN": token, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    def shell(self):
        """All blocks of `sh` in one shell; each shows what the block of `text` behind it says, where `…` is anything."""
        pairs = re.findall(r"^```sh\n(.*?)^```$(?:\s+^```text\n(.*?)^```$)?", self.page.read_text(), re.M | re.S)
        script = "set -eu\n" + "printf '\\036'\n".join(commands for commands, _ in pairs)
        environment = self.environment(self.organisation("Shell").token)
        ran = subprocess.run(
            ["sh", "-c", script], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        if ran.returncode != 0:
            fail(f"the guide's commands fail:\n{ran.stdout}\n{ran.stderr}")
        for (commands, shown), said in zip(pairs, ran.stdout.split("\x1e"), strict=True):
            pattern = ".*".join(re.escape(part) for part in shown.split("…"))
            if shown and not re.fullmatch(pattern, said, re.S):
                fail(f"the guide's commands\n{commands}\nprint\n{said}\nand not\n{shown}")
        return 1

    def programs(self):
        """Both programs follow the log, say when to reload, and stop when their access token is gone."""
        (self.folder / "follow.mjs").write_text(block(self.page, "js"))
        (self.folder / "follow.py").write_text(block(self.page, "python"))
        api = self.organisation("Programs")
        api("POST", "/events/provision")
        made = [api("POST", "/access_tokens", {"scopes": ["events:read", "locations:read"]}) for _ in range(2)]
        commands = [["node", "follow.mjs"], [sys.executable, "follow.py"]]
        running = [
            Process(command, cwd=self.folder, env=self.environment(token["token"])) for command, token in zip(commands, made)
        ]
        try:
            for program in running:
                program.wait_for("the guide's program connects", lambda line: line == "connected")
            there = api("POST", "/locations", location("Depot"))
            event = wait_until("an event gets its number", lambda: api("GET", f"/events?resource_id={there['id']}")["data"])[0]
            for program in running:
                program.wait_for("the guide's program follows", lambda line: line == f"location.created {event['id']}")
            self.installation.run("renew-epoch")
            for program in running:
                program.wait_for("the guide's program reloads", re.compile(r"reload locations:org_\w+#usr_\w+").fullmatch)
            for program, token in zip(running, made):
                api("DELETE", f"/access_tokens/{token['id']}")
                program.wait_for("the guide's program stops", re.compile(r"stopped \d+ unauthorized").fullmatch)
        finally:
            for program in running:
                program.stop()
        return len(running)

    def browsers(self):
        """The page in Chromium; and once more where no websocket gets through."""
        api = self.organisation("Pages")
        api("POST", "/events/provision")
        api("POST", "/locations", location("first"))
        tokens = [api("POST", "/access_tokens", {"scopes": scopes})["token"] for scopes in (["events:read"], ["*"])]
        self.backend.connecting, self.backend.reading = (Api(api.port, token) for token in tokens)
        page = block(self.page, "html")
        for there, here in {
            "dockside.example.com": f"127.0.0.1:{api.port}",
            "<organisation_id>#<user_id>": suffix(api),
            "wss://": "ws://",
            "https://": "http://",
        }.items():
            if there not in page:
                fail(f"the guide's page has no {there}")
            page = page.replace(there, here)
        sdk = self.tools / "node_modules/centrifuge/dist/centrifuge.js"
        self.backend.files = {
            "/": page.encode(),
            # Nobody listens there.
            "/fallback": page.replace("ws://${DOCKSIDE}", f"ws://127.0.0.1:{free_port()}").encode(),
            "/centrifuge.js": sdk.read_bytes(),
        }
        pages = [self.open(path) for path in ("/", "/fallback")]
        try:
            self.follow(pages, api)
        finally:
            for browser in pages:
                browser.child.stdin.close()
                browser.child.wait()
        lines = [line for browser in pages for line in browser.lines]
        if wrong := [line for line in lines if '"error"' in line]:
            fail(f"the guide's page fails: {wrong}")
        if [any("/connection/http_stream" in line for line in browser.lines) for browser in pages] != [False, True]:
            fail("the guide's page falls back where it need not, or does not where it must")
        return len(pages)

    def open(self, path):
        environment = {**os.environ, "CHROMIUM": shutil.which("chromium")}
        folder = self.folder / f"chromium{path.replace('/', '-')}"
        command = ["node", HERE / "browser.mjs", self.backend.origin + path, folder]
        return Process(command, cwd=self.tools, env=environment, stdin=subprocess.PIPE)

    def follow(self, pages, api):
        """They load, follow, and load again when the log is another one."""
        self.show(pages, ["first"])
        second = api("POST", "/locations", location("second"))
        self.show(pages, ["first", "second"])
        api("PATCH", f"/locations/{second['id']}", {"name": "renamed"})
        self.show(pages, ["first", "renamed"])
        seen = [len(browser.lines) for browser in pages]
        self.installation.run("renew-epoch")
        for browser, since in zip(pages, seen):
            catching_up = lambda: any('"catching up"' in line for line in browser.lines[since:])
            wait_until("a page notices", catching_up, lambda: "\n".join(browser.lines))
        self.show(pages, ["first", "renamed"])
        api("DELETE", f"/locations/{second['id']}")
        self.show(pages, ["first"])

    def show(self, pages, names):
        """They are live and show these, whatever they showed before."""
        for browser in pages:

            def holds():
                last = next((json.loads(line) for line in reversed(browser.lines) if '"state"' in line), {})
                return last.get("state") == "live" and sorted(last["list"]) == sorted(names)

            wait_until(f"a page shows {names}", holds, lambda: "\n".join(browser.lines))


def check_guide(installation, page, tools, work, backend):
    guide = Guide(installation, pathlib.Path(page), tools, work, backend)
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(run) for run in (guide.browsers, guide.programs, guide.shell)]
        return sum(ran.result() for ran in running)
