"""What the checks of packages share: counting, commands, and the folders that they work with."""

import os
import pathlib
import subprocess
import tomllib

from program import fail

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
DEPLOY = ROOT / "deploy"
TOOLS = ROOT / ".cache/packages"
# Of the program.
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
# For any one command, in seconds: what takes longer hangs.
TIME_LIMIT = 600
passed = 0


def holds(sentence, condition, seen=""):
    """Counts a check that holds; one that does not fails the run, with what was seen instead."""
    global passed
    if not condition:
        fail(f"not so: {sentence}\n{seen}")
    passed += 1


def run(*command, expect=0, **settings):
    """Runs a command and returns its output. It fails the run if the command ends otherwise than expected."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **settings}
    if "input" not in settings:
        settings["stdin"] = subprocess.DEVNULL
    done = subprocess.run([str(word) for word in command], timeout=TIME_LIMIT, check=False, **settings)
    if expect is not None and done.returncode != expect:
        fail(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def can(*command):
    """Whether a command succeeds."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def environment(**more):
    return {**os.environ, **more}
