"""Checks the client libraries against the real program.

    check.py ENGINE BINARY ROOT WORK STORAGE…

ROOT is the repository, WORK a folder for all that is written, and STORAGE the program's flags for its database. A green run ends
with one line:
    clients on ENGINE: N libraries, N steps each, N examples, N webhooks accepted and N refused by each, N operations in both
The last part is on SQLite alone.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

from deliveries import write_cases
from packages import Packages
from program import Api, Server, block, fail
from relay import Relay

# Those of a journey, in both languages.
STEPS = ["authenticates", "is_refused", "pages", "changes", "repeats", "gives_up", "sends_once", "sends_files", "verifies", "follows"]
# What an example prints, whatever comes between.
PRINTED = ["cheapest: economy for 515 GBP", "status: purchased", "event: shipment.created", "event: shipment.purchased", "location: Bristol depot"]
# What the programs of the guide print, as the page says.
SHOWN = ["tagged: Library depot", "refused: 412 precondition_failed"]


class Organisation:
    """An organisation of the program, with a token."""

    def __init__(self, name, server, binary, storage, work):
        create = [binary, "token", "create", "--organisation", name, "--create-organisation", "--user", "a@acme.example", "--test", *storage]
        self.token = subprocess.run(create, cwd=work, check=True, capture_output=True, text=True).stdout.strip()
        self.api = Api(server.port, self.token)
        self.url = f"http://127.0.0.1:{server.port}"


def run_program(name, command, folder, environment):
    """Runs an example or a journey, and returns the lines that it printed."""
    # Where a proxy is set, the program must still be reached on this machine.
    settings = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "PYTHONPATH": "", **environment}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=1200)
    if done.returncode != 0:
        fail(f"{name} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout.splitlines()


def check_example(name, command, folder, organisation):
    lines = run_program(name, command, folder, {"DOCKSIDE": organisation.url, "TOKEN": organisation.token})
    for line in PRINTED:
        if line not in lines:
            fail(f"{name} does not print {line!r} but:\n" + "\n".join(lines))
    if not any(line.startswith("label: ") and int(line.split()[1]) > 1000 for line in lines):
        fail(f"{name} has no label:\n" + "\n".join(lines))


def check_guide(name, command, folder, organisation):
    lines = run_program(name, command, folder, {"DOCKSIDE": organisation.url, "TOKEN": organisation.token})
    if lines != SHOWN:
        fail(f"{name} does not print what the page shows but:\n" + "\n".join(lines))


def check_journey(name, command, folder, organisation, relay, cases):
    organisation.api("POST", "/events/provision")
    own = organisation.api("GET", "/access_tokens")["data"][0]["id"]
    environment = {
        "DOCKSIDE": organisation.url,
        "TOKEN": organisation.token,
        "TOKEN_ID": own,
        "RELAY": relay.address,
        "LINE": f"http://{relay.line.address}",
        "CASES": str(cases),
    }
    start = time.monotonic()
    lines = run_program(name, command, folder, environment)
    steps = [json.loads(line) for line in lines if line.startswith("{")]
    if [step["step"] for step in steps] != STEPS:
        fail(f"{name} did other steps:\n" + "\n".join(lines))
    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
    (verified,) = [step for step in steps if step["step"] == "verifies"]
    return verified["accepted"], verified["refused"]


def main():
    engine, binary, root, work, *storage = sys.argv[1:]
    root, work, here = pathlib.Path(root), pathlib.Path(work), pathlib.Path(__file__).parent
    packages = Packages(root, work)
    packages.check_versions()
    # Neither depends on the engine.
    compared = ""
    if engine == "sqlite":
        compared = f", {packages.compare_generated()} operations in both"
        packages.check_types()
    page = root / "docs/guide/client-libraries.md"
    (work / "guide.ts").write_text(block(page, "typescript"))
    (work / "guide.py").write_text(block(page, "python"))
    typescript = [root / "clients/typescript/examples/first_parcel.ts", work / "guide.ts", here / "journey.ts"]
    python = [root / "clients/python/examples/first_parcel.py", work / "guide.py", here / "journey.py"]
    node = packages.install_typescript(packages.pack_typescript(), typescript)
    own_python = packages.install_python(packages.pack_python(), python)
    programs = {
        "TypeScript": ([["node", f"built/{path.stem}.js"] for path in typescript], node),
        "Python": ([[own_python, path] for path in python], work),
    }

    # The recorder of webhooks is on this machine.
    server = Server(binary, ["--outbound-allow", "127.0.0.0/8", *storage], work)
    relay = Relay(server.port)
    try:
        cases = work / "cases.json"
        recorder = Organisation("Webhooks", server, binary, storage, work)
        recorder.api("POST", "/events/provision")
        expected = write_cases(recorder.api, cases)
        for name, ((example, guide, journey), folder) in programs.items():
            shop, depot, parcel = (Organisation(f"{what} {name}", server, binary, storage, work) for what in ("Shop", "Depot", "Parcel"))
            check_example(f"the example in {name}", example, folder, parcel)
            check_guide(f"the guide's program in {name}", guide, folder, depot)
            verified = check_journey(f"the journey in {name}", journey, folder, shop, relay, cases)
            if verified != expected:
                fail(f"the library in {name} accepts and refuses {verified} webhooks, not {expected}")
    finally:
        server.stop()
    accepted, refused = expected
    print(
        f"clients on {engine}: {len(programs)} libraries, {len(STEPS)} steps each, {2 * len(programs)} examples, {accepted} webhooks "
        f"accepted and {refused} refused by each{compared}"
    )


main()
