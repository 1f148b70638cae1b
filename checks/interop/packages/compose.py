"""compose.yaml: it follows the schema of Compose, its images have no host, its script makes a role and a database that the program accepts, and
what it says about the program's container is what image.py starts. Caddy is tried by debian.py."""

import json
import os
import pathlib
import re

import jsonschema
import yaml

from checks import DEPLOY, ROOT, TOOLS, VERSION, environment, holds, run
from program import Server

COMPOSE = DEPLOY / "compose.yaml"
SCHEMA = TOOLS / "compose/usr/lib/python3/dist-packages/compose/config/compose_spec.json"
PASSWORD = "0a1b2c3d"


def check_file():
    stack = yaml.safe_load(COMPOSE.read_text())
    # The schema that is here is older than the project's name.
    jsonschema.validate({key: value for key, value in stack.items() if key != "name"}, json.loads(SCHEMA.read_text()))
    services = stack["services"]
    for name, service in services.items():
        holds(f"compose.yaml: the image of {name} has no host", "/" not in service["image"], service["image"])
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            known = (DEPLOY / source).exists() if source.startswith(".") else source in stack["volumes"]
            holds(f"compose.yaml: {name} has {source}", known)
    holds("compose.yaml has the image of this version", services["dockside"]["image"] == f"dockside:{VERSION}")
    in_guide = set(re.findall(r"dockside[-_:](\d+\.\d+\.\d+)", (ROOT / "docs/guide/installing.md").read_text()))
    holds("the guide's commands name this version", in_guide == {VERSION}, in_guide)
    holds("only Caddy has ports on the machine", [name for name in services if "ports" in services[name]] == ["caddy"])
    wanted = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text()))
    given = set(re.findall(r"^(\w+)=", (DEPLOY / "compose/env.example").read_text(), re.MULTILINE))
    holds("env.example names every variable", wanted == given, wanted ^ given)
    settings = (ROOT / "docs/guide/settings.md").read_text()
    for variable in services["dockside"]["environment"]:
        holds(f"{variable} is a setting", f"`{variable}`" in settings)
    container = services["dockside"]
    holds("compose.yaml starts the program as image.py does", container["read_only"] and container["cap_drop"] == ["ALL"])


def check_role(binary, work):
    """Runs the script as PostgreSQL's container does: by the superuser, on the socket."""
    scratch = work / "cluster"
    scratch.mkdir()
    script = ROOT / "checks/scripts/postgres.sh"
    run(script, "start", scratch)
    try:
        port = re.search(r":(\d+)/", (scratch / "url").read_text())[1]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        bin_folder = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
        settings = {**clean, "PGHOST": str(scratch / "server"), "PGPORT": port, "DOCKSIDE_PASSWORD": PASSWORD,
                    "PATH": f"{bin_folder}:{clean['PATH']}"}
        psql = [str(bin_folder / "psql"), "--no-psqlrc", "--username=postgres", "--tuples-only", "--no-align"]
        run(*psql, "--command=DROP ROLE dockside", "postgres", env=settings)
        run(DEPLOY / "compose/role.sh", env=settings)
        query = "SELECT rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolcanlogin FROM pg_roles WHERE rolname = 'dockside'"
        seen = run(*psql, f"--command={query}", "postgres", env=settings).strip()
        holds("the role may log in and nothing else", seen == "f|f|f|f|t", seen)
        url = f"postgres://dockside:{PASSWORD}@127.0.0.1:{port}/dockside?sslmode=disable"
        server = Server(binary, ["--data", "data", "--strict", "--database-url", url], work)
        holds("the program makes its schema with this role", any("with PostgreSQL" in line for line in server.lines))
        server.stop()
    finally:
        run(script, "stop", scratch, env=environment())


def check(binary, work):
    check_file()
    check_role(binary, work)
    return "compose checked"
