"""The Debian package: built twice and compared, judged by lintian, and installed, upgraded, removed and purged on a machine of its own, where
systemd starts the server by the unit of the package."""

import os
import pathlib
import re
import signal
import subprocess
import time

from checks import DEPLOY, HERE, TOOLS, VERSION, can, environment, holds, run
from program import Process, wait_until

SERVER = "http://127.0.0.1:8080"
DATA = "var/lib/dockside"


def build(binary, folder, version):
    # Compressed fast: what is checked does not depend on it.
    settings = environment(DEB_COMPRESSION="-Zgzip -z1")
    return pathlib.Path(run(DEPLOY / "debian/build.sh", binary, version, folder, env=settings).strip())


def check_package(binary, work):
    """Returns the packages of two versions. A release names the first, which is then the one that is tried."""
    (work / "again").mkdir()
    again = build(binary, work / "again", f"{VERSION}-1")
    if released := os.environ.get("DOCKSIDE_RELEASED_PACKAGE"):
        package = pathlib.Path(released)
    else:
        package = build(binary, work, f"{VERSION}-1")
        holds("two builds of the package are equal", package.read_bytes() == again.read_bytes())
    # As nobody: lintian warns if it runs as root.
    run("lintian", "--allow-root", "--fail-on", "error,warning", package)
    holds("lintian has no complaint", True)
    listed = run("dpkg-deb", "--contents", package)
    holds("all files belong to root", all(line.split()[1] == "root/root" for line in listed.splitlines()), listed)
    offered = {word: can(binary, "help", word) for word in ("man", "completions")}
    for word, path in (("man", "usr/share/man/man1/dockside.1.gz"), ("completions", "bash-completion/completions/dockside")):
        if offered[word] or word == "man":
            holds(f"the package has {path}", path in listed, listed)
    return package, build(binary, work, f"{VERSION}-2")


def check_unit():
    unit = DEPLOY / "dockside.service"
    # The threshold is in tenths.
    seen = run("systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", unit)
    level = re.search(r"exposure level for dockside.service: ([\d.]+)", seen)
    holds("systemd rates the unit's exposure at 2.0 or less", level and float(level[1]) <= 2, seen)
    return level[1]


class Machine:
    """A Debian system in which systemd runs."""

    def __init__(self, work):
        self.root = work / "machine"
        self.root.mkdir()
        run("tar", "--extract", "--numeric-owner", "--file", TOOLS / "debian.tar", "--directory", self.root)
        self.process = Process(["unshare", "--mount", "bash", str(HERE / "machine.sh"), str(self.root)])
        self.init = wait_until("systemd is the first process of its machine", self._find_init, self._told)
        wait_until("the machine is up", lambda: "running" in self("systemctl", "is-system-running", expect=None), self._told)

    def _told(self):
        return "\n".join(self.process.lines)

    def _find_init(self):
        if self.process.child.poll() is not None:
            return None
        below = run("ps", "-o", "pid=,comm=", "--ppid", self.process.child.pid, expect=None)
        for parent in re.findall(r"(\d+) unshare", below):
            found = re.search(r"(\d+) systemd", run("ps", "-o", "pid=,comm=", "--ppid", parent, expect=None))
            if found:
                return found[1]
        return None

    def __call__(self, *command, expect=0):
        """Runs a command on the machine."""
        return run("nsenter", "--target", self.init, "--all", "--", *command, expect=expect)

    def ask(self, path, *options, expect=0):
        """Asks the server on the machine, from there, with the curl that is here."""
        return run("nsenter", "--target", self.init, "--net", "--", "curl", "--silent", *options, f"{SERVER}{path}", expect=expect)

    def install(self, package):
        target = self.root / package.name
        target.write_bytes(package.read_bytes())
        self("dpkg", "--install", f"/{package.name}")
        target.unlink()

    def shows(self, *properties):
        """Returns properties of the unit, as systemd shows them."""
        words = [f"--property={each}" for each in properties]
        lines = self("systemctl", "show", "dockside.service", *words).splitlines()
        return dict(line.split("=", 1) for line in lines)

    def path(self, path):
        return self.root / path

    def stop(self):
        self.process.child.send_signal(signal.SIGTERM)
        self.process.child.wait(timeout=60)


