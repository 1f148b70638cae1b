"""The libraries as packages: generated again and compared, checked, packed, and installed in clean environments."""

import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

from program import fail

METHODS = ("get", "post", "put", "patch", "delete")
LEFT_OUT = shutil.ignore_patterns("node_modules", "dist", "__pycache__", ".mypy_cache")


def run(command, folder, **environment):
    """Runs a command that must succeed, and returns what it printed."""
    command = [str(part) for part in command]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Packages:
    def __init__(self, root, work):
        self.root, self.work, self.tools = root, work, root / ".cache/clients"
        self.python = self.tools / "venv/bin/python"
        # Packages come from what ./test has downloaded: the same versions each time.
        self.npm = {"npm_config_cache": str(self.tools / "npm"), "npm_config_prefer_offline": "true", "NO_UPDATE_NOTIFIER": "1"}
        self.pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.tools / "wheels"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    # --- What is committed -----------------------------------------------------------------------

    def compare_generated(self):
        """The generated parts are those of openapi.json, and have every operation. Returns how many there are."""
        made = self.work / "generated"
        run([self.root / "clients/generate.sh", made], self.root)
        for folder in ("typescript/src/generated", "python/src/dockside/generated"):
            committed = {path.name for path in (self.root / "clients" / folder).iterdir() if path.is_file()}
            written = {path.name for path in (made / folder).iterdir()}
            _, differing, missing = filecmp.cmpfiles(made / folder, self.root / "clients" / folder, written, shallow=False)
            if committed != written or differing or missing:
                fail(f"clients/{folder} is not what openapi.json gives ({differing or committed ^ written}): run clients/generate.sh")
        document = json.loads((self.root / "openapi.json").read_text())
        names = [item[method]["operationId"] for item in document["paths"].values() for method in METHODS if method in item]
        methods = [self.methods(f"{kind}_operations.py") for kind in ("sync", "async")]
        types = (made / "typescript/src/generated/schema.ts").read_text().partition("export interface operations {")[2]
        for name in names:
            if not all(name in each for each in methods) or f"\n    {name}: {{" not in types:
                fail(f"the libraries lack the operation {name}")
        return len(names)

    def methods(self, file):
        text = (self.root / "clients/python/src/dockside/generated" / file).read_text()
        return set(re.findall(r"^    (?:async )?def (\w+)\(", text, re.MULTILINE))

    def check_versions(self):
        """What a developer of the library in TypeScript installs is what is checked here."""
        pinned = json.loads((self.tools / "package.json").read_text())["devDependencies"]
        own = json.loads((self.root / "clients/typescript/package.json").read_text())
        for name, version in {**own["dependencies"], **own["devDependencies"]}.items():
            if pinned.get(name) != version:
                fail(f"clients/typescript depends on {name} {version}, and the checks on {pinned.get(name)}")

    def check_types(self):
        """The library in Python passes mypy as its pyproject.toml says: strict. That in TypeScript is compiled when it is packed."""
        run([self.python, "-m", "mypy", "--cache-dir", self.work / "mypy"], self.root / "clients/python")

    # --- TypeScript ------------------------------------------------------------------------------

    def pack_typescript(self):
        """Packs the library, and returns the path of the package."""
        source = self.work / "typescript"
        shutil.copytree(self.root / "clients/typescript", source, ignore=LEFT_OUT)
        (source / "node_modules").symlink_to(self.tools / "node_modules")
        run(["npm", "pack", "--loglevel", "error"], source, **self.npm)
        (package,) = source.glob("*.tgz")
        with tarfile.open(package) as archive:
            names = {name.removeprefix("package/") for name in archive.getnames()}
        wanted = {"package.json", "README.md", "LICENSE", "dist/index.js", "dist/index.d.ts", "dist/realtime.d.ts"}
        foreign = {name for name in names - wanted if not name.startswith(("dist/", "examples/"))}
        if not wanted <= names or foreign:
            fail(f"the package of npm lacks {wanted - names}, and has {foreign}")
        return package

    def install_typescript(self, package, programs):
        """Installs the package in a folder of its own, and compiles programs there. Returns the folder."""
        folder = self.work / "node"
        folder.mkdir()
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        pinned = json.loads((self.tools / "package.json").read_text())["devDependencies"]
        names = ("centrifuge", "ws", "typescript", "@types/node", "@types/ws")
        beside = [f"{name}@{pinned[name]}" for name in names]
        run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", package, *beside], folder, **self.npm)
        for program in programs:
            shutil.copy(program, folder)
        flags = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--lib", "es2023,dom,dom.iterable"]
        sources = [program.name for program in programs]
        run([folder / "node_modules/.bin/tsc", *flags, "--outDir", "built", *sources], folder)
        run(["node", pathlib.Path(__file__).parent / "surface.mjs", folder], folder)
        return folder

    # --- Python ----------------------------------------------------------------------------------

    def pack_python(self):
        """Packs the library, and returns the path of the wheel."""
        source = self.work / "python"
        shutil.copytree(self.root / "clients/python", source, ignore=LEFT_OUT)
        said = run([self.python, "-m", "build"], source, **self.pip)
        if re.search("warning|deprecat", said, re.IGNORECASE):
            fail(f"python -m build complains:\n{said}")
        (wheel,) = (source / "dist").glob("*.whl")
        names = set(zipfile.ZipFile(wheel).namelist())
        if not {"dockside/py.typed", "dockside/generated/models.py", "dockside/realtime.py"} <= names:
            fail(f"the wheel has only {sorted(names)}")
        return wheel

    def install_python(self, wheel, programs):
        """Installs the wheel in an environment of its own, and checks the types of programs there. Returns its Python."""
        folder = self.work / "venv"
        run([sys.executable, "-m", "venv", folder], self.work)
        python = folder / "bin/python"
        run([python, "-m", "pip", "install", "--quiet", f"{wheel}[realtime]"], self.work, **self.pip)
        check = [self.python, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", self.work / "mypy-clean"]
        run([*check, *programs], self.work, PYTHONPATH="")
        return python
