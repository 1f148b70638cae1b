"""Has the official SDKs of the realtime protocol follow the real program, and holds a plain websocket to the letter of it.

    check.py ENGINE BINARY TOOLS PAGE WORK [DATABASE DATABASE]

TOOLS is where ./test installed the packages, PAGE is docs/guide/realtime.md, WORK a folder for all that is written, and
the DATABASEs are addresses of two empty ones in PostgreSQL. A green run ends with one line:
    realtime_sdks on ENGINE: N clients of SDKs, N steps each, N checks of the wire, N programs of the guide
"""

import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from flow import Flow
from guide import Backend, check_guide
from program import Server, free_port
from sdk import KINDS
from wire import check_wire

# Short, so that they run out while somebody watches; in seconds.
CONNECTION_SECONDS = 3
SUBSCRIPTION_SECONDS = 2


class Installation:
    """The program on data of its own, which can be started again, and its commands."""

    def __init__(self, binary, work, database, origin):
        work.mkdir()
        self.binary, self.work, self.port = binary, work, free_port()
        self.storage = ["--data", work / "data", *(["--database-url", database] if database else [])]
        self.version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
        lives = {"token": CONNECTION_SECONDS, "subscription-token": SUBSCRIPTION_SECONDS}
        self.settings = [flag for name, life in lives.items() for flag in (f"--realtime-{name}-seconds", str(life))]
        self.settings += ["--cors-origins", origin]
        self.start()

    def start(self):
        self.server = Server(self.binary, [*self.settings, *self.storage], self.work, self.port)

    def run(self, *arguments):
        command = [self.binary, *arguments, *self.storage]
        return subprocess.run(command, cwd=self.work, check=True, capture_output=True, text=True).stdout.strip()

    def token(self, organisation, *more):
        create = ["token", "create", "--organisation", organisation, "--create-organisation", "--user", "a@example.com"]
        return self.run(*create, *more)


class Together:
    """The flows, each step done by all at once."""

    def __init__(self, installation, tools):
        self.pool, self.steps, self.flows = ThreadPoolExecutor(len(KINDS)), 0, []
        make = lambda name: Flow(name, installation.port, installation.token(name), tools)
        self.flows = list(self.pool.map(make, KINDS))

    def do(self, step, *arguments):
        """Has every flow do a step; an argument that is a list has one for each."""
        start = time.monotonic()
        given = [[it[n] if isinstance(it, list) else it for it in arguments] for n in range(len(self.flows))]
        doing = [self.pool.submit(getattr(flow, step), *its) for flow, its in zip(self.flows, given)]
        for done in doing:
            done.result()
        self.steps += 1
        print(f"{step}: {time.monotonic() - start:.1f} s", flush=True)

    def marks(self):
        return [flow.sdk.mark() for flow in self.flows]


def check_sdks(installation, tools):
    all = Together(installation, tools)
    try:
        for step in ("connects", "joins", "refreshes", "recovers", "loads_then_joins", "listens"):
            all.do(step)
        installation.run("announce", "The quay closes at six. 📦")
        all.do("hears", "The quay closes at six. 📦")

        since = all.marks()
        installation.run("renew-epoch")
        all.do("starts_anew", since)

        since, before = all.marks(), [flow.position()["offset"] for flow in all.flows]
        for flow in all.flows:
            flow.line.close()
        installation.server.stop()
        all.do("is_sent_away", since)
        installation.start()
        all.do("returns", since, before)

        all.do("is_revoked")
        all.do("is_deprovisioned")
    finally:
        for flow in all.flows:
            flow.stop()
    return len(all.flows), all.steps


def main():
    engine, binary, tools, page, work, *databases = sys.argv[1:]
    tools, work, backend = pathlib.Path(tools), pathlib.Path(work), Backend()
    first, second = databases or (None, None)
    installation = Installation(binary, work / "sdks", first, backend.origin)
    # On another one: it waits for pings, and must not be disturbed by what is done to the first.
    plain = Installation(binary, work / "wire", second, backend.origin)
    try:
        with ThreadPoolExecutor(1) as beside:
            wire = beside.submit(check_wire, plain, backend.origin)
            clients, steps = check_sdks(installation, tools)
            programs = check_guide(installation, page, tools, work, backend)
            checks = wire.result()
    finally:
        installation.server.stop()
        plain.server.stop()
    print(
        f"realtime_sdks on {engine}: {clients} clients of SDKs, {steps} steps each, {checks} checks of the wire, "
        f"{programs} programs of the guide"
    )


main()