def owner_and_mode(machine, path):
    return machine("stat", "--format=%U:%G %a", f"/{path}").strip()


def wait_until_ready(machine):
    wait_until(
        "the server on the machine is ready",
        lambda: '"ok"' in machine.ask("/readyz", expect=None),
        lambda: machine("journalctl", "--unit=dockside", "--no-pager", expect=None),
    )


def check_install(machine, package):
    """Returns the token of the new store."""
    machine.install(package)
    wait_until_ready(machine)
    unit = machine.shows("ActiveState", "UnitFileState", "NRestarts", "MainPID")
    holds("systemd has started and enabled the server", (unit["ActiveState"], unit["UnitFileState"]) == ("active", "enabled"), unit)
    holds("the server did not fail at its start", unit["NRestarts"] == "0", unit)
    modes = {
        "etc/dockside": "root:dockside 750",
        "etc/dockside/dockside.toml": "root:dockside 640",
        DATA: "dockside:dockside 700",
        f"{DATA}/secrets.toml": "dockside:dockside 600",
        f"{DATA}/welcome.txt": "dockside:dockside 600",
    }
    for path, mode in modes.items():
        seen = owner_and_mode(machine, path)
        holds(f"/{path} is for {mode}", seen == mode, seen)
    status = machine("cat", f"/proc/{unit['MainPID']}/status")
    for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"):
        holds(f"the server has {line}", line in status, status)
    holds("dockside health finds it ready", machine("dockside", "health") == "ready\n")
    users = machine("runuser", "--user=dockside", "--", "dockside", "user", "list", "--config", "/etc/dockside/dockside.toml")
    holds("commands run as the server's user, with its settings", "admin@localhost" in users, users)
    log = machine("journalctl", "--unit=dockside", "--no-pager", "--output=cat")
    bad = [line for line in log.splitlines() if '"level":"error"' in line or '"level":"warn"' in line]
    holds("the server's log has neither errors nor warnings", not bad, log)
    return re.search(r"dk_live_\w+", machine.path(f"{DATA}/welcome.txt").read_text())[0]


def add_location(machine, token):
    body = '{"name":"Depot","address":{"address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}}}'
    headers = ["--header", f"Authorization: Bearer {token}", "--header", "Content-Type: application/json"]
    made = machine.ask("/locations", *headers, "--data", body)
    found = re.search(r'"id":"(loc_\w+)"', made)
    holds("the server makes a location", found, made)
    return found[1]


def check_work(machine):
    """Has the server do what it can under its unit: the sample shop has orders, waves, labels and a manifest. A system call that the unit
    forbids would fail here."""
    token = re.search(r"dk_test_\w+", machine.path(f"{DATA}/welcome.txt").read_text())[0]
    status = lambda: machine.ask("/sample_data", "--request", "POST", "--header", f"Authorization: Bearer {token}")
    wait_until("the sample shop is complete", lambda: '"completed"' in status(), status)
    log = machine("journalctl", "--unit=dockside", "--no-pager", "--output=cat")
    holds("the unit forbids nothing that the server's work needs", '"level":"error"' not in log, log)


def check_lookup(machine):
    """Looks a name up as the server would under its unit, which has no sockets for the kernel's routing tables."""
    unit = (DEPLOY / "dockside.service").read_text().split("# Privileges", 1)[1].split("[Install]", 1)[0]
    limits = [f"--property={line}" for line in unit.splitlines() if "=" in line and not line.startswith("#")]
    # Of this type, it is awaited; without a message bus, nothing else can be.
    limits += ["--property=Type=oneshot", "--property=RemainAfterExit=yes"]
    machine("systemd-run", "--quiet", "--unit=lookup", "--uid=dockside", *limits, "/usr/bin/dockside", "health",
            "--url", "http://dockside:8080", expect=None)
    seen = machine("journalctl", "--unit=lookup", "--no-pager", "--output=cat")
    holds("the unit lets the server look names up", "ready" in seen.splitlines(), seen)


def check_upgrade(machine, package, token, location):
    settings = machine.path("etc/dockside/dockside.toml")
    with settings.open("a") as file:
        file.write('\nlog = "info,dockside::request=off"\n')
    kept = settings.read_text()
    before = machine.shows("MainPID")["MainPID"]
    machine.install(package)
    wait_until("the new program runs", lambda: machine.shows("MainPID")["MainPID"] not in (before, "0"))
    wait_until_ready(machine)
    holds("the upgrade is installed", f"{VERSION}-2" in machine("dpkg-query", "--show", "dockside"))
    holds("an upgrade keeps the administrator's settings", settings.read_text() == kept, settings.read_text())
    holds("an upgrade keeps their owner and mode", owner_and_mode(machine, "etc/dockside/dockside.toml") == "root:dockside 640")
    answer = machine.ask(f"/locations/{location}", "--header", f"Authorization: Bearer {token}")
    holds("an upgrade keeps the data", '"Depot"' in answer, answer)


def check_removal(machine, package, token, location):
    process = machine.shows("MainPID")["MainPID"]
    machine("dpkg", "--remove", "dockside")
    machine("test", "-e", f"/proc/{process}", expect=1)
    holds("a removal stops the server", True)
    holds("a removal keeps data and settings", machine.path(f"{DATA}/dockside.db").exists() and machine.path("etc/dockside/dockside.toml").exists())
    machine.install(package)
    wait_until_ready(machine)
    answer = machine.ask(f"/locations/{location}", "--header", f"Authorization: Bearer {token}")
    holds("an installation after a removal goes on with the data", '"Depot"' in answer, answer)
    machine("dpkg", "--purge", "dockside")
    left = machine("find", "/", "-xdev", "-iname", "*dockside*", "-not", "-path", "/proc/*", "-not", "-path", "/sys/*")
    holds("a purge leaves nothing", left == "", left)
    holds("a purge leaves the user, so that its id becomes no other's", "dockside" in machine("getent", "passwd", "dockside"))


def check_proxy(machine):
    """Caddy with the Caddyfile of compose.yaml, in front of the server that the package has started."""
    caddy = machine.path("root/caddy")
    caddy.write_bytes((TOOLS / "caddy/usr/bin/caddy").read_bytes())
    caddy.chmod(0o755)
    machine.path("root/Caddyfile").write_bytes((DEPLOY / "compose/Caddyfile").read_bytes())
    with machine.path("etc/hosts").open("a") as hosts:
        hosts.write("127.0.0.1 localhost dockside shop.localhost\n")
    # Names below localhost get a certificate of Caddy's own authority.
    machine("systemd-run", "--quiet", "--unit=caddy", "--setenv=HOME=/root", "--setenv=DOCKSIDE_DOMAIN=shop.localhost",
            "/root/caddy", "run", "--config", "/root/Caddyfile", "--adapter", "caddyfile")
    authority = machine.path("root/.local/share/caddy/pki/authorities/local/root.crt")
    at_proxy = ["nsenter", "--target", machine.init, "--net", "--", "curl", "--silent", "--resolve", "shop.localhost:443:127.0.0.1",
                "--cacert", authority, "--write-out", "\n%{http_code}"]
    asked = lambda path: run(*at_proxy, f"https://shop.localhost{path}", expect=None)
    wait_until("Caddy answers with a certificate of its authority", lambda: asked("/").endswith("\n200"),
               lambda: machine("journalctl", "--unit=caddy", "--no-pager", expect=None))
    holds("Caddy passes the API on", '"openapi"' in asked("/openapi.json"))
    for path in ("/metrics", "/healthz", "/readyz"):
        holds(f"Caddy keeps {path} to itself", asked(path) == "\n404", asked(path))
    machine("systemctl", "stop", "caddy")
    for name in ("caddy", "Caddyfile"):
        machine.path(f"root/{name}").unlink()


def check(binary, work):
    """Returns how the parts that depend on the machine went."""
    level = check_unit()
    first, second = check_package(binary, work)
    if os.geteuid() != 0 or not can("unshare", "--fork", "--pid", "--mount", "--cgroup", "--net", "true"):
        return f"unit {level}, package not installed: this takes root and namespaces"
    began = time.monotonic()
    machine = Machine(work)
    try:
        token = check_install(machine, first)
        location = add_location(machine, token)
        check_work(machine)
        check_proxy(machine)
        check_lookup(machine)
        check_upgrade(machine, second, token, location)
        check_removal(machine, second, token, location)
    finally:
        machine.stop()
    return f"unit {level}, package installed under systemd in {time.monotonic() - began:.0f} s"
